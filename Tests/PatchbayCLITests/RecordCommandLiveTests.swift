#if Live
import Foundation
import PatchbayTestKit
import TestServer
import TestSupport
import Testing

/// The real command, recording a real server in this process.
@Suite("patchbay record", .mayBlock, .timeLimit(.minutes(5)))
struct RecordCommandLiveTests {
    private let command: Command
    private var file: String { command.directory + "/made.har" }

    init() throws { command = try Command() }

    /// A list with one user per page; the page after `pages` never arrives.
    private func server(pages: Int, isEndless: Bool = false) async throws -> ScriptedServer {
        try await ScriptedServer { port in
            var answers: [String: [ScriptedServer.Step]] = [:]
            for page in 0..<pages {
                let link = "Link: <http://127.0.0.1:\(port)/users?since=\(page + 1)>; rel=\"next\""
                let user = #"[{"login": "user\#(page)", "id": \#(page + 1), "type": "User"}]"#
                let isLast = page == pages - 1 && !isEndless
                answers[page == 0 ? "/users?per_page=100" : "/users?since=\(page)"] = [
                    .answer(user, fields: isLast ? [] : [link])
                ]
            }
            return answers
        }
    }

    private func list(_ server: ScriptedServer, limit: Int = 1_000) -> [String] {
        [
            "list", "users", "--limit", "\(limit)", "--storage", "memory", "--format", "jsonl",
            "--source", "github", "--set", "source.base-url=http://127.0.0.1:\(server.port)",
            // On a busy machine, forty pages or the time until a test kills the command take longer than usual.
            "--set", "source.deadline-seconds=3600",
        ]
    }

    /// Returns the output of the command when it replays the file.
    private func replay(of server: ScriptedServer, limit: Int = 1_000) async throws -> Command.Outcome {
        try await run([
            "list", "users", "--limit", "\(limit)", "--storage", "memory", "--format", "jsonl", "--source",
            "recorded", "--set", "source.path=made.har", "--set", "source.definition=github", "--set",
            "source.base-url=http://127.0.0.1:\(server.port)",
        ])
    }

    /// Waits for the command on a separate thread.
    private func run(_ arguments: [String]) async throws -> Command.Outcome {
        let command = command
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try command.run(arguments) }) }
        }
    }

    @Test("the output is that of the recorded command, and the same when replayed")
    func record() async throws {
        let server = try await server(pages: 3)
        let alone = try await run(list(server))
        let recorded = try await run(["record", "made.har", "--"] + list(server))
        #expect(recorded.status == 0)
        #expect(recorded.output == alone.output)
        #expect(recorded.errors.hasSuffix("3 exchanges written to \"made.har\"\n"))
        #expect(try await replay(of: server).output == alone.output)
        #expect(server.seen.requests.count == 6)
        #expect(try FileManager.default.contentsOfDirectory(atPath: command.directory) == ["made.har"])
    }

    @Test("--missing requests only what the file lacks")
    func missing() async throws {
        let server = try await server(pages: 4)
        _ = try await run(["record", "made.har", "--"] + list(server, limit: 2))
        let added = try await run(["record", "--missing", "made.har", "--"] + list(server))
        #expect(added.errors.hasSuffix("2 exchanges written to \"made.har\"\n"))
        #expect(server.seen.requests.count == 4)
        #expect(try await replay(of: server).output == added.output)
    }

    @Test("the status of the command is kept")
    func status() async throws {
        let server = try await ScriptedServer([
            "/users/nobody": [.answer(#"{"message": "Not Found"}"#, status: "404 Not Found")]
        ])
        let arguments = ["show", "users", "nobody"] + list(server).dropFirst(4)
        let outcome = try await run(["record", "made.har", "--"] + arguments)
        #expect(outcome.status == 4)
        #expect(outcome.errors.hasSuffix("1 exchange written to \"made.har\"\n"))
        #expect(try await run(["record", "made.har", "--", "users", "lost"]).status == 2)
    }

    @Test("commands that cannot be recorded are refused with one line")
    func refused() async throws {
        try command.write("text", to: "text.txt")
        let server = try await server(pages: 1)
        for (arguments, status, words) in [
            (["record", "made.har"], 2, "after --"),
            (["record", "made.har", "--", "record", "x", "--", "list", "users"], 2, "cannot record itself"),
            (["record", "made.har", "--", "list", "users"], 3, "uses no network"),
            (["record", "text.txt", "--"] + list(server), 3, "text.txt"),
            (["record", ".", "--"] + list(server), 3, "is a folder"),
            (["record", "none/x.har", "--"] + list(server), 3, "none/x.har"),
        ] {
            let outcome = try await run(arguments)
            #expect(outcome.status == status, "\(arguments): \(outcome.errors)")
            let lines = outcome.errors.split(separator: "\n")
            #expect(lines.first?.contains(words) == true, "\(arguments): \(outcome.errors)")
            #expect(outcome.output.isEmpty)
        }
        #expect(server.seen.connections == 0)
        #expect(try command.text(of: "text.txt") == "text")
    }

    @Test(
        "after a kill or an interruption at any moment, the file is complete and contains all earlier answers",
        arguments: [SIGKILL, SIGINT])
    func killed(_ signal: Int32) async throws {
        for count in [1, 2, 3, 10, 40] {
            try? FileManager.default.removeItem(atPath: file)
            let server = try await server(pages: count, isEndless: true)
            let process = try command.start(
                ["record", "made.har", "--"] + list(server), output: FileHandle.nullDevice,
                errors: FileHandle.nullDevice)
            // The last page is requested and never arrives; earlier answers were written before that request was sent.
            try await server.wait { $0.requests.count > count }
            kill(process.processIdentifier, signal)
            await process.ended()
            #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == signal)
            let shown = try await run(["recording", "show", "made.har", "--format", "jsonl"])
            #expect(shown.status == 0, "\(shown.errors)")
            #expect(shown.output.contains("\"exchanges\":\(count),"))
            #expect(try await replay(of: server, limit: count).output.contains("\"user\(count - 1)\""))
            let added = try await run(["record", "--missing", "made.har", "--"] + list(server, limit: count))
            #expect(added.status == 0, "\(added.errors)")
        }
    }

    @Test("after a kill between two writes, the file is complete")
    func killedWhileWriting() async throws {
        for count in stride(from: 5, through: 60, by: 11) {
            try? FileManager.default.removeItem(atPath: file)
            let server = try await server(pages: 100)
            let process = try command.start(
                ["record", "made.har", "--"] + list(server), output: FileHandle.nullDevice,
                errors: FileHandle.nullDevice)
            try await server.wait { $0.requests.count >= count }
            kill(process.processIdentifier, SIGKILL)
            await process.ended()
            let checked = try await run(["recording", "check", "made.har", "--format", "jsonl"])
            #expect(checked.status == 0 || checked.status == 4, "\(checked.errors)")
        }
    }

    @Test("a recording that cannot be written is an error, even if stored rows are listed", .needsMounting)
    func fullDisk() async throws {
        let server = try await server(pages: 1), disk = command.directory + "/full"
        let list = list(server).map { $0 == "memory" ? "sqlite" : $0 }
        let rows = try await run(list)
        #expect(rows.status == 0, "\(rows.errors)")
        try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
        let mount = "mount -t tmpfs -o size=4k tmpfs '\(disk)' && echo done"
        #expect(try Shell.output(of: mount).contains("done"))
        defer { _ = try? Shell.output(of: "umount '\(disk)'") }
        _ = try Shell.output(of: "head -c 9000 /dev/zero > '\(disk)/other' 2>&1")
        let recorded = try await run(["record", "full/made.har", "--"] + list + ["--refresh"])
        #expect(recorded.status == 6, "\(recorded.errors)")
        #expect(recorded.output == rows.output)
        #expect(recorded.errors.contains("full/made.har"))
        #expect(!recorded.errors.contains("exchange"), "\(recorded.errors)")
    }
}
#endif
