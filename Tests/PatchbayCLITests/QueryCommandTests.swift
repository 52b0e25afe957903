import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@Suite("patchbay query", .mayBlock, .timeLimit(.minutes(20)))
struct QueryCommandTests {
    private let command: Command

    init() throws { command = try Command() }

    private func query(_ words: String...) throws -> Command.Outcome { try command.run(["query"] + words) }

    private func sync() throws {
        #expect(try command.run(["sync", "users"]).status == 0)
    }

    private let first = "SELECT id, login, type AS kind, id FROM users ORDER BY id LIMIT 2"

    @Test("prints rows in every format, and the age of the lists")
    func formats() throws {
        try sync()
        let table = try query(first)
        #expect(
            table.output == """
                       ID  LOGIN            KIND       ID_2
                900000017  Marlow-Quern     User  900000017
                900003820  iskra-tumannaya  User  900003820

                """)
        #expect(table.errors == "2 rows; users: synced just now\n")
        #expect(
            try query(first, "--format", "csv").output == """
                id,login,kind,id_2
                900000017,Marlow-Quern,User,900000017
                900003820,iskra-tumannaya,User,900003820

                """)
        #expect(
            try query("SELECT login, name FROM users WHERE id = 900000017", "-f", "jsonl").output
                == #"{"login":"Marlow-Quern","name":null}"# + "\n")
        let infinite = try query("SELECT 9e999 AS x, -9e999 AS y", "-f", "jsonl").output
        #expect(infinite == #"{"x":"Infinity","y":"-Infinity"}"# + "\n")
        let json = try query("SELECT 1.5 AS x, NULL AS y", "--format", "json").output
        #expect(
            json == """
                {
                  "items": [
                    {
                      "x": 1.5,
                      "y": null
                    }
                  ],
                  "answer": {
                    "complete": true,
                    "reason": null,
                    "tables": [],
                    "oldest_sync": null,
                    "never_synced": []
                  }
                }

                """)
        #expect(try query("SELECT login FROM users WHERE id = 1", "--format", "csv").output == "login\n")
    }

    @Test("states which lists were never synced, and how to sync them")
    func never() throws {
        try sync()
        let outcome = try query("SELECT count(*) FROM repos")
        #expect(outcome.status == 0)
        #expect(
            outcome.errors.contains(
                "repos has never been synced to its end, so rows may be missing: patchbay sync repos <owner>"),
            "\(outcome.errors)")
        let json = try query("SELECT count(*) FROM repos", "--format", "json")
        #expect(json.output.contains(#""complete": false"#), "\(json.output)")
        #expect(json.output.contains(#""reason": "never synced to the end: repos""#))
        #expect(try query("SELECT count(*) FROM repos", "--strict").status == 19)
        #expect(try query("SELECT count(*) FROM users", "--strict").status == 0)
    }

    @Test("a limit that the user did not set makes the answer incomplete")
    func limits() throws {
        try sync()
        let endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"
        let rows = try query(endless, "--format", "csv")
        #expect(rows.status == 19 && rows.output.split(separator: "\n").count == 10_001)
        #expect(rows.errors.contains("the rows are incomplete: there are more than 10000 rows; use --limit"))
        let chosen = try query(endless, "--limit", "5")
        #expect(chosen.status == 0 && chosen.errors.hasSuffix("more rows follow; --limit ends them\n"))
        let json = try query(endless, "--limit", "5", "--format", "json", "--quiet")
        #expect(json.output.contains(#""complete": false"#) && json.errors.isEmpty)
        let late = try query(
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT sum(x) FROM c",
            "--timeout", "1")
        #expect(late.status == 19 && late.errors.contains("the time limit of 1 s"), "\(late.errors)")
    }

    @Test("the SELECT may come from a file or standard input, with parameters")
    func files() throws {
        try sync()
        let sql = "SELECT login FROM users WHERE id = :id OR login = :login\n"
        try command.write(sql, to: "q.sql")
        let words = ["--param", "id=900000017", "--param", "login=iskra-tumannaya", "-f", "csv"]
        let expected = "login\nMarlow-Quern\niskra-tumannaya\n"
        #expect(try command.run(["query", "--file", "q.sql"] + words).output == expected)
        var command = command
        command.input = sql
        #expect(try command.run(["query", "--file", "-"] + words).output == expected)
        #expect(try command.run(["query", "-"] + words).output == expected)
    }

    @Test("find is a table of the rows that patchbay find finds")
    func words() throws {
        try sync()
        let found = try command.run(["find", "marlow", "--format", "jsonl", "--fields", "handle"])
        let rows = try query(
            "SELECT u.login AS handle FROM find('marlow', 'users') f JOIN users u ON u._key = f.key ORDER BY f.rank",
            "--format", "jsonl")
        #expect(rows.output == found.output && rows.output.contains("Marlow-Quern"), "\(rows.output)")
        #expect(rows.errors.hasPrefix("1 row; users: synced "), "\(rows.errors)")
        let all = try query("SELECT key FROM find('marlow')", "--format", "json", "--strict")
        #expect(
            all.status == 19 && all.output.contains("never synced to the end: commits, "), "\(all.output)")
        #expect(try query("SELECT key FROM find('\"')").errors.contains("the text has no word to search for"))
    }

    @Test("tables are printed before anything is stored, as SQL that SQLite reads")
    func tables() throws {
        let outcome = try query("--tables")
        #expect(outcome.status == 0)
        for line in [
            "CREATE TABLE users (", "    login TEXT,\n",
            "    name TEXT,  -- with local edits; upstream_name without\n",
            "    created_at TEXT,  -- a time in UTC", "    PRIMARY KEY (repository_id, sha)",
            "-- index: login NOCASE\n",
        ] {
            #expect(outcome.output.contains(line), "\(line) is missing in \(outcome.output.prefix(3_000))")
        }
    }

    @Test("--explain names the index of each table")
    func explain() throws {
        try sync()
        let outcome = try query("SELECT * FROM users WHERE login = 'x' OR name = 'y'", "--explain")
        #expect(outcome.output.contains("users: reads all 104 users"), "\(outcome.output)")
        let key = try query("SELECT * FROM users WHERE id = 5", "--explain", "--format", "jsonl").output
        #expect(key == #"{"depth":0,"step":"users: one row by its key (id =)"}"# + "\n")
    }

    @Test("--fresh syncs the lists of the tables first, and states what that cost")
    func fresh() throws {
        let first = try query("SELECT count(*) AS n FROM users", "--fresh", "1h", "-f", "csv")
        #expect(first.status == 0 && first.output != "n\n0\n", "\(first.errors)")
        #expect(first.errors.contains("users: 104 rows (104 new), 4 requests"), "\(first.errors)")
        let repos = try query("SELECT count(*) AS n FROM repos", "--fresh", "1h")
        #expect(
            repos.errors.contains("are not refreshed, because their lists need an argument"),
            "\(repos.errors)")
    }

    @Test(
        "mistakes are explained",
        arguments: [
            (["SELECT * FROM user"], 10, "no such table: user (did you mean \"users\"?)"),
            (["SELECT logn FROM users"], 10, "no such column: logn (did you mean \"login\"?)"),
            (["DELETE FROM users"], 10, "a query can only read"),
            (["SELECT 1; SELECT 2"], 10, "a query is one statement"),
            (["SELECT :a"], 10, "the parameter :a has no value; set it with --param a=VALUE"),
            (["SELECT 1", "--param", "a"], 2, "is not name=value"),
            (["SELECT 1", "--tables"], 2, "exclude each other"),
            ([], 2, "write a SELECT"),
            (["--file", "missing.sql"], 4, "missing.sql"),
            (["SELECT 1", "--timeout", "0"], 2, "from 1 to 86400"),
        ])
    func mistakes(_ words: [String], _ status: Int32, _ message: String) throws {
        try sync()
        let outcome = try command.run(["query"] + words)
        #expect(outcome.status == status && outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("without a storage, the query says how to get one")
    func nothing() throws {
        let outcome = try query("SELECT 1")
        #expect(outcome.status == 4 && outcome.errors.contains("patchbay"), "\(outcome.errors)")
    }
}
