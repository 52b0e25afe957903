import Foundation
import PatchbayTestKit
import TestSupport
import Testing

/// Syncs of several lists of the bundled recording.
@Suite("Syncs of many lists", .mayBlock, .timeLimit(.minutes(5)))
struct SyncCommandTests {
    private let command: Command

    init() throws { command = try Command() }

    private func run(_ line: String) throws -> Command.Outcome {
        try command.run(line: line)
    }

    @Test(
        "the lists of every stored row are fetched; the plan counts them, and a recent list is not requested")
    func children() throws {
        #expect(try run("sync repos Marlow-Quern --quiet").status == 0)
        let plan = try run("sync commits --plan --format csv")
        #expect(plan.output.contains("\n23,,0,0,"), "\(plan.output)")
        let first = try run("sync commits --max-requests 10")
        #expect(
            first.status == 0 && first.errors.contains("10 requests, 0 unchanged: stopped at"),
            "\(first.errors)")
        let rest = try run("sync commits")
        #expect(
            rest.status == 0 && rest.errors.contains(" new), 13 requests, 0 unchanged: complete"),
            "\(rest.errors)")
        let again = try run("sync commits --max-age 1h")
        #expect(again.errors.contains("0 rows, 0 requests, 0 unchanged: complete"), "\(again.errors)")
    }

    @Test("a sync that starts over and stops says to resume without the flag, which would start over again")
    func restarted() throws {
        #expect(try run("sync users --quiet").status == 0)
        let stopped = try run("sync users --restart --max-requests 1").errors
        #expect(
            stopped.hasSuffix(
                "stopped at --max-requests; run the same command without --restart to resume\n"),
            "\(stopped)")
    }

    @Test("a stored list in order that was cut off says so")
    func cutOff() throws {
        #expect(try run("sync users --max-requests 1 --quiet").status == 0)
        let shown = try run("list users -n 1000 --offline")
        #expect(shown.errors.hasSuffix("(offline), the rest was not fetched\n"), "\(shown.errors)")
    }

    @Test("without a resource, everything that needs no argument is fetched")
    func everything() throws {
        #expect(try run("sync repos Marlow-Quern --quiet").status == 0)
        let outcome = try run("sync")
        #expect(
            outcome.status == 0 && outcome.errors.hasSuffix(": complete except for what was skipped\n"),
            "\(outcome.errors)")
        // The recording does not contain the issues of its repositories.
        let lines = outcome.errors.split(separator: "\n").filter { $0.contains("recording") }
        #expect(lines.count == 1, "\(outcome.errors)")
        let line = try #require(lines.first)
        #expect(line.contains("skipped: issues of Marlow-Quern/") && line.utf8.count <= 120, "\(line)")
        #expect(try run("list commits Marlow-Quern/beacon --offline").status == 0)
    }

    @Test(
        "syncs that are impossible are refused with a reason",
        arguments: [
            (
                "sync commits", 4,
                "no repositories are stored, so no commits can be fetched; fetch repositories first"
            ),
            (
                "sync --max-age 1x", 2,
                "\"1x\" is not an age; write a number with s, m, h or d, such as 5m, or forever"
            ),
            ("sync comits", 2, "there is no resource \"comits\" (did you mean \"commits\"?)"),
        ] as [(String, Int32, String)])
    func refused(_ line: String, _ status: Int32, _ message: String) throws {
        let outcome = try run(line)
        #expect(outcome.status == status && outcome.errors.contains(message), "\(outcome.errors)")
    }
}
