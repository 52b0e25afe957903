#if Live
import Foundation
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayPlugins
import PatchbayGateway
import PatchbayTestKit
import TestServer
import Testing

@Suite("Recording GitHub's answers", .timeLimit(.minutes(5)))
struct RecordingLiveTests {
    private let folder: TemporaryDirectory
    private var file: String { folder.path + "/made.har" }

    init() throws { folder = try TemporaryDirectory() }

    private static let first = #"[{"login": "ada", "id": 1, "type": "User", "site_admin": false}]"#
    private static let second = #"[{"login": "grace", "id": 4, "type": "User", "site_admin": false}]"#

    /// Two pages, the second at the address named by the first.
    private func server(next: String = "since=1") async throws -> ScriptedServer {
        try await ScriptedServer { port in
            let link = "Link: <http://127.0.0.1:\(port)/users?\(next)>; rel=\"next\""
            return [
                "/users?per_page=100": [.answer(Self.first, fields: [link, "ETag: \"one\""])],
                "/users?\(next)": [.answer(Self.second)],
            ]
        }
    }

    private func gateway(_ flags: [String: String]) async throws -> Gateway {
        let values = ["storage": "memory"].merging(flags) { $1 }
        return try await Gateway(
            configuration: GatewayConfiguration(
                flags: values.map { .init($0.key, $0.value, name: "test") },
                environment: ["HOME": folder.path]))
    }

    private func recording(_ server: ScriptedServer, _ flags: [String: String] = [:]) async throws -> Gateway
    {
        let values = [
            "source": "github", "source.base-url": "http://127.0.0.1:\(server.port)", "source.record": file,
        ]
        return try await gateway(values.merging(flags) { $1 })
    }

    private func replay(of server: ScriptedServer) async throws -> Gateway {
        try await gateway([
            "source": "recorded", "source.path": file, "source.definition": "github",
            "source.base-url": "http://127.0.0.1:\(server.port)",
        ])
    }

    private func logins(_ gateway: Gateway, policy: Policy = .localFirst) async throws -> [String] {
        let answer = try await gateway.list("users", limit: 20, policy: policy).ending
        if case .failed(let error) = answer.outcome { throw error }
        try await gateway.close()
        return answer.value?.items.map(\.handle) ?? []
    }

    @Test("a recorded answer is the same without the server, and the tally counts it")
    func recordAndReplay() async throws {
        let server = try await server()
        let tally = RecordingTally()
        let logins = try await RecordingTally.$current.withValue(tally) {
            try await self.logins(try await recording(server))
        }
        #expect(logins == ["ada", "grace"])
        #expect(tally.exchanges == 2)
        #expect(try await self.logins(try await replay(of: server)) == logins)
        #expect(server.seen.requests.count == 2)
    }

    @Test("an answer is recorded in full, even when a stored one could have been confirmed")
    func unconditional() async throws {
        let server = try await server()
        let gateway = try await recording(server)
        _ = try await gateway.list("users", limit: 20).ending
        _ = try await gateway.list("users", limit: 20).ending
        try await gateway.close()
        #expect(server.seen.requests.count == 4)
        #expect(!server.seen.requests.contains { $0.lowercased().contains("if-none-match") })
    }

    @Test("record-missing requests what the file lacks and keeps the rest; record starts over")
    func missing() async throws {
        let server = try await server()
        let first = try await recording(server)
        _ = try await first.list("users", limit: 1).ending
        try await first.close()
        #expect(try RecordingSummary(of: file).counts.exchanges == 1)

        let added = try await logins(try await recording(server, ["source.record-mode": "record-missing"]))
        #expect(added == ["ada", "grace"])
        #expect(server.seen.requests.count == 2)
        #expect(try RecordingSummary(of: file).counts.exchanges == 2)

        let again = try await recording(server)
        _ = try await again.list("users", limit: 1).ending
        try await again.close()
        #expect(server.seen.requests.count == 3)
        #expect(try RecordingSummary(of: file).counts.exchanges == 1)
    }

    @Test("no secret in a header, query or body is in the file, and the replay still matches")
    func secrets() async throws {
        let tail = "0123456789abcdefghijABCDEFGHIJ012345"
        let secrets = [
            "ghp_\(tail)", "gho_\(tail)", "ghu_\(tail)", "ghs_\(tail)", "ghr_\(tail)", "github_pat_\(tail)",
            "xoxb-\(tail)", "b3ar3r\(tail)", "bas1c\(tail)", "c00kie\(tail)", "qu3ry\(tail)",
            "t0ken-in-use-\(tail)",
        ]
        let bio = (secrets[...6] + ["Bearer \(secrets[7])", "Basic \(secrets[8])", secrets[11]]).joined(
            separator: " ")
        let next = "since=1&access_token=\(secrets[10])&q=\(secrets[0])"
        let server = try await ScriptedServer { port in
            let fields = [
                "Link: <http://127.0.0.1:\(port)/users?\(next)>; rel=\"next\"",
                "Set-Cookie: session=\(secrets[9])", "X-Echo: token \(secrets[11])",
            ]
            return [
                "/users?per_page=100": [.answer(Self.first, fields: fields)],
                "/users?\(next)": [
                    .answer(#"[{"login": "grace", "id": 4, "type": "User", "avatar_url": "\#(bio)"}]"#)
                ],
            ]
        }
        let flags = ["source.token": "command:echo \(secrets[11])"]
        #expect(try await logins(try await recording(server, flags)) == ["ada", "grace"])
        #expect(server.seen.requests.allSatisfy { $0.contains(secrets[11]) })
        #expect(server.seen.requests.contains { $0.contains(secrets[10]) && $0.contains(secrets[0]) })
        let text = try String(contentsOfFile: file, encoding: .utf8)
        for secret in secrets { #expect(!text.contains(secret), "\(secret)") }
        #expect(!text.contains(tail))
        #expect(try RecordingCheck(of: file).counts[.secret] == nil)
        #expect(try await logins(try await replay(of: server)) == ["ada", "grace"])
    }

    @Test("a file that is not a HAR file, is a folder or cannot be created is refused before any request")
    func refused() async throws {
        let server = try await server()
        let files = [
            ("text.txt", "no HAR"), ("empty.har", ""), ("cut.har", #"{"log": {"entries": [{"#),
            ("other.json", #"{"users": []}"#),
        ]
        for (name, text) in files {
            try folder.write(text, to: name)
        }
        for mode in RecordMode.allCases {
            for path in files.map(\.0) + ["", "none/x.har", "text.txt/x.har"] {
                let flags = ["source.record": "\(folder.path)/\(path)", "source.record-mode": mode.rawValue]
                let error = await #expect(throws: PatchbayError.self) {
                    try await recording(server, flags)
                }
                #expect(error?.code == .invalidConfiguration, "\(path)")
                #expect(error?.description.contains("source.record") == true, "\(path)")
            }
        }
        for (name, text) in files {
            #expect(try String(contentsOfFile: "\(folder.path)/\(name)", encoding: .utf8) == text)
        }
        #expect(server.seen.connections == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == files.count)
    }

    @Test("the error for a recording of another server names the recorded servers")
    func otherServer() async throws {
        let server = try await server()
        _ = try await logins(try await recording(server))
        let flags = ["source": "recorded", "source.path": file]
        for more in [[:], ["source.base-url": "https://ghe.example.org/api/v3"]] {
            let error = await #expect(throws: PatchbayError.self) {
                try await gateway(flags.merging(more) { $1 })
            }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("127.0.0.1") == true)
        }
    }
}
#endif
