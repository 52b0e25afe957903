import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Whose answers are whose")
struct PartitionTests {
    private let ada: HTTPFields = [.authorization: "Bearer ada-ada-ada"]
    private let bob: HTTPFields = [.authorization: "Bearer bob-bob-bob"]

    @Test("an answer to credentials is for them alone, in any spelling of theirs (semantics-15, 16)")
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

    @Test("a private answer is kept for its owner, and for nobody without credentials")
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

    @Test("another client's answer is given after the server has confirmed it with that client's own token")
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
            await bench.get("/repo", bob)["Cache-Status"] == "patchbay; hit; ttl=60", "it is bob's now, too")
    }

    @Test("a client whom the server refuses gets the refusal", arguments: [401, 403, 404])
    func refused(_ status: Int) async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(200, [.cacheControl: "private, max-age=60", .eTag: "\"a\""], "secret"))
        _ = await bench.get("/repo", ada)
        bench.server.answers(.answer(status, [:], "no"))
        #expect(await bench.get("/repo", bob).text == "no")
        bench.server.fails(.unreachable)
        #expect(await bench.get("/repo", bob).status == 504, "offline nothing of ada's is given to bob")
        #expect(await bench.get("/repo", ada).text == "secret")
    }

    @Test("a 304 that fits none of the tags is not believed")
    func strayConfirmation() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.answer(200, [.cacheControl: "private, max-age=60", .eTag: "\"a\""], "ada's"))
        _ = await bench.get("/repo", ada)
        bench.server.answers(.answer(304, [.eTag: "\"other\""], ""), .fresh(60, [:], "bob's"))
        #expect(await bench.get("/repo", bob).text == "bob's")
        #expect(bench.server.last?.headerFields[.ifNoneMatch] == nil)
    }

    @Test("what the server calls public is for everybody", arguments: ["public, max-age=60", "s-maxage=60"])
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

    @Test("nothing that repeats the credentials, and no address that holds some, is written")
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

    @Test("the name of a partition says nothing of the token, and differs between storages")
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
