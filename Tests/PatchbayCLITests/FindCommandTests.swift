import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@Suite("patchbay find", .mayBlock, .timeLimit(.minutes(20)))
struct FindCommandTests {
    private let command: Command
    private let flags: [String]
    /// Kept until the test ends.
    private let places = StoragePlaces()

    init() throws { try self.init("sqlite") }

    private init(_ storage: String) throws {
        command = try Command()
        flags = places.flags(storage, at: command.directory + "/store")
    }

    private func run(_ words: String...) throws -> Command.Outcome { try command.run(words + flags) }

    private func sync() throws {
        #expect(try run("sync", "users", "--details").status == 0)
        for owner in ["Marlow-Quern", "Ottoline-Brack"] {
            #expect(try run("sync", "repos", owner).status == 0)
        }
        #expect(try run("sync", "commits", "Marlow-Quern/ferry-times").status == 0)
    }

    @Test("prints the best rows of all resources in every format", arguments: StoragePlaces.all)
    func formats(_ storage: String) throws {
        if storage == "memory" { return }
        let test = try FindCommandTests(storage)
        try test.sync()
        #expect(
            try test.run("edit", "users", "Marlow-Quern", "name=Marlow of the ferries").status == 0)
        let fields = "resource,source,handle,title"
        for (format, name, fields) in [
            ("table", "find.txt", fields), ("csv", "find.csv", fields + ",excerpt,key"),
            ("jsonl", "find.jsonl", fields + ",excerpt,key,website"),
        ] {
            let outcome = try test.run("find", "ferr* -bell", "--fields", fields, "--format", format)
            let golden = try Checkout.golden("Tests/PatchbayCLITests/Golden/\(name)", for: outcome.output)
            #expect(outcome.output == golden, "\(name)")
            #expect(outcome.status == 0 && outcome.errors.contains(" found\n"), "\(outcome.errors)")
        }
        let chosen = try test.run(
            "find", "ferr*", "--in", "users,commits", "--limit", "1", "--format", "json")
        #expect(
            chosen.output.contains(#""complete": true"#) && chosen.output.contains(#""all_ranked": true"#))
        #expect(chosen.errors.hasPrefix("1 row of "), "\(chosen.errors)")
        let none = try test.run("find", "ferry", "--in", "issues")
        #expect(
            none.status == 0
                && none.errors.hasSuffix(
                    "nothing with texts is stored of issues: patchbay sync\n"
                        + "rows may be missing: never synced to the end: issues\n")
        )
        let strict = try test.run("find", "ferry", "--in", "issues", "--strict", "--format", "json")
        #expect(strict.status == 19 && strict.output.contains(#""complete": false"#), "\(strict.output)")
        #expect(try test.run("storage", "verify").status == 0)
    }

    @Test("refuses texts without words, and resources that it does not know")
    func refused() throws {
        try sync()
        try run("find", " -ferry").expectRefusal(10, "words that must not occur; add one that must")
        try run("find", "\"").expectRefusal(10, "the text has no word to search for")
        try run("find", "x", "--in", "comits").expectRefusal(15, "did you mean \"commits\"?")
        try run("find", String(repeating: "x ", count: 5_000)).expectRefusal(10, "search for fewer words")
    }

    @Test("has an index whose faults are checked with the storage, in every format", .needs("sqlite3"))
    func faults() throws {
        try sync()
        #expect(try run("find", "ferry").status == 0)
        let shell = Command(in: command.directory, program: "/usr/bin/sqlite3")
        let removal = "delete from words_rows where id in (select min(id) from words_rows)"
        #expect(try shell.run(["store.find", removal]).status == 0)
        for format in ["json", "jsonl", "csv", "table"] {
            let outcome = try run("storage", "verify", "--format", format)
            #expect(outcome.status == 5 && outcome.output.contains("store.find"), "\(format): \(outcome)")
        }
    }

    @Test("makes a removed index again, and leaves a file of another program alone")
    func files() throws {
        try sync()
        let path = "\(command.directory)/store.find"
        let found = try run("find", "ferry", "-f", "csv", "--fields", "key").output
        try FileManager.default.removeItem(atPath: path)
        #expect(try run("find", "ferry", "-f", "csv", "--fields", "key").output == found)
        try Data("notes of mine".utf8).write(to: URL(filePath: path))
        for words in [["find", "ferry"], ["query", "SELECT key FROM find('ferry')"]] {
            let outcome = try command.run(words + flags)
            #expect(
                outcome.status != 0 && outcome.errors.contains("is not a text index of Patchbay"),
                "\(outcome)")
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "notes of mine")
    }
}
