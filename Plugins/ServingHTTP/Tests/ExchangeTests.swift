#if Live
import PatchbayCore
import Testing

@Suite("Requests and answers over HTTP/1.1 (Live)", .timeLimit(.minutes(5)))
struct ExchangeTests {
    @Test("an answer has a date and a length, and the connection stays open for the next request")
    func keepAlive() async throws {
        try await TestedServer.with { (server) async throws in
            let client = try server.client()
            for number in 1...3 {
                await client.send(server.request("/\(number)", []))
                let head = await client.until("\r\n\r\n")
                #expect(head.statuses == [200])
                #expect(head.field("Date")?.hasSuffix(" GMT") == true)
                let body = await client.until("\(server.address) 0")
                #expect(body == "GET /\(number) \(server.address) 0")
                #expect(head.field("Content-Length") == "\(body.utf8.count)")
                #expect(head.field("Transfer-Encoding") == nil && head.field("Connection") == nil)
            }
        }
    }

    @Test("shared fields are sent before those of the head, and the answer keeps its own date")
    func sharedFields() async throws {
        try await TestedServer.with { (server) async throws in
            let answer = try await server.client().ask(server.request("/shared"))
            #expect(
                answer.contains(
                    "Date: now\r\nServer: a\r\nETag: b\r\nContent-Type: text/plain\r\nContent-Length"))
        }
    }

    @Test("pipelined requests are answered in order")
    func pipelining() async throws {
        try await TestedServer.with { (server) async throws in
            let requests = (1...50).map { server.request("/p\($0)", $0 == 50 ? ["Connection: close"] : []) }
            let answers = try await server.client().ask(requests.joined())
            #expect(answers.statuses == Array(repeating: 200, count: 50))
            #expect(answers.matches(of: #/GET /p(\d+) /#).map { Int($0.output.1) } == Array(1...50))
        }
    }

    @Test("answers from memory and those of tasks keep the order of their requests")
    func readyAnswers() async throws {
        try await TestedServer.with { (server) async throws in
            let requests = (1...60).map { number in
                let path = number.isMultiple(of: 3) ? "/p\(number)" : "/ready\(number)"
                return server.request(path, number == 60 ? ["Connection: close"] : [])
            }
            let answers = try await server.client().ask(requests.joined())
            #expect(answers.statuses == Array(repeating: 200, count: 60))
            #expect(answers.matches(of: #/GET /[a-z]+(\d+) /#).map { Int($0.output.1) } == Array(1...60))
            let sized = server.request("/ready", ["Content-Length: 3"], method: "POST") + "abc"
            let head = server.request("/ready", [], method: "HEAD")
            let mixed = try await server.client().ask(
                sized + head + server.request("/stream", []) + server.request("/ready") + "no HTTP")
            #expect(mixed.statuses == [200, 200, 200, 200])
            #expect(mixed.contains("POST /ready \(server.address) 3") && !mixed.contains("HEAD /ready"))
            #expect(mixed.hasSuffix("GET /ready \(server.address) 0"))
        }
    }

    @Test("a request that violates HTTP is refused after the answers to those before it")
    func faultAfterRequests() async throws {
        try await TestedServer.with { (server) async throws in
            let requests = server.request("/ready1", []) + server.request("/p2", [])
            let answers = try await server.client().ask(requests + "X X: y\r\n\r\n")
            #expect(answers.statuses == [200, 200, 400])
        }
    }

    @Test("HEAD and 204 have no body, and the connection stays usable")
    func bodiless() async throws {
        try await TestedServer.with { (server) async throws in
            let requests = [
                server.request("/x", [], method: "HEAD"), server.request("/stream", [], method: "HEAD"),
                server.request("/204", []), server.request("/end"),
            ]
            let answers = try await server.client().ask(requests.joined())
            #expect(answers.statuses == [200, 200, 204, 200])
            let length = "HEAD /x \(server.address) 0".utf8.count
            #expect(answers.contains("Content-Length: \(length)\r\n"))
            #expect(!answers.contains("HEAD /x") && !answers.contains("Transfer-Encoding"))
            #expect(answers.hasSuffix("GET /end \(server.address) 0"))
        }
    }

    @Test("a body of unknown length is chunked; for HTTP/1.0 it ends with the connection")
    func streams() async throws {
        try await TestedServer.with { (server) async throws in
            let chunked = try await server.client().ask(server.request("/stream"))
            #expect(chunked.field("Transfer-Encoding") == "chunked")
            #expect(chunked.afterHead == "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n")
            let old = try await server.client().ask("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(old.hasPrefix("HTTP/1.0 200"))
            #expect(old.afterHead == "abc" && old.field("Connection") == "close")
            let cut = try await server.client().ask(server.request("/cut", []))
            #expect(cut.afterHead == "4\r\nhalf\r\n", "an incomplete answer has no end")
        }
    }

    @Test("an incomplete answer ends with a reset for HTTP/1.0, and a complete one does not")
    func incompleteStreams() async throws {
        try await TestedServer.with { (server) async throws in
            for (path, isWhole) in [("/stream", true), ("/cut", false)] {
                let client = try server.client()
                #expect(await client.ask("GET \(path) HTTP/1.0\r\n\r\n").statuses == [200])
                #expect(await client.wasReset == !isWhole, "\(path)")
            }
        }
    }

    @Test("a body is read completely with any framing, and 100 Continue requests it")
    func bodies() async throws {
        try await TestedServer.with { (server) async throws in
            let sized =
                server.request("/b", ["Content-Length: 5", "Connection: close"], method: "POST") + "12345"
            #expect(try await server.client().ask(sized).hasSuffix("POST /b \(server.address) 5"))
            let chunked = server.request(
                "/b", ["Transfer-Encoding: chunked", "Connection: close"], method: "PUT")
            #expect(
                try await server.client().ask(chunked + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n").hasSuffix(
                    "PUT /b \(server.address) 5"))
            let client = try server.client()
            await client.send(
                server.request(
                    "/b", ["Content-Length: 2", "Expect: 100-continue", "Connection: close"], method: "POST"))
            #expect(await client.until("\r\n\r\n").statuses == [100])
            #expect(await client.ask("ab").hasSuffix("POST /b \(server.address) 2"))
        }
    }

    @Test(
        "an answer is not prepared any longer for a browser that has left, but for a client that may still read it"
    )
    func leftBrowser() async throws {
        for (fields, status) in [(["Sec-Fetch-Mode: cors"], "cancelled"), ([], "waited")] {
            let (ends, end) = AsyncStream.makeStream(of: String.self)
            let responder = TestResponder(waiting: {
                let isWhole = (try? await Task.sleep(for: .milliseconds(fields.isEmpty ? 50 : 60_000))) != nil
                end.yield(isWhole ? "waited" : "cancelled")
            })
            try await TestedServer.with(responder) { server in
                let client = try server.client()
                await client.send(server.request("/wait", fields))
                await client.finishSending()
                for await word in ends {
                    #expect(word == status)
                    break
                }
            }
        }
    }

    @Test("an answer is not prepared any longer for a client that has closed its socket")
    func leftClient() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        let responder = TestResponder(waiting: {
            end.yield((try? await Task.sleep(for: .seconds(60))) == nil)
        })
        try await TestedServer.with(responder) { server in
            do {
                let client = try server.client()
                await client.send(server.request("/wait", []))
            }
            #expect(await ends.first { _ in true } == true)
        }
    }

    @Test("a client that has closed its half of the connection gets its answers")
    func halfClosed() async throws {
        try await TestedServer.with { (server) async throws in
            let requests = [
                server.request("/ready1", []), server.request("/p2", []), server.request("/p3", []),
            ]
            for count in 1...3 {
                let client = try server.client()
                await client.send(requests.prefix(count).joined())
                await client.finishSending()
                let answers = await client.untilClosed()
                #expect(answers.statuses.filter { $0 != 100 } == Array(repeating: 200, count: count))
            }
            let unfinished = try server.client()
            await unfinished.send(server.request("/x", ["Content-Length: 9"], method: "POST") + "abc")
            await unfinished.finishSending()
            #expect(await unfinished.untilClosed().statuses.allSatisfy { $0 == 400 })
            let silent = try server.client()
            await silent.finishSending()
            #expect(await silent.untilClosed().isEmpty)
            let events = try server.client()
            await events.send(server.request("/events", []))
            _ = await events.until("data: 1")
            await events.finishSending()
            #expect(await events.untilClosed().contains("data") == false, "an endless answer ends")
        }
    }

    @Test("a large answer arrives completely at a client that reads late")
    func large() async throws {
        try await TestedServer.with { (server) async throws in
            let client = try server.client()
            await client.send(server.request("/large"))
            #expect(await client.untilClosed().afterHead.utf8.count == 8 << 20)
        }
    }

    @Test("a target may be an address or *, and its host takes precedence over the field")
    func targets() async throws {
        try await TestedServer.with { (server) async throws in
            let absolute = try await server.client().ask(server.request("http://other.example:81/a?b"))
            #expect(absolute.hasSuffix("GET /a?b other.example:81 0"))
            let star = try await server.client().ask(server.request("*", method: "OPTIONS"))
            #expect(star.hasSuffix("OPTIONS * \(server.address) 0"))
            let search = try await server.client().ask(server.request("/s", method: "M-SEARCH"))
            #expect(search.hasSuffix("M-SEARCH /s \(server.address) 0"))
        }
    }
}
#endif
