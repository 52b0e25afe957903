#if Live
import HTTPTypes
import NetworkingLive
import PatchbayCore
import TestServer
import Testing

@Suite("Connections", .timeLimit(.minutes(5)))
struct ConnectionTests {
    @Test("one connection serves consecutive requests")
    func reuse() async throws {
        let server = try await ScriptedServer(["/": [.answer("[]")]])
        let network = try LiveNetworking()
        for _ in 0..<5 { _ = try await network.get("/", port: server.port) }
        #expect(server.seen.connections == 1)
        #expect(server.seen.requests.count == 5)
        try await network.close()
    }

    @Test("connections to a host are limited, and all requests are answered")
    func bounded() async throws {
        let server = try await ScriptedServer(["/": [.answer("[]")]])
        var options = LiveOptions()
        options.connectionsMax = 2
        let network = try LiveNetworking(options)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 { group.addTask { _ = try await network.get("/", port: server.port) } }
            try await group.waitForAll()
        }
        #expect(server.seen.requests.count == 40)
        #expect(server.seen.openConnectionsMost <= 2)
        try await network.close()
    }

    @Test("a body that arrives byte by byte is ended at the deadline")
    func dripped() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"
        let error = await expectFailure(
            .offline, "within 1 s", [.text(head), .repeating([0x20], everyMicroseconds: 20_000)]
        ) { $0.timeoutSeconds = 1 }
        #expect(error?.isTimeout == true)
    }

    @Test("header fields that arrive byte by byte are ended at the deadline")
    func drippedHead() async throws {
        await expectFailure(
            .offline, "within 1 s",
            [.text("HTTP/1.1 200 OK\r\nX: "), .repeating([0x20], everyMicroseconds: 20_000)]
        ) { $0.timeoutSeconds = 1 }
    }

    @Test("a request to a silent server fails, before its answer or in the middle")
    func silent() async throws {
        let error = await expectFailure(.offline, "nothing for 1 s", []) { $0.idleTimeoutSeconds = 1 }
        #expect(error?.isTimeout == true)
        await expectFailure(
            .offline, "nothing for 1 s", [.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[")]
        ) { $0.idleTimeoutSeconds = 1 }
    }

    @Test("a cancelled task ends its request and closes its connection")
    func cancelled() async throws {
        for steps in [[], [.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n[")]] as [[ScriptedServer.Step]]
        {
            let server = try await ScriptedServer(["/": steps])
            let network = try LiveNetworking()
            let task = Task { try await network.get("/", port: server.port) }
            try await server.wait { $0.requests.count == 1 }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await server.wait { $0.openConnections == 0 }
            try await network.close()
        }
    }

    @Test("an unreachable host is reported with the reason")
    func unreachable() async throws {
        let network = try LiveNetworking()
        let refused = await #expect(throws: PatchbayError.self) { try await network.get("/", port: 1) }
        #expect(refused?.code == .offline)
        #expect(refused?.message == "\"127.0.0.1:1\" cannot be reached: connection refused")
        #expect(refused?.isUnreachable == true)
        try await network.close()
    }

    @Test("closing ends running requests, and later ones fail")
    func closed() async throws {
        let server = try await ScriptedServer(["/": []])
        let network = try LiveNetworking()
        let task = Task { try await network.get("/", port: server.port) }
        try await server.wait { $0.requests.count == 1 }
        try await network.close()
        let error = await #expect(throws: PatchbayError.self) { try await task.value }
        #expect(error?.message.contains("closed") == true)
        #expect(error?.code.isRetryable == false)
        let later = await #expect(throws: PatchbayError.self) {
            try await network.get("/", port: server.port)
        }
        #expect(later?.message.contains("closed") == true)
        try await server.wait { $0.openConnections == 0 }
        try await network.close()
    }

    @Test("two networks are independent, and closing one does not affect the other")
    func two() async throws {
        let server = try await ScriptedServer(["/": [.answer("[]")]])
        let networks = [try LiveNetworking(), try LiveNetworking()]
        for network in networks { _ = try await network.get("/", port: server.port) }
        try await networks[0].close()
        #expect(try await networks[1].get("/", port: server.port).text == "[]")
        try await networks[1].close()
    }

    @Test("a network that was not closed releases its connections")
    func forgotten() async throws {
        let server = try await ScriptedServer(["/": [.answer("[]")]])
        do {
            let network = try LiveNetworking()
            _ = try await network.get("/", port: server.port)
        }
        try await server.wait { $0.connections == 1 && $0.openConnections == 0 }
    }
}
#endif
