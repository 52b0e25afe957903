#if Live
import Foundation
import PatchbayJSON
import TestServer
import TestSupport
import Testing

/// Agents and clients of the real command, over a source on loopback.
@Suite("The command's agents and clients", .timeLimit(.minutes(5)), .mayBlock)
struct AgentCommandLiveTests {
    private static let token = "canary-token-of-agent-0123456789"

    private var command: Command

    init() throws { command = try Command() }

    private func call(_ tool: String, _ arguments: String) -> String {
        #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
            + "\n"
    }

    private func account(_ words: [String]) async throws -> (rows: [JSONValue], text: String) {
        let audit = try await command.finished(["audit", "--format", "json"] + words)
        return (try JSONValue(Array(audit.output.utf8)).elements, audit.output)
    }

    private func user(_ login: String) -> ScriptedServer.Step {
        .answer(#"{"login": "\#(login)", "id": \#(login.utf8.count), "type": "User", "site_admin": false}"#)
    }

    @Test("calls over standard input and output are in the account as the owner's, without a value")
    func account() async throws {
        let server = try await ScriptedServer(["/users/ada": [user("ada")]])
        let flags = ["--source", "github", "--set", "source.base-url=http://127.0.0.1:\(server.port)"]
        var agent = command
        for input in [
            call("refresh", #"{"resource":"users","row":"ada"}"#), call("rows", #"{"resource":"usres"}"#),
            #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"# + "\n", call("rows", #"{"resource":"users"}"#),
        ] {
            agent.input = input
            let outcome = try await agent.finished(["mcp"] + flags)
            #expect(outcome.status == 0 && outcome.output.split(separator: "\n").count == 1, "\(outcome)")
            #expect(outcome.errors.isEmpty, "\(outcome)")
        }
        let (rows, text) = try await account(flags)
        func amounts(_ operation: String, _ resource: String = "") -> JSONValue? {
            rows.first { $0["operation"]?.word == operation && $0["resource"]?.word == resource }
        }
        #expect(rows.count == 4 && rows.allSatisfy { $0["client"]?.word == "owner" }, "\(text)")
        #expect(amounts("mcp.refresh", "users")?["requests"]?.word == "1" && server.seen.requests.count == 1)
        #expect(amounts("mcp.rows")?["failures"]?.word == "1", "\(text)")
        #expect(amounts("mcp.rows", "users")?["rows"]?.word == "1", "\(text)")
        #expect(amounts("mcp")?["calls"]?.word == "1", "\(text)")
        #expect(!text.contains("ada") && !text.contains("usres"))
    }

    @Test("the definitions of the tools are the same for one API and for six, and small")
    func definitions() async throws {
        var agent = command
        agent.input = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"# + "\n"
        var lines: [String] = []
        for sources in ["github", "github slack gitlab npm pypi crates"] {
            try command.write("source = \(sources)\nstorage = memory\n", to: "patchbay.conf")
            let outcome = try await agent.finished(["mcp", "--config", "patchbay.conf"])
            #expect(outcome.status == 0 && outcome.output.contains(#""name":"refresh""#), "\(outcome)")
            lines.append(outcome.output)
        }
        #expect(lines[0] == lines[1])
        #expect(lines[1].utf8.count <= 8_000, "\(lines[1].utf8.count) bytes")
    }

    /// Starts a server and returns it with its port.
    private func served() throws -> (process: RunningProcess, port: Int) {
        let errors = Pipe()
        let process = try command.start(
            ["serve", "--config", "patchbay.conf"], output: FileHandle.nullDevice, errors: errors)
        var text = ""
        while true {
            let piece = errors.fileHandleForReading.availableData
            text += String(decoding: piece, as: UTF8.self)
            if let match = text.firstMatch(of: #/listening on 127\.0\.0\.1:(\d+)\n/#) {
                return (process, try #require(Int(match.1)))
            }
            if piece.isEmpty { throw CocoaError(.fileReadUnknown, userInfo: ["text": text]) }
        }
    }

    /// Sends a request of the client and returns the whole answer.
    private func get(_ path: String, _ port: Int) async throws -> String {
        let head = [
            "GET /-/resources/users/\(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close",
            "Patchbay-Token: \(Self.token)", "", "",
        ].joined(separator: "\\r\\n")
        let shell = Command(in: command.directory, program: "/bin/bash")
        let script = "exec 3<>/dev/tcp/127.0.0.1/\(port); printf '\(head)' >&3; cat <&3"
        return try await shell.finished("-c", script).output
    }

    @Test("a client's budget of requests counts those that a source receives, also after a restart")
    func budget() async throws {
        let logins = (1...5).map { String(repeating: "u", count: $0) }
        let users = Dictionary(uniqueKeysWithValues: logins.map { ("/users/\($0)", [user($0)]) })
        let source = try await ScriptedServer(users)
        let configuration = """
            source = github
            source.base-url = http://127.0.0.1:\(source.port)
            serve.listen = 127.0.0.1:0
            serve.client.agent.token = env:TOKEN
            serve.client.agent.requests = 3/day

            """
        try command.write(configuration, to: "patchbay.conf")
        var serving = self
        serving.command.environment["TOKEN"] = Self.token
        let (process, port) = try serving.served()
        defer { process.terminate() }
        for login in logins.prefix(3) {
            let answer = try await get("\(login)?policy=remote-first", port)
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains(login), "\(answer)")
        }
        let refused = try await get("\(logins[3])?policy=remote-first", port)
        #expect(refused.hasPrefix("HTTP/1.1 429 "), "\(refused)")
        #expect(refused.contains("has used up its requests (3/day)"), "\(refused)")
        let stored = try await get("\(logins[0])?policy=local-only", port)
        #expect(stored.hasPrefix("HTTP/1.1 200 "), "\(stored)")
        #expect(source.seen.requests.count == 3)
        process.terminate()
        await process.ended()
        let (rows, text) = try await serving.account(["--config", "patchbay.conf"])
        // Two lines if an hour has ended meanwhile.
        func sum(_ member: String) -> Int {
            rows.filter { $0["client"]?.word == "agent" }.compactMap { $0[member]?.word.flatMap { Int($0) } }
                .reduce(0, +)
        }
        #expect(sum("requests") == 3 && sum("calls") == 5, "\(text)")
        #expect(sum("failures") == 1 && !text.contains(Self.token), "\(text)")
        let (again, otherPort) = try serving.served()
        defer { again.terminate() }
        let later = try await get("\(logins[4])?policy=remote-first", otherPort)
        #expect(later.hasPrefix("HTTP/1.1 429 ") && source.seen.requests.count == 3, "\(later)")
    }
}
#endif
