#if Live
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayPlugins
import PatchbayGateway
import PatchbayTestKit
import TestServer
import Testing

@Suite("GitHub over the network", .timeLimit(.minutes(5)))
struct GitHubSourceLiveTests {
    private let users = """
        [{"login": "ada", "id": 1, "type": "User", "site_admin": false},
         {"login": "grace", "id": 4, "type": "User", "site_admin": false}]
        """

    private func configuration(
        port: Int, _ flags: [String: String] = [:], in folder: TemporaryDirectory
    ) throws -> GatewayConfiguration {
        let values = [
            "source": "github", "source.base-url": "http://127.0.0.1:\(port)", "storage": "memory",
        ].merging(flags) { $1 }
        return try GatewayConfiguration(
            flags: values.map { .init($0.key, $0.value, name: "test") }, environment: ["HOME": folder.path])
    }

    @Test("a list comes from the server and is stored; closing the gateway closes the connection")
    func list() async throws {
        let folder = try TemporaryDirectory()
        let server = try await ScriptedServer(["/users?per_page=100": [.answer(users)]])
        let gateway = try await Gateway(configuration: configuration(port: server.port, in: folder))
        #expect(server.seen.connections == 0)
        let answer = try await gateway.list("users", limit: 20).ending
        #expect(answer.value?.items.map(\.handle) == ["ada", "grace"])
        let stored = try await gateway.list("users", limit: 20, policy: .localOnly).ending
        #expect(stored.value?.items == answer.value?.items)
        #expect(server.seen.requests.count == 1)
        try await gateway.close()
        try await server.wait { $0.openConnections == 0 }
    }

    @Test("two gateways in one process do not interfere")
    func two() async throws {
        let folder = try TemporaryDirectory()
        let server = try await ScriptedServer(["/users?per_page=100": [.answer(users)]])
        let gateways = [
            try await Gateway(configuration: configuration(port: server.port, in: folder)),
            try await Gateway(configuration: configuration(port: server.port, in: folder)),
        ]
        _ = try await gateways[0].list("users", limit: 20).ending
        try await gateways[0].close()
        let answer = try await gateways[1].list("users", limit: 20).ending
        #expect(answer.value?.items.count == 2)
        try await gateways[1].close()
    }

    @Test("an API below a path, as on a GitHub Enterprise Server, is requested there")
    func enterprise() async throws {
        let folder = try TemporaryDirectory()
        let server = try await ScriptedServer(["/api/v3/users?per_page=100": [.answer(users)]])
        let flags = ["source.base-url": "http://127.0.0.1:\(server.port)/api/v3/"]
        let gateway = try await Gateway(configuration: configuration(port: 0, flags, in: folder))
        #expect(try await gateway.list("users", limit: 20).ending.value?.items.count == 2)
        try await gateway.close()
    }

    @Test(
        "another host is neither requested nor are its answers stored, and the token is sent only to the server"
    )
    func token() async throws {
        let folder = try TemporaryDirectory()
        let other = try await ScriptedServer(["/users": [.answer(users)]])
        let moved = ["Location: http://localhost:\(other.port)/users"]
        let server = try await ScriptedServer([
            "/users?per_page=100": [.answer("{}", status: "302 Found", fields: moved)],
            "/users/eve": [.answer(#"{"message": "Bad credentials"}"#, status: "401 Unauthorized")],
        ])
        let flags = ["source.token": "command:echo t0ken"]
        let gateway = try await Gateway(configuration: configuration(port: server.port, flags, in: folder))
        let list = try await gateway.list("users", limit: 20).ending
        #expect(list.value?.items.isEmpty != false)
        guard case .failed(let redirect) = list.outcome else {
            Issue.record("no failure")
            return
        }
        #expect(redirect.code == .invalidResponse)
        #expect(redirect.message.contains("http://127.0.0.1:\(server.port) answered 302"))
        #expect(redirect.message.contains("http://localhost:\(other.port)/users"))
        #expect(server.seen.requests.first?.contains("t0ken") == true)
        #expect(other.seen.requests.isEmpty)
        guard case .failed(let error) = try await gateway.show("users", "eve").ending.outcome else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .unauthorized)
        #expect(!error.description.contains("t0ken"))
        try await gateway.close()
    }

    @Test("an unreachable server leaves stored rows unchanged, and the error names it")
    func unreachable() async throws {
        let folder = try TemporaryDirectory()
        let gateway = try await Gateway(configuration: configuration(port: 1, in: folder))
        let answer = try await gateway.list("users", limit: 20).ending
        guard case .failed(let error) = answer.outcome else {
            Issue.record("no failure")
            return
        }
        #expect(error.code == .offline && error.message.contains("127.0.0.1:1"))
        try await gateway.close()
    }

    @Test("offline, not even the network options are read")
    func offline() async throws {
        let folder = try TemporaryDirectory()
        let flags = ["networking.ca-file": "/none/ca.pem"]
        let configuration = try configuration(port: 1, flags, in: folder)
        let gateway = try await Gateway(configuration: configuration, isOffline: true)
        try await gateway.close()
        await #expect(throws: PatchbayError.self) { try await Gateway(configuration: configuration) }
    }

    @Test("an invalid base URL, and invalid options, are reported with their key")
    func wrong() async throws {
        let folder = try TemporaryDirectory()
        for (key, value) in [
            ("source.base-url", "api.github.com"), ("networking.timeout-seconds", "0"),
            ("source.token", "s3cret"), ("source.concurrency", "0"),
            ("networking.proxy", "ftp://x"), ("networking.proxy", "http://ada:s3cret@x"),
        ] {
            let error = await #expect(throws: PatchbayError.self) {
                try await Gateway(configuration: configuration(port: 1, [key: value], in: folder))
            }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.description.contains(key) == true)
            #expect(error?.description.contains("s3cret") == false)
        }
    }
}
#endif
