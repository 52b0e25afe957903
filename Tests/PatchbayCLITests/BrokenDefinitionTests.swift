import Foundation
import PatchbayTestKit
import TestSupport
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

/// The source `rest` with a definition that has faults, or whose file is missing.
@Suite("The commands with a definition that cannot be used", .mayBlock)
struct BrokenDefinitionTests {
    private let command: Command
    private static let faults = """
        patchbay: rows.paht: is not a key of a definition (did you mean "rows.path"?); remove or correct it \
        (at: broken.conf:3)
        patchbay: rows.path: is missing; add the path of its rows, such as /users (at: broken.conf:3)

        """
    private static let missing =
        "patchbay: source.definition = \"missing.conf\": there is no file \"missing.conf\" (at: option --set)\n"

    init() throws {
        command = try Command()
        try define("broken.conf", "rows.paht = /r")
    }

    /// Writes a definition with the given paths, and with a key for the resource of each.
    private func define(_ name: String, _ paths: String...) throws {
        let resources = paths.flatMap { path in
            let resource = path.prefix { $0 != "." }
            return [path, "\(resource).key = id", "\(resource).field.id = integer"]
        }
        try write(name, ["api = x", "base-url = http://127.0.0.1:9"] + resources)
    }

    private func write(_ name: String, _ lines: [String]) throws {
        try command.write(lines.map { $0 + "\n" }.joined(), to: name)
    }

    private func run(_ line: String, _ definition: String) throws -> Command.Outcome {
        let options = ["--source", "rest", "--set", "source.definition=\(definition)"]
        return try command.run(line: line, options)
    }

    @Test(
        "a recording that identifies no API is reported, whatever resource is named",
        arguments: ["list authors", "list users", "resources", "config check"])
    func unidentified(_ line: String) throws {
        let recording = TestHAR.file(TestHAR.entry("https://books.example.org/authors"))
        try command.write(recording, to: "books.har")
        let options = ["--source", "recorded", "--set", "source.path=books.har"]
        try command.run(line: line, options).expectRefusal(
            3, "exchanges with books.example.org, which identify no API; set source.definition to github, ")
    }

    @Test(
        "a missing recording is reported by the checks, and instead of an unknown command",
        arguments: ["list authors", "sync authors", "resources", "config check", "list users"])
    func missingRecording(_ line: String) throws {
        let options = ["--source", "recorded", "--set", "source.path=nope.har"]
        try command.run(line: line, options).expectRefusal(
            3, "nope.har\" does not exist; name a HAR file")
    }

    @Test(
        "every command that depends on the resources reports all faults of the definition",
        arguments: [
            "sync rows", "search rows x", "list rows", "list users --offline", "resources", "resources rows",
            "sync", "favourites add rows 1", "api GET /r", "config check",
        ])
    func reported(_ line: String) throws {
        for (definition, text) in [("broken.conf", Self.faults), ("missing.conf", Self.missing)] {
            let outcome = try run(line, definition)
            #expect(outcome.status == 3 && outcome.output.isEmpty, "\(line): \(outcome)")
            #expect(outcome.errors == text, "\(line)")
        }
    }

    @Test("config check reports faults of the configuration and of its definition at once")
    func both() throws {
        let outcome = try run("config check --set list.limit=0", "broken.conf")
        let fault = """
            patchbay: list.limit = "0" must be a whole number from 1 to 9223372036854775807 (at: option --set)

            """
        #expect(outcome.status == 3 && outcome.errors == fault + Self.faults, "\(outcome)")
    }

    @Test(
        "commands that do not depend on the resources work",
        arguments: [
            "--version", "--help", "help", "plugins list", "definition check good.conf", "completion bash",
        ])
    func unaffected(_ line: String) throws {
        try define("good.conf", "rows.path = /r")
        try write("patchbay.conf", ["source = rest", "source.definition = broken.conf"])
        let outcome = try command.run(line: line)
        #expect(outcome.status == 0 && outcome.errors.isEmpty && !outcome.output.isEmpty, "\(outcome)")
    }

    @Test(
        "a resource may have the name of a command", arguments: ["config", "list", "sync", "help", "storage"])
    func names(_ name: String) throws {
        try define("named.conf", "\(name).path = /r")
        #expect(try command.run(["definition", "check", "named.conf"]).status == 0)
        for line in ["resources \(name)", "watch \(name) --limit 0", "list \(name) --offline"] {
            let outcome = try run(line, "named.conf")
            #expect(!outcome.errors.contains("there is no"), "\(line): \(outcome)")
        }
        #expect(try run("config check", "named.conf").output.hasPrefix("ok: "))
    }

    @Test("the configuration can be shown")
    func shown() throws {
        let outcome = try run("config show", "broken.conf")
        #expect(outcome.status == 0 && outcome.errors.isEmpty && !outcome.output.isEmpty, "\(outcome)")
    }
}
