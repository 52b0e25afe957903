#if Live
import Foundation
import Glibc
import PatchbayCore
import Synchronization
import TestServer
import TestSupport
import Testing

/// The output while a source is being queried, and when it does not answer.
@Suite("Stored rows come first", .mayBlock, .timeLimit(.minutes(5)))
struct LocalFirstCommandLiveTests {
    private let command: Command

    init() throws { command = try Command(environment: ["TERM": "xterm", "NO_COLOR": "1", "PAGER": ""]) }

    /// A server's answers to successive connections; it does not answer further ones.
    private func server(_ answers: [ScriptedServer.Step]...) async throws -> ScriptedServer {
        let left = Mutex(answers)
        return try await ScriptedServer { _ in
            let steps = left.withLock { $0.isEmpty ? [] : $0.removeFirst() }
            return steps.isEmpty ? [:] : ["/users?per_page=100": steps]
        }
    }

    private func users(_ logins: String...) -> ScriptedServer.Step { users(logins) }

    private func users(_ logins: [String]) -> ScriptedServer.Step {
        let users = logins.enumerated().map {
            #"{"login": "\#($1)", "id": \#($0 + 1), "type": "User", "site_admin": false}"#
        }
        return .answer("[\(users.joined(separator: ","))]")
    }

    private func list(_ server: ScriptedServer, _ more: String...) -> [String] {
        [
            "list", "users", "--storage", "sqlite", "--source", "github", "--set",
            "source.base-url=http://127.0.0.1:\(server.port)",
        ] + more
    }

    private func onTerminal(
        _ arguments: [String], _ body: @escaping @Sendable (PseudoTerminal) throws -> Void
    ) async throws {
        let command = command
        try await WorkThread("test").run { _ in try body(try PseudoTerminal(command, arguments)) }
    }

    @Test("on a terminal, stored rows appear while a silent server is queried, and Ctrl-C keeps them")
    func silent() async throws {
        let server = try await server([users("ada")])
        #expect(try await command.finished(list(server)).status == 0)
        try await onTerminal(list(server)) { terminal in
            try terminal.wait("the rows") { $0.output.contains("  ada    User") }
            try terminal.wait("the age") { $0.output.contains("querying 127.0.0.1:") }
            kill(terminal.process.processIdentifier, SIGINT)
            #expect(try terminal.ended() == -SIGINT)
            #expect(terminal.output.contains("; interrupted before 127.0.0.1:"))
            #expect(terminal.output.components(separatedBy: "ada").count == 2)
        }
    }

    @Test("an interactive search shows stored rows while a silent server is queried")
    func typed() async throws {
        let server = try await server([users("ada", "bob")])
        #expect(try await command.finished(list(server)).status == 0)
        let search = ["search", "users", "--interactive", "--debounce", "0"]
        try await onTerminal(search + list(server).dropFirst(2)) { terminal in
            try terminal.wait("the prompt") { $0.output.contains("search: ") }
            terminal.type("ad")
            try terminal.wait("the row") { $0.output.contains("\"ad\":") && $0.output.contains("ada") }
            #expect(terminal.output.components(separatedBy: "LOGIN").count == 2, "\(terminal.output)")
            #expect(!terminal.output.contains("bob"))
            terminal.type("\u{04}")
            let status = try terminal.ended()
            #expect(status == 0)
        }
    }

    @Test("changed rows replace the shown ones; unchanged rows are only confirmed")
    func replaced() async throws {
        let server = try await server([users("ada")], [users("ada")], [users("bob", "eve")])
        #expect(try await command.finished(list(server)).status == 0)
        try await onTerminal(list(server)) { terminal in
            let status = try terminal.ended()
            #expect(status == 0)
            #expect(terminal.output.components(separatedBy: "LOGIN").count == 2)
            #expect(terminal.output.contains("1 user, fresh from 127.0.0.1:"))
        }
        try await onTerminal(list(server)) { terminal in
            let status = try terminal.ended()
            #expect(status == 0)
            #expect(terminal.output.contains("\r\u{1B}[2A\u{1B}[JID  LOGIN"), "\(terminal.output)")
            #expect(terminal.output.contains("2 users, fresh from 127.0.0.1:"))
        }
    }

    @Test("rows that do not fit on the screen are followed by the newer ones")
    func tall() async throws {
        let many = (1...30).map { "user\($0)" }
        let server = try await server([users(many)], [users(["new"] + many.dropFirst())])
        #expect(try await command.finished(list(server, "--limit", "30")).status == 0)
        try await onTerminal(list(server, "--limit", "30")) { terminal in
            let status = try terminal.ended()
            #expect(status == 0)
            #expect(terminal.output.contains("the source returned something else:\r\nID  LOGIN"))
            #expect(!terminal.output.contains("\u{1B}[J"))
        }
    }

    @Test("where redrawing is impossible the newer rows follow, without control characters")
    func dumb() async throws {
        let server = try await server([users("ada")], [users("bob", "eve")])
        #expect(try await command.finished(list(server)).status == 0)
        var small = command
        small.environment["TERM"] = "dumb"
        let arguments = list(server)
        try await WorkThread("test").run { [small] _ in
            let terminal = try PseudoTerminal(small, arguments)
            let status = try terminal.ended()
            #expect(status == 0)
            #expect(terminal.output.contains("the source returned something else:\r\nID  LOGIN"))
            #expect(!terminal.output.contains("\u{1B}"))
        }
    }

    @Test("in a pipe, a wait is reported after a second, and Ctrl-C prints the stored rows with their age")
    func interrupted() async throws {
        let server = try await server([users("ada")])
        #expect(try await command.finished(list(server)).status == 0)
        let arguments = list(server, "--format", "json"), command = command
        try await WorkThread("test").run { _ in
            let output = Pipe(), errors = Pipe()
            let process = try command.start(
                arguments, output: output.fileHandleForWriting, errors: errors.fileHandleForWriting)
            try output.fileHandleForWriting.close()
            try errors.fileHandleForWriting.close()
            let said = String(decoding: errors.fileHandleForReading.availableData, as: UTF8.self)
            #expect(said.hasPrefix("waiting for 127.0.0.1:"), "\(said)")
            #expect(said.hasSuffix(" for 1 s; Ctrl-C shows stored data\n"), "\(said)")
            kill(process.processIdentifier, SIGINT)
            let printed = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let rest = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationReason == .uncaughtSignal && process.terminationStatus == SIGINT)
            #expect(printed.contains(#""login": "ada""#) && printed.contains(#""state": "stored""#))
            #expect(rest.hasPrefix("1 user, stored ") && rest.contains("interrupted before 127.0.0.1:"))
        }
    }

    @Test("Ctrl-C during a long list requests no further page", arguments: 0..<3)
    func interruptedList(_ round: Int) async throws {
        let command = command
        try await WorkThread("test").run { _ in
            let output = Pipe()
            let words = "list users --limit 100000 --storage memory --source synthetic"
            let settings = ["source.users=2000", "source.delay-milliseconds=200"].flatMap { ["--set", $0] }
            let process = try command.start(
                words.split(separator: " ").map(String.init) + settings, output: output.fileHandleForWriting,
                errors: FileHandle.nullDevice)
            try output.fileHandleForWriting.close()
            var printed = output.fileHandleForReading.availableData
            kill(process.processIdentifier, SIGINT)
            printed += output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            #expect(process.terminationStatus == SIGINT)
            let lines = printed.count { $0 == UInt8(ascii: "\n") }
            #expect((1..<1_500).contains(lines), "\(lines) of about 1,900")
        }
    }

    @Test("a deadline ends the wait; with --strict, unconfirmed rows have their own status")
    func deadline() async throws {
        let server = try await server([users("ada")])
        let soon = ["--set", "source.deadline-seconds=1"]
        #expect(try await command.finished(list(server)).status == 0)
        let lenient = try await command.finished(list(server) + soon + ["--quiet", "--format", "json"])
        #expect(lenient.status == 0, "\(lenient)")
        #expect(lenient.errors.hasPrefix("1 user, stored ") && lenient.errors.contains("within 1 s"))
        for member in [#""state": "failed""#, #""error": "offline""#, #""complete": true"#] {
            #expect(lenient.output.contains(member), "\(lenient.output)")
        }
        let strict = try await command.finished(list(server) + soon + ["--strict"])
        #expect(strict.status == 19 && strict.output.contains("ada"), "\(strict)")
        let offline = try await command.finished(list(server) + ["--offline", "--strict", "--quiet"])
        #expect(offline.status == 0 && offline.errors.isEmpty, "\(offline)")
        let missing = try await command.finished(
            ["show", "users", "eve"] + list(server).dropFirst(2) + soon + ["--strict"])
        #expect(missing.status == 11 && missing.output.isEmpty, "\(missing)")
    }

    @Test("an interrupted list is incomplete, has no hint to continue, and a status with --strict")
    func brokenOff() async throws {
        let repository =
            #"{"id": 1, "name": "r", "full_name": "ada/r", "private": false, "fork": false, "#
            + #""owner": {"id": 7, "login": "ada", "type": "User"}, "topics": []}"#
        let server = try await ScriptedServer { port in
            [
                "/users/ada/repos?per_page=100": [
                    .answer(
                        "[\(repository)]",
                        fields: ["Link: <http://127.0.0.1:\(port)/user/7/repos?page=2>; rel=\"next\""])
                ],
                "/user/7/repos?page=2": [.answer("{}", status: "404 Not Found")],
            ]
        }
        let arguments = ["list", "repos", "ada"] + list(server, "--format", "json", "--strict").dropFirst(2)
        let outcome = try await command.finished(arguments)
        #expect(outcome.status == 19, "\(outcome)")
        #expect(outcome.output.contains(#""complete": false"#) && outcome.output.contains(#""full_name""#))
        #expect(!outcome.errors.contains("there are more"), "\(outcome.errors)")
    }

    @Test("details that the source refuses now are shown as older ones")
    func refused() async throws {
        let left = Mutex<[ScriptedServer.Step]>([
            .answer(#"{"login": "ada", "id": 1, "type": "User", "site_admin": false}"#),
            .answer(#"{"message": "Resource not accessible by integration"}"#, status: "403 Forbidden"),
        ])
        // One answer for each connection.
        let server = try await ScriptedServer { _ in
            ["/users/ada": left.withLock { $0.isEmpty ? [] : [$0.removeFirst()] }]
        }
        let show = ["show", "users", "ada"] + list(server).dropFirst(2)
        let fetched = try await command.finished(show)
        #expect(fetched.status == 0 && !fetched.errors.contains("forbidden"), "\(fetched)")
        _ = try await command.finished(show + ["--refresh"])
        let offline = try await command.finished(show + ["--offline"])
        #expect(offline.errors.contains("forbidden since 2"), "\(offline)")
        let json = try await command.finished(show + ["--offline", "--format", "json"])
        #expect(json.output.contains(#""reason": "forbidden since 2"#), "\(json)")
    }

    @Test("a search that the source cannot do now is not reported as a lost connection")
    func unavailable() async throws {
        let server = try await ScriptedServer([
            "/search/users?q=ada&per_page=100": [.answer("{}", status: "502 Bad Gateway")]
        ])
        let arguments =
            ["search", "users", "ada", "--set", "source.deadline-seconds=1"] + list(server).dropFirst(2)
        let outcome = try await command.finished(arguments)
        #expect(outcome.status == 11, "\(outcome)")
        // On a busy machine, a line about the wait comes first.
        #expect(outcome.errors.contains("The source cannot search now. Please try again later.\n"))
    }

    @Test("a long wait for a rate limit is reported in one line")
    func rateLimit() async throws {
        // Waits under 5 s are not reported where the line cannot be erased. The server refuses every attempt.
        let server = try await ScriptedServer([
            "/users?per_page=100": [
                .answer("{}", status: "429 Too Many Requests", fields: ["Retry-After: 6"])
            ]
        ])
        let arguments = ["sync", "users"] + list(server).dropFirst(2)
        let outcome = try await command.finished(arguments)
        #expect(outcome.status == 12, "\(outcome)")
        #expect(
            outcome.errors.contains(/waiting \d s for the rate limit of 127\.0\.0\.1:\d+; Ctrl-C stops/),
            "\(outcome.errors)")
    }
}
#endif
