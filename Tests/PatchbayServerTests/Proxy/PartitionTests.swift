import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayServer

extension ProxyBench {
    /// The stored answers, after the waiting ones were written.
    func rows() async throws -> [StoredAnswer] {
        await cache.close()
        return try await store.read { try $0.list(StoredAnswer.self, Query(StoredAnswer.collection)) }
    }
}

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

    @Test("the tag of one client is never sent for another, because both may have the same")
    func ownTags() async throws {
        let bench = try await ProxyBench()
        let fields: HTTPFields = [.cacheControl: "max-age=0, must-revalidate", .eTag: "W/\"3\""]
        bench.server.answers(.answer(200, fields, "ada's"))
        _ = await bench.get("/me", ada)
        for other in [bob, [:], [.init("X-Invented")!: "bob"]] {
            bench.server.answers(.answer(200, fields, "another"))
            let answer = await bench.get("/me", other)
            #expect(answer.text == "another")
            #expect(answer["Cache-Status"] == "patchbay; fwd=uri-miss; fwd-status=200; stored")
            #expect(bench.server.last?.headerFields[.ifNoneMatch] == nil)
        }
        bench.server.answers(.answer(304, [.eTag: "W/\"3\""], ""))
        #expect(await bench.get("/me", ada).text == "ada's")
        #expect(bench.server.last?.headerFields[.ifNoneMatch] == "W/\"3\"")
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

    @Test("a 304 that does not match the tag is ignored")
    func strayConfirmation() async throws {
        let bench = try await ProxyBench()
        bench.server.answers(.fresh(0, [.eTag: "\"a\""], "old"))
        _ = await bench.get("/repo", ada)
        bench.server.answers(.answer(304, [.eTag: "\"other\""], ""), .fresh(60, [:], "new"))
        #expect(await bench.get("/repo", ada).text == "new")
        #expect(bench.server.last?.headerFields[.ifNoneMatch] == nil)
    }

    @Test(
        "no directive makes an answer to one client's credentials one for others",
        arguments: [
            "public, max-age=60", "s-maxage=60", "must-revalidate, max-age=60",
            "proxy-revalidate, max-age=60",
            "max-age=60, immutable",
        ])
    func forNobodyElse(_ control: String) async throws {
        let bench = try await ProxyBench()
        for vary in [nil, "Accept, Authorization"] as [String?] {
            let before = bench.server.count
            var fields: HTTPFields = [.cacheControl: control]
            fields[.vary] = vary
            bench.server.answers(.answer(200, fields))
            for _ in 1...2 {
                for fields in [ada, [:], bob] { _ = await bench.get("/\(vary ?? "")", fields) }
            }
            #expect(bench.server.count == before + 3, "each fetches its own once")
        }
    }

    @Test(
        "every field that is neither harmless nor of the representation separates clients",
        arguments: [
            "X-Figma-Token", "X-Shopify-Access-Token", "X-HTTP-Method-Override", "X-Original-URL", "Prefer",
            "X-1",
        ])
    func anyField(_ name: String) async throws {
        let bench = try await ProxyBench(), name = HTTPField.Name(name)!
        for value in ["ada", "bob", "ada, bob", "ada,bob", ""] {
            bench.server.answers(
                .answer(200, [.cacheControl: "private, max-age=60", .vary: name.rawName], value))
            #expect(await bench.get("/user", [name: value]).text == value)
        }
        bench.server.answers(.fresh(60, [:], "anonymous"))
        #expect(await bench.get("/user").text == "anonymous")
        bench.server.fails(.unreachable)
        for value in ["ada", "bob", "ada, bob", "ada,bob", ""] {
            #expect(await bench.get("/user", [name: value]).text == value)
        }
        let twice = HTTPFields([HTTPField(name: name, value: "ada"), HTTPField(name: name, value: "bob")])
        #expect(await bench.get("/user", twice).status == 504)
        let rows = try await bench.rows()
        #expect(rows.count == 6)
        #expect(rows.allSatisfy { !$0.selecting.contains { $0.name == name } }, "its values are not stored")
    }

    @Test("values of several fields cannot be exchanged")
    func severalFields() async throws {
        let bench = try await ProxyBench()
        let one = HTTPField.Name("X-One")!, two = HTTPField.Name("X-Two")!
        bench.server.answers(.fresh(60))
        for fields in [[one: "a", two: "b"], [one: "b", two: "a"], [one: "a"], [two: "a"]] as [HTTPFields] {
            let before = bench.server.count
            _ = await bench.get("/user", fields)
            #expect(bench.server.count == before + 1)
        }
        let before = bench.server.count
        _ = await bench.get("/user", [two: "b", one: "a"])
        #expect(bench.server.count == before, "the order of names does not count")
    }

    @Test("harmless fields do not separate, unless Vary lists them; serve.cache-ignores adds to them")
    func harmless() async throws {
        var options = ProxyOptions()
        options.ignoredFields = [HTTPField.Name("Test-ID")!]
        let bench = try await ProxyBench(options: options)
        bench.server.answers(.fresh(60))
        _ = await bench.get("/user", ada)
        for name in [
            "traceparent", "tracestate", "baggage", "b3", "X-B3-TraceId", "X-Request-Id", "X-Correlation-Id",
            "X-Amzn-Trace-Id", "TEST-ID", "User-Agent", "Accept-Encoding", "Sec-Fetch-Mode", "Cookie",
        ] {
            var fields = ada
            fields[HTTPField.Name(name)!] = "0af7651916cd43dd8448eb211c80319c"
            #expect(await bench.get("/user", fields)["Cache-Status"] == "patchbay; hit; ttl=60", "\(name)")
        }
        bench.server.answers(.fresh(60, [.vary: "Test-ID"]))
        for value in ["1", "2", "1", "2"] {
            _ = await bench.get("/varied", [HTTPField.Name("Test-ID")!: value])
        }
        #expect(bench.server.count == 3)
    }

    @Test(
        "serve.cache-ignores refuses the fields in which credentials are sent",
        arguments: [
            ("X-Figma-Token", Definition.Authorization.header(name: "x-figma-token", prefix: nil)),
            ("authorization", .bearer), ("Authorization", .query(name: "key")), ("Authorization", .none),
        ])
    func ignoredCredentials(_ name: String, _ authorization: Definition.Authorization) async throws {
        var options = ProxyOptions()
        options.ignoredFields = [HTTPField.Name(name)!]
        let error = await #expect(throws: PatchbayError.self) {
            _ = try await ProxyBench(authorization: authorization, options: options)
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.hasPrefix("serve.cache-ignores: credentials are sent in the field") == true)
    }

    @Test("a client that varies a field displaces only its own answers, the oldest first")
    func bounded() async throws {
        let bench = try await ProxyBench(), name = HTTPField.Name("X-Varied")!
        bench.server.answers(.fresh(60))
        for fields in [ada, bob, [:]] { _ = await bench.get("/doc", fields) }
        for number in 1...100 {
            var mallory: HTTPFields = [.authorization: "Bearer mallory-mallory"]
            mallory[name] = "\(number)"
            _ = await bench.get("/doc", mallory)
            _ = await bench.get("/doc", [name: "\(number)"])
            _ = await bench.get("/doc", [.accept: "text/x-\(number)"])
            if number.isMultiple(of: 7) { await bench.cache.close() }
            bench.clock.advance(by: .milliseconds(1))
        }
        await bench.cache.close()
        let rows = try await bench.rows()
        #expect(rows.count == 146, "ada, bob, 64 of each client that varies a field, 16 without a field")
        let other = try await ProxyBench(store: bench.store)
        other.server.fails(.unreachable)
        #expect(await other.get("/doc", ada).status == 200)
        #expect(await other.get("/doc", bob).status == 200)
        #expect(await other.get("/doc", [name: "100"]).status == 200)
        #expect(await other.get("/doc", [name: "36"]).status == 504)
        #expect(await other.get("/doc", [name: "37"]).status == 200)
        #expect(await other.get("/doc", [.accept: "text/x-85"]).status == 200)
        #expect(await other.get("/doc", [.accept: "text/x-84"]).status == 504)
    }

    @Test("another account's token in source.token does not get the answers of the former one")
    func changedToken() async throws {
        let first = try await ProxyBench(lender: { "aa11" })
        first.server.answers(.fresh(60, [.eTag: "W/\"3\""], "former"))
        _ = await first.get("/user", trusted: true)
        await first.cache.close()
        let second = try await ProxyBench(lender: { "bb22" }, store: first.store)
        second.server.answers(.fresh(60, [.eTag: "W/\"3\""], "new"))
        #expect(await second.get("/user", trusted: true).text == "new")
        #expect(second.server.last?.headerFields[.ifNoneMatch] == nil)
        let third = try await ProxyBench(store: first.store)
        third.server.fails(.unreachable)
        #expect(
            await third.get("/user", trusted: true).status == 504, "without a token, no answer is the owner's"
        )
        #expect(await third.get("/user").status == 504)
        let fourth = try await ProxyBench(lender: { "aa11" }, store: first.store)
        #expect(await fourth.get("/user", trusted: true).text == "former")
    }

    @Test("a token that is read again during a request changes the account of its answer")
    func reread() async throws {
        let token = Mutex("aa11")
        let bench = try await ProxyBench(lender: { token.withLock { $0 } })
        bench.server.answers(.fresh(0, [.eTag: "W/\"3\""], "former"))
        _ = await bench.get("/user", trusted: true)
        // The former token is refused, another one is read and sent with the former account's tag.
        bench.server.answers(.answer(304, [.eTag: "W/\"3\""], ""), .fresh(60, [.eTag: "W/\"3\""], "new"))
        bench.server.notices { token.withLock { $0 = "bb22" } }
        let answer = await bench.get("/user", trusted: true)
        #expect(answer.text == "new")
        #expect(bench.server.last?.headerFields[.ifNoneMatch] == nil)
        token.withLock { $0 = "aa11" }
        bench.server.fails(.unreachable)
        #expect(
            await bench.get("/user", trusted: true).text == "former", "the new answer is not stored for it")
    }

    @Test("the secret in a definition's query parameter separates clients and is not stored")
    func queryParameter() async throws {
        let bench = try await ProxyBench(lender: { "aa11" }, authorization: .query(name: "k"))
        bench.server.answers(.fresh(60))
        for _ in 1...2 {
            for path in ["/x?k=canary-ada", "/x?a=1&%6b=canary-bob"] {
                _ = await bench.get(path, trusted: true)
                #expect(bench.server.last?.headerFields[.authorization] == nil, "the client's own is sent")
            }
        }
        #expect(bench.server.count == 4)
        _ = await bench.get("/x?page=canary-page")
        let rows = try await bench.rows()
        #expect(
            rows.map(\.target) == [ProxyBench.base + "/x"],
            "no query is stored, because any may have a secret")
        _ = await bench.get("/x?a=2&k=REDACTED", trusted: true)
        #expect(
            bench.server.last?.headerFields[.authorization] == "Bearer lent-aa11",
            "a link in an answer has a placeholder in place of the source's secret")
    }

    @Test("the source's credentials are lent to trusted clients without their own")
    func lending() async throws {
        let bench = try await ProxyBench(lender: { "aa11" })
        bench.server.answers(.answer(200, [.cacheControl: "private, max-age=60"]))
        _ = await bench.get("/user")
        #expect(bench.server.last?.headerFields[.authorization] == nil)
        _ = await bench.get("/user", trusted: true)
        #expect(bench.server.last?.headerFields[.authorization] == "Bearer lent-aa11")
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
        #expect(try await bench.rows().isEmpty)
    }

    @Test("the name of a partition does not reveal the token, and differs between storages")
    func names() async throws {
        var names: Set<UInt128> = []
        for _ in 1...2 {
            let bench = try await ProxyBench()
            bench.server.answers(.fresh(60))
            _ = await bench.get("/user", ada)
            let row = try #require(try await bench.rows().first)
            #expect(row.place.partition != 0)
            #expect(!row.fields.contains { $0.value.contains("ada-ada") })
            names.insert(row.place.partition)
        }
        #expect(names.count == 2)
    }
}
