import HTTPTypes
import PatchbayCore
import PatchbayServer
import Testing

@Suite("Changes are forwarded and delete affected answers")
struct ChangeTests {
    private func isKept(
        _ path: String, after method: HTTPRequest.Method, _ target: String, _ answer: Response = .answer(200)
    ) async throws -> Bool {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60))
        _ = await bench.get(path)
        bench.server.answers(answer)
        _ = await bench.send(method, target, body: "{}")
        bench.server.answers(.fresh(60))
        let before = bench.server.count
        _ = await bench.get(path)
        return bench.server.count == before
    }

    @Test(
        "the path with all its queries and the list that contains it are requested again",
        arguments: [HTTPRequest.Method.post, .put, .patch, .delete, .init("M-SEARCH")!])
    func dropped(_ method: HTTPRequest.Method) async throws {
        #expect(try await !isKept("/repos/a/b/issues/5", after: method, "/repos/a/b/issues/5"))
        #expect(try await !isKept("/repos/a/b/issues/5?x=1", after: method, "/repos/a/b/issues/5"))
        #expect(try await !isKept("/repos/a/b/issues?state=open", after: method, "/repos/a/b/issues/5"))
        #expect(try await isKept("/repos/a/b/issues/6", after: method, "/repos/a/b/issues/5"))
        #expect(try await isKept("/repos/a/b", after: method, "/repos/a/b/issues/5"))
        #expect(try await !isKept("/items/", after: method, "/items/5/"))
        #expect(try await !isKept("/items/5", after: method, "/items/5/"))
    }

    @Test("a refused change deletes nothing, one that may have been made does, and also what it names")
    func named() async throws {
        #expect(try await !isKept("/a/b", after: .post, "/a/b", .answer(500)))
        #expect(try await isKept("/a/b", after: .post, "/a/b", .answer(422)))
        let here = Response.answer(201, [.location: "https://api.example.org/x/9"])
        #expect(try await !isKept("/x/9", after: .post, "/a/b", here))
        let elsewhere = Response.answer(201, [.location: "https://evil.example/x/9"])
        #expect(try await isKept("/x/9", after: .post, "/a/b", elsewhere))
        #expect(try await !isKept("/x/9", after: .post, "/a/b", .answer(201, [.contentLocation: "/x/9"])))
    }

    @Test("a change deletes the further pages of a list, whatever their path")
    func furtherPages() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(
            .fresh(60, [.link: "<https://api.example.org/numbers/7/issues?page=2>; rel=\"next\""]))
        _ = await bench.get("/names/a/issues")
        bench.server.answers(.fresh(60))
        for path in ["/numbers/7/issues?page=2", "/numbers/8/issues"] { _ = await bench.get(path) }
        _ = await bench.send(.post, "/names/a/issues", body: "{}")
        let before = bench.server.count
        _ = await bench.get("/numbers/8/issues")
        #expect(bench.server.count == before)
        _ = await bench.get("/numbers/7/issues?page=2")
        #expect(bench.server.count == before + 1)
    }

    @Test("a change whose client has left is completed, and deletes the answers that it affects")
    func abandoned() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60))
        _ = await bench.get("/a")
        let change = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return await bench.send(.put, "/a", body: "{}")
        }
        #expect(await change.value.status == 200)
        #expect(bench.server.last?.method == .put)
        _ = await bench.get("/a")
        #expect(bench.server.count == 3)
    }

    @Test("GET, HEAD and OPTIONS delete nothing")
    func safe() async throws {
        for method in [HTTPRequest.Method.head, .options] {
            #expect(try await isKept("/a/b", after: method, "/a/b"))
        }
    }

    @Test("a change is forwarded with its body and the client's conditions, and its answer is returned")
    func passed() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(412, [:], "changed meanwhile"))
        let response = await bench.send(
            .patch, "/a", [.ifMatch: "\"v\"", .contentType: "application/json"], body: "{}")
        #expect((response.status, response.text) == (412, "changed meanwhile"))
        #expect(response["Cache-Status"] == "patchbay; fwd=method; fwd-status=412")
        #expect(bench.server.last?.headerFields[.ifMatch] == "\"v\"")
        #expect(bench.server.last?.headerFields[.contentType] == "application/json")
    }
}
