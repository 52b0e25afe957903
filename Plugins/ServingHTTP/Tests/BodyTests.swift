#if Live
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import ServingHTTP

@Suite("Bodies of requests (Live)", .timeLimit(.minutes(5)))
struct BodyTests {
    private var local: ServingOptions { ServingOptions(listen: [.tcp(host: "127.0.0.1", port: 0)]) }

    @Test("a request that is refused at its head is answered without its body, and the connection ends")
    func refused() async throws {
        try await TestedServer.with { (server) async throws in
            for lines in [["Content-Length: 9000000"], ["Transfer-Encoding: chunked"]] {
                let head = server.request("/refused", lines + ["Expect: 100-continue"], method: "POST")
                let answer = try await server.client().ask(head)
                #expect(answer.statuses == [401], "there is no 100 before it")
                #expect(answer.field("Connection") == "close")
            }
            let smuggled = server.request("/refused", ["Content-Length: 100"], method: "POST")
            let answer = try await server.client().ask(smuggled + server.request("/smuggled"))
            #expect(answer.statuses == [401] && !answer.contains("smuggled"))
        }
    }

    @Test("the responder limits a body before it is requested, and while it arrives")
    func limit() async throws {
        try await TestedServer.with { (server) async throws in
            let announced = server.request(
                "/small", ["Content-Length: 11", "Expect: 100-continue"], method: "POST")
            #expect(try await server.client().ask(announced).statuses == [413])
            let chunked = server.request("/small", ["Transfer-Encoding: chunked"], method: "POST")
            #expect(try await server.client().ask(chunked + "b\r\n01234567890\r\n").statuses == [413])
            let fits = server.request("/small", ["Content-Length: 10", "Connection: close"], method: "POST")
            #expect(try await server.client().ask(fits + "0123456789").hasSuffix(" 10"))
        }
    }

    @Test("a body that arrives too slowly is refused, although it never pauses for long")
    func dripping() async throws {
        var options = local
        options.stallSeconds = 2
        options.bodyBytesPerSecondMin = 1_000
        try await TestedServer.with(TestResponder(), options) { (server) async throws in
            let client = try server.client()
            await client.send(server.request("/", ["Content-Length: 1000000"], method: "POST"))
            let drops = Task {
                while !Task.isCancelled {
                    await client.send("x")
                    try await Task.sleep(for: .milliseconds(100))
                }
            }
            let answer = await client.whileSending()
            drops.cancel()
            #expect(answer.statuses == [408])
        }
    }

    @Test(
        "large answers to clients that do not read have a limit, and are sent again when others have been read"
    )
    func answers() async throws {
        var options = local
        // Two answers of 8 MiB, of which one client gets three quarters.
        options.answersBytesMax = 24 << 20
        try await TestedServer.with(TestResponder(), options) { (server) async throws in
            let request = server.request("/large", ["Connection: close"])
            let stalled = [try server.client(), try server.client()]
            for client in stalled { await client.send(request) }
            var last = ""
            for _ in 1...100 where !last.hasPrefix("HTTP/1.1 503") {
                last = try await server.client().ask(request)
            }
            #expect(last.contains("read their rest, or try again later"))
            for client in stalled { #expect(await client.ask("").utf8.count > 8 << 20) }
            #expect(try await server.client().ask(request).statuses == [200])
        }
    }

    @Test("the bodies of all connections have a limit, of which a client over TCP gets a part")
    func memory() async throws {
        try await TemporaryDirectory.with { folder in
            let path = folder.path + "/s"
            var options = ServingOptions(listen: [.tcp(host: "127.0.0.1", port: 0), .unix(path: path)])
            options.bodiesBytesMax = 4_000
            try await TestedServer.with(TestResponder(), options) { (server) async throws in
                func post(_ count: Int) -> String {
                    server.request("/", ["Content-Length: \(count)", "Connection: close"], method: "POST")
                }
                let part = String(repeating: "x", count: 2_500)
                let first = try server.client(), owner = try RawClient("unix:" + path)
                await first.send(post(2_501) + part)
                // The limit of one client is 3,000 bytes. A second body may still be read before the first.
                var statuses = [200]
                for _ in 1...100 where statuses == [200] {
                    statuses = try await server.client().ask(post(2_500) + part).statuses
                }
                #expect(statuses == [503])
                #expect(await owner.ask(post(1_000) + part.prefix(1_000)).statuses == [200])
                #expect(await first.ask("x").statuses == [200])
                // The memory is free again.
                #expect(try await server.client().ask(post(2_500) + part).statuses == [200])
            }
        }
    }
}
#endif
