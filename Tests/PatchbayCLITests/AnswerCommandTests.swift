import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// The output of commands for programs, and in unusual environments.
@Suite("Answers for programs", .mayBlock, .timeLimit(.minutes(5)))
struct AnswerCommandTests {
    private let command: Command

    init() throws { command = try Command() }

    private func object(_ outcome: Command.Outcome) throws -> (items: [[String: Any]], answer: [String: Any])
    {
        let json = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
        return (
            try #require(json?["items"] as? [[String: Any]]), try #require(json?["answer"] as? [String: Any])
        )
    }

    @Test("JSON contains the rows, their origin and age, and what is missing")
    func json() throws {
        let fresh = try object(command.run("list", "users", "--limit", "3", "--format", "json"))
        #expect(fresh.items.count == 3 && fresh.items[0].keys.contains("refusal"))
        #expect(fresh.answer["complete"] as? Bool == true && fresh.answer["more"] as? Bool == true)
        #expect(fresh.answer["next"] as? Int == fresh.items[2]["id"] as? Int)
        let short = try command.run(
            "list", "users", "--limit", "5000", "--offline", "--format", "json", "--strict")
        #expect(short.status == 19)
        let stored = try object(short)
        #expect(stored.answer["state"] as? String == "offline" && stored.answer["source"] is NSNull)
        #expect(stored.answer["origin"] as? String == "storage" && stored.answer["age_seconds"] is Int)
        #expect(stored.answer["complete"] as? Bool == false)
    }

    @Test("rows that are young enough are not called offline")
    func young() throws {
        let list = ["list", "users", "--limit", "1", "--max-age", "1h"]
        _ = try command.run(list)
        let again = try command.run(list).errors
        #expect(again.hasPrefix("1 user, stored "), "\(again)")
        #expect(again.contains("; --refresh fetches again, more: --after "), "\(again)")
        let json = try object(command.run(list + ["--format", "json"]))
        #expect(json.answer["state"] as? String == "stored" && json.answer["source"] is String)
    }

    @Test("parents and topics are arrays in JSON")
    func arrays() throws {
        let commits = try object(
            command.run("list", "commits", "Marlow-Quern/almanac", "--format", "json"))
        #expect(commits.items.allSatisfy { $0["parents"] is [String] } && !commits.items.isEmpty)
        let repository = try object(
            command.run("show", "repos", "Marlow-Quern/almanac", "--format", "json"))
        #expect(repository.items.count == 1 && repository.items[0]["topics"] is [String])
    }

    @Test("fields can be chosen in every format, and an unknown one is reported with a suggestion")
    func fields() throws {
        let list = ["list", "users", "--limit", "2", "--fields", "id,login,id"]
        for (format, words) in [
            ("csv", "id,login\n900000017,Marlow-Quern\n"), ("jsonl", #"{"id":900000017,"login":"Marl"#),
            ("table", "       ID  LOGIN\n900000017  Marlow-Quern\n"),
        ] {
            #expect(try command.run(list + ["--format", format]).output.hasPrefix(words), "\(format)")
        }
        let item = try object(command.run(list + ["--format", "json"])).items[0]
        #expect(Set(item.keys) == ["id", "login"])
        let shown = try command.run("show", "users", "Marlow-Quern", "--fields", "login,refusal")
        #expect(shown.output.contains("login    Marlow-Quern\nrefusal\n"), "\(shown)")
        _ = try command.run("favourites", "add", "users", "Marlow-Quern")
        let favourites = try command.run(
            "favourites", "list", "users", "--fields", "login", "-q", "--format", "csv")
        #expect(favourites.output == "login\nMarlow-Quern\n" && favourites.errors.isEmpty)
        try command.run("searches", "--fields", "txt").expectRefusal(2, "did you mean \"text\"?")
        try command.run("list", "users", "--fields", "id,logn").expectRefusal(
            2, "there is no field \"logn\" (did you mean \"login\"?); known: login, id")
    }

    @Test("--json selects the fields of JSON output")
    func jsonFields() throws {
        let words = ["list", "users", "--limit", "2"]
        let short = try object(command.run(words + ["--json", "id,login"]))
        let long = try object(command.run(words + ["--format", "json", "--fields", "id,login"]))
        #expect(short.items.count == 2 && short.items.allSatisfy { Set($0.keys) == ["id", "login"] })
        #expect(short.items as NSArray == long.items as NSArray)
        let shown = try object(command.run("show", "users", "Marlow-Quern", "--json", "login,refusal"))
        #expect(Set(shown.items[0].keys) == ["login", "refusal"])
        let found = try object(
            command.run("search", "users", "marlow", "--offline", "--json", "login,found_by", "-f", "json"))
        #expect(found.items.allSatisfy { Set($0.keys) == ["login", "found_by"] })
        _ = try command.run("favourites", "add", "users", "Marlow-Quern")
        let favourites = try command.run("favourites", "list", "users", "--json", "login").output
        #expect(favourites == "[\n  {\n    \"login\": \"Marlow-Quern\"\n  }\n]\n")
    }

    @Test(
        "--quiet prints only rows and errors, and -q is its short form",
        arguments: [
            "list users --quiet", "list users -q", "show users Marlow-Quern -q", "init users -q",
            "edit users Marlow-Quern name=x -q", "revert users Marlow-Quern -q",
            "clear users -y -q", "favourites list users -q", "searches -q", "searches --denied -q",
            "search users marlow -q", "sync users -q", "storage verify -q", "storage compact -q",
            "storage export x.jsonl -q", "storage backup y -q",
            "storage copy --from sqlite:sample.sqlite --to lmdb:z -q", "limits --offline -q",
        ])
    func quiet(_ line: String) throws {
        _ = try command.run("list", "users", "--set", "storage.path=sample.sqlite")
        let words = line.split(separator: " ").map(String.init)
        let isCopy = words.contains("copy")
        let outcome = try command.run(words + (isCopy ? [] : ["--set", "storage.path=sample.sqlite"]))
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
        let failed = try command.run(
            "show", "users", "nobody", "--offline", "-q", "--set", "storage.path=sample.sqlite")
        #expect(failed.status == 4 && failed.errors.contains("nobody"))
    }

    @Test("common options have one letter each")
    func letters() throws {
        let long = try command.run("list", "users", "--limit", "3", "--format", "csv", "--offline")
        _ = try command.run("list", "users")
        for words in [["-n", "3", "-f", "csv"], ["-n3", "-fcsv"], ["-n=3", "-f=csv"]] {
            let short = try command.run(["list", "users", "--offline"] + words)
            #expect(short.status == 0 && short.output.split(separator: "\n").count == 4, "\(words): \(short)")
        }
        #expect(long.status == 4)
        try command.run("list", "users", "-n", "0").expectRefusal(2, "'0' is invalid for '-n <count>'")
        try command.run("list", "users", "-qn3").expectRefusal(
            2, "or: Missing value for '-n' in '-qn3'; add --help to see the usage")
    }

    @Test("a list of any length is printed completely in every format, in the order of its batches")
    func long() throws {
        let source = ["--source", "synthetic", "--set", "source.users=4000", "--storage", "sqlite"]
        let list = ["list", "users", "-n", "200000"] + source
        let fresh = try command.run(list + ["-f", "csv", "--fields", "id"])
        let ids = fresh.output.split(separator: "\n").dropFirst().compactMap { Int($0) }
        #expect(ids.count > 3_500 && ids == ids.sorted() && Set(ids).count == ids.count)
        #expect(fresh.errors.hasPrefix("\(ids.count) users, fresh from "), "\(fresh.errors)")
        #expect(fresh.errors.hasSuffix(", the end of the list\n"))
        let offline = list + ["--offline"]
        let csv = try command.run(offline + ["-f", "csv", "--fields", "id"])
        #expect(csv.output == fresh.output)
        let json = try object(command.run(offline + ["--json", "id", "--strict"]))
        #expect(json.items.compactMap { $0["id"] as? Int } == ids)
        #expect(json.answer["complete"] as? Bool == true && json.answer["more"] as? Bool == false)
        let lines = try command.run(offline + ["-f", "jsonl", "--fields", "id"]).output
        #expect(lines == ids.map { "{\"id\":\($0)}\n" }.joined())
        let table = try command.run(offline + ["--fields", "id"]).output.split(separator: "\n")
        #expect(table.dropFirst().map { Int($0.filter(\.isNumber)) } == ids && table[0] == "  ID")
        let some = try command.run(["list", "users", "-n", "1500"] + source + ["--offline", "-f", "jsonl"])
        #expect(some.output.split(separator: "\n").count == 1_500)
        #expect(some.errors.hasSuffix(", more: --after \(ids[1_499])\n"), "\(some.errors)")
        let most = try command.run(offline + ["--maximum", "1200", "--fields", "id", "-f", "csv"])
        #expect(most.output.split(separator: "\n").count == 1_201)
        #expect(most.errors.hasSuffix(", the limit of 1200 is reached\n"))
    }

    @Test("an empty storage gives the same output for a long list as for a short one")
    func longAndUnknown() throws {
        _ = try command.run("list", "users")
        for limit in ["5", "5000"] {
            let outcome = try command.run("list", "repos", "nobody", "--offline", "-n", limit, "-f", "csv")
            #expect(outcome.status == 0 && outcome.errors.hasPrefix("0 repositories, nothing stored"))
            #expect(outcome.output.hasPrefix("id,") || outcome.output.contains(",name,"), "\(outcome)")
        }
    }

    @Test("a recording needs neither a network nor a token", arguments: [[], ["--offline"]])
    func doctor(_ options: [String]) throws {
        let outcome = try command.run(["doctor"] + options)
        #expect(outcome.status == 0 && outcome.output.contains("needs no network"), "\(outcome)")
        #expect(!outcome.output.contains("token"), "\(outcome)")
    }

    @Test("hints are useful: none after missing rows, and none that was not requested")
    func hints() throws {
        _ = try command.run("list", "users")
        let short = try command.run("list", "users", "--offline", "--limit", "5000")
        #expect(!short.errors.contains("--after"), "\(short.errors)")
        let beyond = try command.run("list", "users", "--offline", "--after", "999999999")
        #expect(beyond.errors.hasPrefix("0 users, nothing stored here (offline)"), "\(beyond.errors)")
    }

    @Test("an unknown option or field gets a suggestion")
    func suggestions() throws {
        let near = try command.run("list", "users", "--ofline")
        #expect(near.errors.contains("Did you mean '--offline'?"), "\(near.errors)")
        try command.run("edit", "users", "Marlow-Quern").expectRefusal(2, "nothing to edit; write name=TEXT")
        let required = try command.run("edit", "users", "Marlow-Quern", "nme=Marlow")
        #expect(required.errors.contains("did you mean \"name\"?"), "\(required.errors)")
    }

    @Test("ls is list")
    func aliases() throws {
        #expect(try command.run("ls", "users", "--limit", "1").status == 0)
        #expect(try command.run("plugins", "ls").status == 0)
        #expect(try command.run("view", "users", "Marlow-Quern").output.contains("Marlow-Quern"))
        for (words, subject) in [("searches", []), ("searches", ["--denied"]), ("favourites", ["users"])] {
            let words = words.split(separator: " ").map(String.init)
            #expect(try command.run(words + ["ls"] + subject).status == 0)
            #expect(try command.run(words + ["rm"] + subject + ["nothing"]).errors.contains("nothing"))
        }
    }

    @Test(
        "an output that cannot be written is named, with a documented status",
        arguments: [
            ("list users >&-", 10, "the output is closed"), ("--version > /dev/full", 6, "no space left"),
            ("--help > /dev/full", 6, "no space left"), ("list users --storage memory <&- 2>&-", 0, ""),
            ("import users - --storage memory <&-", 4, "standard input is closed"),
        ])
    func odd(_ call: String, _ status: Int32, _ words: String) async throws {
        let shell = Command(in: command.directory, program: "/bin/bash")
        let outcome = try await shell.finished(["-c", "'\(Command.executable.path)' \(call)"])
        #expect(outcome.status == status, "\(outcome)")
        #expect(outcome.errors.firstRange(of: words) != nil || words.isEmpty, "\(outcome)")
    }

    @Test("too low limits of memory or files are reported at once")
    func limits() async throws {
        let shell = Command(in: command.directory, program: "/bin/bash")
        for (limit, words) in [
            ("-v 200000", "200000 KiB of memory (ulimit -v)"), ("-n 8", "8 files (ulimit -n)"),
        ] {
            let script = "ulimit \(limit); exec '\(Command.executable.path)' list users --storage memory"
            let outcome = try await shell.finished(["-c", script])
            #expect(outcome.status == 1 && outcome.errors.contains(words), "\(outcome)")
        }
    }

    @Test("watch can leave out users that are already stored, and info the definitions")
    func short() throws {
        _ = try command.run("list", "users", "--limit", "3")
        #expect(try !command.run("storage", "info").output.contains("definition"))
        #expect(try command.run("storage", "info", "--schema").output.contains("definition  github_users"))
        let errors = Pipe(), output = Pipe()
        let process = try command.start(
            ["watch", "users", "--changes-only"], output: output.fileHandleForWriting,
            errors: errors.fileHandleForWriting)
        try output.fileHandleForWriting.close()
        let said = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
        #expect(said.hasPrefix("watching ") && said.hasSuffix(" users; Ctrl-C quits\n"), "\(said)")
        _ = try command.run("edit", "users", "Marlow-Quern", "name=Mine")
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(line.hasPrefix(#"{"change":"update","login":"Marlow-Quern""#), "\(line.prefix(80))")
        kill(process.processIdentifier, SIGINT)
        process.waitUntilExit()
    }
}
