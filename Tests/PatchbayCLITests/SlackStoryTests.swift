import PatchbayTestKit
import TestSupport
import Testing

/// Typical commands for one resource, over recorded Slack users; the same over every storage.
@Suite("The commands over Slack", .mayBlock, .timeLimit(.minutes(5)))
struct SlackStoryTests {
    private let command: Command

    init() throws {
        command = try Command()
        try command.write(SlackSample.text(), to: "slack.har")
    }

    /// Runs a command over the recording.
    private func run(_ storage: String, _ line: String) throws -> Command.Outcome {
        try command.run(
            line.split(separator: " ").map(String.init)
                + ["--source", "recorded", "--set", "source.path=slack.har", "--storage", storage]
                + ["--set", "storage.path=\(command.directory)/slack.\(storage)"])
    }

    private static let script: [(line: String, words: String)] = [
        ("list users", "U1  ada   adal          Ada L."), ("show users ada", "display_name  adal"),
        ("show users U1 --offline", "display_name  adal"), ("search users ad", "U1  ada"),
        ("edit users ada display_name=Countess", ""), ("list users --offline", "Countess"),
        ("favourites add users ada", ""), ("favourites list users --fields id,display_name", "Countess"),
        ("revert users ada", ""), ("list users --format jsonl", #""display_name_override":null"#),
        ("list conversations", "general"), ("list members general", "U2"), ("sync users", ""),
        ("list members general --offline --format csv", "U1"), ("clear users --yes", ""),
        ("list users --offline", ""), ("list users", "adal"),
    ]

    @Test("one script prints the same over every storage")
    func story() throws {
        var told: [String: [String]] = [:]
        for storage in ["sqlite", "lmdb", "flatfile"] {
            for (line, words) in Self.script {
                let outcome = try run(storage, line)
                #expect(outcome.status == 0, "\(line): \(outcome.errors)")
                #expect(outcome.output.contains(words) || words.isEmpty, "\(line): \(outcome.output)")
                told[storage, default: []].append(outcome.output)
            }
            let path = "\(storage):\(command.directory)/slack.\(storage)"
            let copied = try command.run(
                "storage", "copy", "--from", path, "--to", "sqlite:\(command.directory)/copy-\(storage)",
                "--verify"
            )
            #expect(copied.status == 0 && copied.output.contains("slack_members"), "\(copied.errors)")
        }
        #expect(told["lmdb"] == told["sqlite"])
        #expect(told["flatfile"] == told["sqlite"])
    }

    @Test("a stored list that was cut off says so")
    func cutOff() throws {
        try command.write(
            SlackSample.text(
                users: #"{"ok":true,"members":[\#(SlackSample.ada)],"response_metadata":{"next_cursor":"c"}}"#
            ), to: "slack.har")
        #expect(try run("sqlite", "sync users --max-requests 1").status == 0)
        let shown = try run("sqlite", "list users --offline")
        #expect(shown.errors.hasSuffix("(offline), the rest was not fetched\n"), "\(shown.errors)")
        let answer = try run("sqlite", "list users --offline --format json").output
        #expect(answer.contains(#""complete": false"#) && answer.contains(#""more": true"#), "\(answer)")
    }

    @Test("a row that is no longer listed is shown with the time")
    func gone() throws {
        #expect(try run("sqlite", "sync users").status == 0)
        // An empty list may be an answer that has lost its rows, so one of them proves nothing.
        try command.write(SlackSample.text(users: #"{"ok":true,"members":[]}"#), to: "slack.har")
        #expect(try !run("sqlite", "sync users --restart").errors.contains("no longer listed"))
        let missing = try run("sqlite", "show users bo --offline").errors
        #expect(missing.contains(", a complete list lacked it at 2"), "\(missing)")
        try command.write(
            SlackSample.text(users: #"{"ok":true,"members":[\#(SlackSample.ada)]}"#), to: "slack.har")
        #expect(try run("sqlite", "sync users --restart").errors.contains("1 no longer listed"))
        let shown = try run("sqlite", "show users bo --offline").errors
        #expect(shown.contains(", no longer listed since 2"), "\(shown)")
    }

    @Test("an unknown name or a row that is not stored is reported in one clear line")
    func refusals() throws {
        _ = try run("sqlite", "list users")
        try run("sqlite", "list members general").expectRefusal(
            4, "conversation \"general\" is not stored; fetch it first with \"patchbay list conversations\"\n"
        )
        try run("sqlite", "revert users nobody").expectRefusal(4, "user \"nobody\" is not stored")
        try run("sqlite", "show members x").expectRefusal(2, "members have no handle; list them instead")
    }
}
