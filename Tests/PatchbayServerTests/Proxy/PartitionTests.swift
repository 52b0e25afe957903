import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Answers per client")
struct PartitionTests {
    private let ada: HTTPFields = [.authorization: "Bearer ada-ada-ada"]
    private let bob: HTTPFields = [.authorization: "Bearer bob-bob-bob"]

    @Test("an answer belongs to its credentials, in any spelling of them")
    func alone() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60, [:], "ada's"))
        _ = await bench.get("/user", ada)
        bench.server.answers(.fresh(60, [:], "another"))
        #expect(await bench.get("/user").text == "another")
        #expect(await bench.get("/user", bob).text == "another")
        #expect(await bench.get("/user", [.authorization: "Basic YWRhLWFkYS1hZGE="]).text == "another")
        #expect(await bench.get("/user", [.init("PRIVATE-TOKEN")!: "ada-ada-ada"]).text == "another")
        #expect(bench.server.count == 5)
        #expect(await bench.get("/user", ada).text == "ada's")
        #expect(await bench.get("/user", [.authorization: "token ada-ada-ada"]).text == "ada's")
        #expect(bench.server.count == 5)
    }

    @Test("a private answer is stored for its owner, and not stored without credentials")
    func privateAnswers() async throws {
        let bench = try await ProxyBench()
        let fields: HTTPFields = [.cacheControl: "private, max-age=60, s-maxage=60"]
        bench.server.answers(.answer(200, fields))
        for _ in 1...2 { _ = await bench.get("/user", ada) }
        #expect(bench.server.count == 1)
        for _ in 1...2 { _ = await bench.get("/user") }
        #expect(bench.server.count == 3)
        for _ in 1...2 { _ = await bench.get("/user", trusted: true) }
        #expect(bench.server.count == 4, "the owner of the socket is one person")
    }

    @Test("another client's answer is served after the server has confirmed it with the client's own token")
    func confirmedForAnother() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(200, [.cacheControl: "private, max-age=60", .eTag: "\"a\""], "shared"))
        _ = await bench.get("/repo", ada)
        bench.server.answers(.answer(304, [.eTag: "\"a\"", .cacheControl: "private, max-age=60"], ""))
        let bobs = await bench.get("/repo", bob)
        #expect(bobs.text == "shared")
        #expect(bobs["Cache-Status"] == "patchbay; fwd=vary-miss; fwd-status=304; stored")
        #expect(bench.server.last?.headerFields[.authorization] == "Bearer bob-bob-bob")
        #expect(bench.server.last?.headerFields[.ifNoneMatch] == "\"a\"")
        bench.server.fails(.unreachable)
        #expect(
            await bench.get("/repo", bob)["Cache-Status"] == "patchbay; hit; ttl=60", "bob now has it, too")
    }

    @Test("a private answer that is confirmed for a client without credentials is served once, not stored")
    func confirmedWithoutCredentials() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(200, [.cacheControl: "private, max-age=60", .eTag: "\"a\""], "shared"))
        _ = await bench.get("/repo", ada)
        bench.server.answers(.answer(304, [.eTag: "\"a\""], ""))
        for _ in 1...2 {
            let answer = await bench.get("/repo")
            #expect(answer.text == "shared")
            #expect(answer["Cache-Status"] == "patchbay; fwd=vary-miss; fwd-status=304")
        }
        #expect(await bench.get("/repo", ada)["Cache-Status"] == "patchbay; hit; ttl=60", "ada keeps hers")
        bench.server.answers(.answer(304, [.eTag: "\"a\"", .cacheControl: "public, max-age=60"], ""))
        _ = await bench.get("/repo")
        #expect(await bench.get("/repo")["Cache-Status"] == "patchbay; hit; ttl=60")
    }

    @Test(
        "an answer that may no longer be stored after a confirmation is removed",
        arguments: ["no-store", "private, max-age=60"])
    func nothingToKeep(_ control: String) async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(200, [.cacheControl: "public, max-age=10", .eTag: "\"a\""]))
        _ = await bench.get("/emojis")
        bench.clock.advance(by: .seconds(11))
        bench.server.answers(.answer(304, [.eTag: "\"a\"", .cacheControl: control], ""))
        #expect(await bench.get("/emojis")["Cache-Status"] == "patchbay; fwd=stale; fwd-status=304")
        #expect(await bench.get("/emojis", [.cacheControl: "only-if-cached"]).status == 504)
    }

    @Test("a client that the server refuses gets the refusal", arguments: [401, 403, 404])
    func refused(_ status: Int) async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(200, [.cacheControl: "private, max-age=60", .eTag: "\"a\""], "secret"))
        _ = await bench.get("/repo", ada)
        bench.server.answers(.answer(status, [:], "no"))
        #expect(await bench.get("/repo", bob).text == "no")
        bench.server.fails(.unreachable)
        #expect(await bench.get("/repo", bob).status == 504, "offline, bob gets no answers of ada")
        #expect(await bench.get("/repo", ada).text == "secret")
    }

    @Test("a 304 that matches none of the tags is ignored")
    func strayConfirmation() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(200, [.cacheControl: "private, max-age=60", .eTag: "\"a\""], "ada's"))
        _ = await bench.get("/repo", ada)
        bench.server.answers(.answer(304, [.eTag: "\"other\""], ""), .fresh(60, [:], "bob's"))
        #expect(await bench.get("/repo", bob).text == "bob's")
        #expect(bench.server.last?.headerFields[.ifNoneMatch] == nil)
    }

    @Test("public answers are served to all clients", arguments: ["public, max-age=60", "s-maxage=60"])
    func forEverybody(_ control: String) async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(200, [.cacheControl: control]))
        _ = await bench.get("/emojis", ada)
        _ = await bench.get("/emojis")
        _ = await bench.get("/emojis", bob)
        #expect(bench.server.count == 1)
        bench.server.answers(.answer(200, [.cacheControl: control, .vary: "Accept, Authorization"]))
        for fields in [ada, bob, [:]] { _ = await bench.get("/user", fields) }
        #expect(bench.server.count == 4, "unless it depends on credentials")
    }

    @Test("the source's credentials are lent to trusted clients without their own")
    func lending() async throws {
        let bench = try await ProxyBench(lender: "aa11")
        bench.server.answers(.answer(200, [.cacheControl: "private, max-age=60"]))
        _ = await bench.get("/user")
        #expect(bench.server.last?.headerFields[.authorization] == nil)
        _ = await bench.get("/user", trusted: true)
        #expect(bench.server.last?.headerFields[.authorization] == "Bearer lent")
        _ = await bench.get("/user", ada, trusted: true)
        #expect(bench.server.last?.headerFields[.authorization] == "Bearer ada-ada-ada")
        #expect(bench.server.count == 3)
    }

    @Test("answers that repeat credentials and addresses that contain some are not stored")
    func echoes() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(60, [:], "you sent ada-ada-ada"))
        for _ in 1...2 { #expect(await bench.get("/echo", ada).text == "you sent ada-ada-ada") }
        bench.server.answers(.fresh(60))
        for _ in 1...2 { _ = await bench.get("/users?access_token=canary-canary&page=2") }
        #expect(bench.server.count == 4)
        await bench.cache.close()
        let rows = try await bench.store.read {
            try $0.list(StoredAnswer.self, Query(StoredAnswer.collection))
        }
        #expect(rows.isEmpty)
    }

    @Test("the name of a partition does not reveal the token, and differs between storages")
    func names() async throws {
        var names: Set<UInt128> = []
        for _ in 1...2 {
            let bench = try await ProxyBench()
            bench.server.answers(.fresh(60))
            _ = await bench.get("/user", ada)
            await bench.cache.close()
            let rows = try await bench.store.read {
                try $0.list(StoredAnswer.self, Query(StoredAnswer.collection))
            }
            let row = try #require(rows.first)
            #expect(row.partition != 0)
            #expect(!row.fields.contains { $0.value.contains("ada-ada") })
            names.insert(row.partition)
        }
        #expect(names.count == 2)
    }
}
