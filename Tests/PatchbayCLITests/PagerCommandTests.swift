import Foundation
import Glibc
import TestSupport
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

/// Tests of output that is longer than the screen.
@Suite("A pager", .mayBlock, .timeLimit(.minutes(5)))
struct PagerCommandTests {
    private let command: Command

    init() throws {
        command = try Command(environment: ["TERM": "xterm"])
        let stored = try command.run(
            "list", "users", "-n", "3000", "--source", "synthetic", "--set", "source.users=3000", "-q")
        #expect(stored.status == 0 && stored.errors.isEmpty, "\(stored)")
    }

    private func list(_ more: String...) -> [String] {
        ["list", "users", "--source", "synthetic", "--offline"] + more
    }

    /// Runs the command on a terminal of 24 rows and returns its status, its terminal output and the pager's input.
    private func run(
        _ arguments: [String], _ variables: [String: String], signal: Int32? = nil
    ) async throws -> (status: Int32, shown: String, paged: String?) {
        var command = command
        command.environment.merge(variables) { $1 }
        let chosen = command, path = command.directory
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let terminal = try PseudoTerminal(chosen, arguments)
                        if let signal {
                            try terminal.wait("the pager") { _ in
                                FileManager.default.fileExists(atPath: path + "/paged")
                            }
                            kill(terminal.process.processIdentifier, signal)
                        }
                        let status = try terminal.ended()
                        // Without a file, no pager was started.
                        let paged = try? String(contentsOfFile: path + "/paged", encoding: .utf8)
                        return (status, terminal.output, paged)
                    })
            }
        }
    }

    /// Another program instead of a pager.
    private func script(_ text: String) throws -> String {
        let path = command.directory + "/pager"
        try Data("#!/bin/sh\n\(text)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        return path
    }

    @Test("gets all rows if they are longer than the screen; the summary is printed after it")
    func long() async throws {
        let pager = try script("cat > paged")
        for limit in [30, 2_500] {
            let outcome = try await run(list("-n", "\(limit)"), ["PAGER": "less", "PATCHBAY_PAGER": pager])
            #expect(outcome.status == 0)
            let lines = try #require(outcome.paged).split(separator: "\n")
            #expect(lines.count == limit + 1 && lines[0].hasPrefix("\u{1B}[1m"), "\(lines[0])")
            #expect(outcome.shown.hasPrefix("\(limit) users, "), "\(outcome.shown)")
        }
        let table = try await run(list("-n", "30", "--color", "never"), ["PATCHBAY_PAGER": pager])
        #expect(table.paged?.contains("\u{1B}") == false)
        let json = try await run(list("-n", "30", "--json", "id", "-q"), ["PATCHBAY_PAGER": pager])
        #expect(
            json.paged?.hasPrefix("{") == true && json.paged?.hasSuffix("}\n") == true && json.shown.isEmpty)
    }

    @Test("is not started if the rows fit or if it is turned off")
    func none() async throws {
        let pager = try script("cat > paged")
        for (words, variables) in [
            (list("-n", "5"), ["PAGER": pager]), (list("-n", "30", "--no-pager"), ["PAGER": pager]),
            (list("-n", "30"), ["PAGER": ""]), (list("-n", "30"), ["PAGER": "cat"]),
            (list("-n", "30"), ["PAGER": pager, "PATCHBAY_PAGER": ""]),
        ] {
            let outcome = try await run(words, variables)
            #expect(outcome.status == 0 && outcome.paged == nil)
            #expect(outcome.shown.contains("LOGIN") && outcome.shown.contains(" users, "), "\(outcome.shown)")
        }
        let piped = try command.run(list("-n", "30"))
        #expect(piped.status == 0 && piped.output.split(separator: "\n").count == 31)
    }

    @Test("can be quit early, which is silent and a success")
    func left() async throws {
        let pager = try script("head -n 3 > paged")
        let outcome = try await run(list("-n", "200000"), ["PAGER": pager])
        #expect(outcome.status == 0 && outcome.paged?.split(separator: "\n").count == 3)
        #expect(!outcome.shown.contains("patchbay:") && !outcome.shown.contains("pipe"), "\(outcome.shown)")
    }

    @Test("takes Ctrl-C as one of its keys")
    func interrupted() async throws {
        let pager = try script("head -n 1 > paged; sleep 1; cat > /dev/null; echo bye")
        let outcome = try await run(list("-n", "200000"), ["PAGER": pager], signal: SIGINT)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.shown.contains("bye") && !outcome.shown.contains("patchbay:"), "\(outcome.shown)")
    }

    @Test("that cannot be started is reported, and the rows are printed without it")
    func missing() async throws {
        let outcome = try await run(list("-n", "30"), ["PAGER": "no-such-pager -x"])
        #expect(outcome.status == 0 && outcome.shown.contains("LOGIN"))
        #expect(
            outcome.shown.contains(
                "the pager \"no-such-pager -x\" (PAGER) cannot be started: no-such-pager was not found"),
            "\(outcome.shown)")
    }

    @Test("is chosen by the environment")
    func choice() {
        #expect(PagerChoice(environment: [:])?.words == ["less", "-FRX"])
        #expect(PagerChoice(environment: ["PAGER": "more -s"])?.words == ["more", "-s"])
        #expect(PagerChoice(environment: ["PAGER": "more", "PATCHBAY_PAGER": "less"])?.words == ["less"])
        #expect(PagerChoice(environment: ["PAGER": "less"])?.environment["LESS"] == "FRX")
        #expect(PagerChoice(environment: ["PAGER": "less", "LESS": "i"])?.environment["LESS"] == "i")
        for variables in [["PAGER": ""], ["PAGER": " cat "], ["PAGER": "less", "PATCHBAY_PAGER": "cat"]] {
            #expect(PagerChoice(environment: variables) == nil)
        }
    }
}
