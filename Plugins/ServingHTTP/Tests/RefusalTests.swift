#if Live
import PatchbayCore
import PatchbayTestKit
import Testing

@Suite("Refused requests (Live)", .timeLimit(.minutes(5)))
struct RefusalTests {
    /// The text that an attacker wants to be treated as a second request.
    private static let smuggled = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test(
        "a request with ambiguous framing is refused, and its connection closed",
        arguments: [
            ["Content-Length: 6", "Transfer-Encoding: chunked"], ["Content-Length: 5", "Content-Length: 0"],
            ["Content-Length: 5", "Content-Length: 5"], ["Content-Length: +5"], ["Content-Length: -1"],
            ["Content-Length: 0x5"], ["Content-Length: 5,6"], ["Content-Length: 5 5"], ["Content-Length: "],
            ["Content-Length: 99999999999999999999"], ["Transfer-Encoding: xchunked"],
            ["Transfer-Encoding: chunked, identity"], ["Transfer-Encoding: identity, chunked, chunked"],
            ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], ["Transfer-Encoding : chunked"],
            ["Transfer-Encoding: \u{0B}chunked"], ["Transfer-Encoding: gzip, chunked"],
            ["Host: evil.example"],
            ["X-A: a\u{0}b"], ["X-A: a\rb"], ["X A: b"], ["Expect: banana"],
        ])
    func ambiguous(_ lines: [String]) async throws {
        try await TestedServer.with { (server) async throws in
            let request = server.request("/x", lines, method: "POST") + "0\r\n\r\n" + Self.smuggled
            let answer = try await server.client().ask(request)
            #expect(answer.statuses.count == 1, "\(answer)")
            #expect(answer.statuses.allSatisfy { (400...417).contains($0) || $0 == 501 }, "\(answer)")
            #expect(!answer.contains("smuggled"))
        }
    }

    @Test(
        "requests that are not HTTP/1.x are refused",
        arguments: [
            "GET /\r\n\r\n", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\u{16}\u{3}\u{1}\u{2}\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "GET * HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET x HTTP/1.1\r\nHost: x\r\n\r\n", "GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET http://a@b/ HTTP/1.1\r\nHost: x\r\n\r\n", "GET /#x HTTP/1.1\r\nHost: x\r\n\r\n",
        ])
    func noHTTP(_ text: String) async throws {
        try await TestedServer.with { (server) async throws in
            let answer = try await server.client().ask(text)
            #expect(answer.statuses.first.map { $0 == 400 || $0 == 505 } ?? true, "\(answer)")
            #expect(answer.field("Content-Type") == nil || answer.contains("application/problem+json"))
        }
    }

    @Test("heads and bodies are limited")
    func sizes() async throws {
        var options = ServingOptions(listen: [.tcp(host: "127.0.0.1", port: 0)])
        options.bodyBytesMax = 1 << 20
        try await TestedServer.with(TestResponder(), options) { (server) async throws in
            let long = String(repeating: "a", count: 40_000)
            #expect(
                try await server.client().ask(server.request("/" + long.prefix(20_000))).statuses == [414])
            #expect(try await server.client().ask(server.request("/", ["X-Big: \(long)"])).statuses == [431])
            let many = (1...3_000).map { "X-\($0): 1" }
            #expect(try await server.client().ask(server.request("/", many)).statuses == [431])
            let announced = server.request("/", ["Content-Length: 1048577"], method: "POST")
            #expect(try await server.client().ask(announced).statuses == [413])
            let chunk = "40000\r\n" + String(repeating: "x", count: 0x40000) + "\r\n"
            let endless = server.request("/", ["Transfer-Encoding: chunked"], method: "POST")
            #expect(
                try await server.client().ask(endless + String(repeating: chunk, count: 5)).statuses == [413])
            let fits = server.request("/", ["Content-Length: 1048576", "Connection: close"], method: "POST")
            #expect(
                try await server.client().ask(fits + String(repeating: "x", count: 1 << 20)).statuses == [200]
            )
        }
    }

    @Test("a client that is slow within a request is refused")
    func slow() async throws {
        var options = ServingOptions(listen: [.tcp(host: "127.0.0.1", port: 0)])
        options.headSeconds = 1
        options.stallSeconds = 1
        try await TestedServer.with(TestResponder(), options) { (server) async throws in
            let slowHead = try server.client(), slowBody = try server.client()
            await slowHead.send("GET / HTTP/1.1\r\nX-A: ")
            await slowBody.send(server.request("/", ["Content-Length: 9"], method: "POST") + "abc")
            #expect(await slowHead.untilClosed().statuses == [408])
            #expect(await slowBody.untilClosed().statuses == [408])
        }
    }

    @Test("a connection without a request is closed without an answer")
    func idle() async throws {
        var options = ServingOptions(listen: [.tcp(host: "127.0.0.1", port: 0)])
        options.idleSeconds = 1
        try await TestedServer.with(TestResponder(), options) { (server) async throws in
            #expect(try await server.client().untilClosed().isEmpty)
        }
    }

    @Test("excess connections are refused until others end, and some places are kept for the owner's socket")
    func excess() async throws {
        try await TemporaryDirectory.with { folder in
            var options = ServingOptions(listen: [
                .tcp(host: "127.0.0.1", port: 0), .unix(path: folder.path + "/s"),
            ])
            // One client over TCP may have three quarters.
            options.connectionsMax = 3
            try await excess(options, socket: "unix:" + folder.path + "/s")
        }
    }

    private func excess(_ options: ServingOptions, socket: String) async throws {
        try await TestedServer.with(TestResponder(), options) { (server) async throws in
            let first = try server.client(), second = try server.client()
            for client in [first, second] {
                await client.send(server.request("/", []))
                #expect(await client.until("\r\n\r\n").statuses == [200])
            }
            #expect(try await server.client().untilClosed().statuses == [503])
            #expect(try await RawClient(socket).ask(server.request()).statuses == [200])
            #expect(await first.ask(server.request()).statuses == [200])
            // A place becomes free shortly after the client has seen the end.
            var last = [503]
            while last == [503] { last = try await server.client().ask(server.request()).statuses }
            #expect(last == [200])
        }
    }
}
#endif
