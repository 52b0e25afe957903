import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("Budgets of clients and the account")
struct ClientBudgetTests {
    @Test("a client without requests left reads stored rows, and learns when it may fetch again")
    func requests() async throws {
        let metered = try await Metered(requests: "2/hour")
        for id in 1...2 {
            let answer = await metered.send(Probe("/-/resources/people/user-\(id)"))
            #expect(answer.status == 200, "\(answer.text)")
        }
        let refused = await metered.send(Probe("/-/resources/people/user-3"))
        #expect(refused.status == 429 && refused["Retry-After"] != nil, "\(refused.text)")
        #expect(
            refused.detail.contains("the client agent has used up its requests (2/hour)"), "\(refused.detail)"
        )
        let end = Allowance(requests: "2/hour")!.end(at: metered.fixture.clock.now())
        #expect(refused.detail.contains(end.description) && refused.json["retry_at"]?.word == end.description)
        #expect(await metered.send(Probe("/-/resources/people/user-1?policy=local-only")).status == 200)
        let tool = await metered.send(Probe(tool: "refresh", ["resource": "people", "row": "user-4"]))
        let content = tool.json["result"]?["structuredContent"]
        #expect(content?["message"]?.word == refused.detail, "\(tool.text)")
        let limits = await metered.send(Probe("/-/limits"))
        #expect(limits.rows.first?["remaining"]?.word == "0", "\(limits.text)")
        #expect(
            await metered.send(Probe("/-/resources/people/user-5"), token: nil).status == 200, "the owner")
        metered.fixture.clock.advance(by: .seconds(3_600))
        #expect(await metered.send(Probe("/-/resources/people/user-3")).status == 200)
    }

    @Test("a client without bytes left is refused everywhere with one sentence, also after a restart")
    func bytes() async throws {
        let storage = MemoryStorage()
        let metered = try await Metered(bytes: "1KB/hour", storage: storage)
        try await metered.fixture.fetch("people")
        #expect(await metered.send(Probe("/-/resources/people?limit=20")).status == 200)
        let refused = await metered.send(Probe("/-/resources"))
        #expect(refused.status == 429 && refused["Retry-After"] != nil)
        let tool = await metered.send(Probe(tool: "resources", .object([])))
        #expect(tool.status == 429 && tool["Retry-After"] == refused["Retry-After"])
        #expect(
            tool.json["error"]?["message"]?.word == refused.detail && tool.json["id"]?.word == "1",
            "\(tool.text)")
        let refusals = try await metered.account().filter { $0.amounts.failures > 0 }
        #expect(refusals.map(\.line.operation).sorted() == ["mcp.resources", "resources"], "\(refusals)")
        #expect(refusals.allSatisfy { $0.amounts.bytes == 0 && $0.amounts.calls == 1 })
        let again = try await ClientLedger(
            [Metered.client(requests: nil, bytes: "1KB/hour")], metered.fixture.gateway.store,
            clock: metered.fixture.clock.layerClock
        ) { _ in }
        #expect(again.refusal(of: "agent", .bytes)?.message == refused.detail)
        let day = try await ClientLedger(
            [Metered.client(requests: nil, bytes: "1KB/day")], metered.fixture.gateway.store,
            clock: metered.fixture.clock.layerClock
        ) { _ in }
        #expect(day.refusal(of: "agent", .bytes) != nil)
        metered.fixture.clock.advance(by: .seconds(3_600))
        #expect(again.refusal(of: "agent", .bytes) == nil)
        #expect(await metered.send(Probe("/-/resources")).status == 200)
    }

    @Test(
        "a stored amount of any value is added to, and only a positive one uses a budget",
        arguments: [.min, .min + 1, -1, .max - 1, .max] as [Int64])
    func storedExtremes(_ amount: Int64) async throws {
        let metered = try await Metered(requests: "2/hour", bytes: "1KB/hour")
        let store = metered.fixture.gateway.store, clock = metered.fixture.clock.layerClock
        let stored = ServedUse(
            line: .init(
                hour: Allowance.Period.hour.start(of: clock.now()), client: "agent", operation: "resources",
                resource: ""),
            amounts: .init(
                calls: amount, failures: amount, rows: amount, bytes: amount, requests: amount,
                milliseconds: amount))
        try await store.write { try $0.put(stored) }
        let ledger = try await ClientLedger(
            [Metered.client(requests: "2/hour", bytes: "1KB/hour")], store, clock: clock
        ) { _ in }
        for kind in [ClientLedger.Kind.requests, .bytes] {
            #expect((ledger.refusal(of: "agent", kind) != nil) == (amount > 0))
        }
        ledger.add("agent", ("resources", ""), .init(calls: 2, rows: 3, bytes: 5, requests: 7))
        await ledger.close()
        let use = try await ServedUse.all(since: clock.now(), in: store).first
        #expect(use?.amounts.calls == amount.addingClamped(2) && use?.amounts.milliseconds == amount)
    }

    @Test("a stream beyond the budget is broken off")
    func streams() async throws {
        let metered = try await Metered(bytes: "1KB/hour")
        try await metered.fixture.fetch("people")
        let rows = Probe("/-/resources/people?by=key", .get, ["Accept": "application/x-ndjson"])
        #expect(await metered.send(rows).status == 200)
        #expect(await metered.send(rows).status == 429)
    }

    @Test("the account says who asked what, and contains no value, word, statement or token")
    func account() async throws {
        let metered = try await Metered()
        try await metered.fixture.fetch("people")
        let probes = [
            Probe("/-/resources/people?limit=7"), Probe("/-/resources/people/user-3?policy=refresh"),
            Probe("/-/find?q=quagmire"), Probe(sql: "SELECT 'zephyr' FROM people LIMIT 3"),
            Probe(tool: "rows", ["resource": "people", "limit": 4]), Probe("/-/resources/obelisk"),
            Probe("/-/resources/people/marzipan?policy=local-only"), Probe("/marzipan"),
            Probe("/-/changes?limit=2"),
            Probe("/-/resources/people", .get, ["Accept": "application/x-ndjson"]),
        ]
        for probe in probes { _ = await metered.send(probe) }
        _ = await metered.send(Probe("/-/resources/people?limit=1"), token: nil)
        let uses = try await metered.account()
        func amounts(_ client: String, _ operation: String, _ resource: String) -> ServedUse.Amounts? {
            uses.first {
                $0.line.client == client && $0.line.operation == operation && $0.line.resource == resource
            }?.amounts
        }
        let list = try #require(amounts("agent", "list", "people"))
        #expect(list.calls == 2 && list.rows == 57 && list.bytes > 1_000, "\(uses)")
        #expect(amounts("owner", "list", "people")?.rows == 1)
        let show = amounts("agent", "show", "people")
        #expect(show?.calls == 2 && show?.requests == 1 && show?.failures == 1 && show?.rows == 1, "\(uses)")
        #expect(amounts("agent", "query", "") == nil && amounts("agent", "postQuery", "")?.rows == 3)
        #expect(amounts("agent", "mcp.rows", "people")?.rows == 4, "\(uses)")
        #expect(amounts("agent", "list", "")?.failures == 1, "a resource that does not exist has no name")
        #expect(amounts("agent", "proxy", "")?.calls == 1 && amounts("agent", "changes", "")?.rows == 2)
        let text = try await metered.storedAccount()
        #expect(text.contains("mcp.rows"))
        for canary in World.canaries + ["user-3", "SELECT", Metered.token] { #expect(!text.contains(canary)) }
    }

    @Test("what was used is added up by hour and written once for many calls, and old hours are removed")
    func hours() async throws {
        let metered = try await Metered()
        try await metered.fixture.fetch("people")
        _ = try await metered.account()
        let before = try await metered.fixture.gateway.store.revision()
        // Without a policy, the answer of the source may be stored while the next request is answered.
        for _ in 0..<50 { _ = await metered.send(Probe("/-/resources/people?limit=1&policy=local-only")) }
        #expect(try await metered.fixture.gateway.store.revision() == before, "a read is not a write")
        #expect(try await metered.account().map(\.amounts.calls) == [50])
        metered.fixture.clock.advance(by: .seconds(3_600))
        _ = await metered.send(Probe("/-/resources/people?limit=1"))
        #expect(try await metered.account().map(\.amounts.calls) == [50, 1])
        metered.fixture.clock.advance(by: .milliseconds(ClientLedger.keptMax))
        // A write of nothing does not take the place of the one that removes old hours.
        await metered.ledger.write()
        _ = await metered.send(Probe("/-/resources/people?limit=1"))
        #expect(try await metered.account().map(\.amounts.calls) == [1, 1])
    }

    @Test(
        "an amount is a number per hour or day",
        arguments: [
            ("500/hour", 500), ("2000/day", 2_000), ("0/hour", nil), ("-1/hour", nil), ("5", nil),
            ("5/minute", nil),
            ("x/hour", nil), ("+5/hour", nil), ("1000000001/hour", nil), ("", nil), ("/hour", nil),
            ("5/hour/2", nil),
        ] as [(String, Int64?)])
    func amounts(_ text: String, _ amount: Int64?) { #expect(Allowance(requests: text)?.amount == amount) }

    @Test("an amount of bytes may have a unit")
    func units() {
        let amounts = ["5MB/hour", "5 KB/day", "7/hour", "7B/hour", "1GB/hour", "5mb/hour", "MB/hour"].map {
            Allowance(bytes: $0)?.amount
        }
        #expect(amounts == [5_000_000, 5_000, 7, 7, 1_000_000_000, nil, nil])
    }

    @Test(
        "wrong options of clients are refused when they are read, and no message contains a token",
        arguments: [
            (["client.a.owner": "on"], "serve.client.a.owner = \"on\": needs serve.client.a.token"),
            (["client.a.token": "short"], "at least 16 characters"),
            (["client.a.token": "s3cret-s3cret-s3cret", "client.a.requests": "5"], "such as 500/hour"),
            (["client.a.token": "s3cret-s3cret-s3cret", "client.a.resources": "x:"], "SOURCE.RESOURCE"),
            (["client.owner.token": "s3cret-s3cret-s3cret"], "the account uses the name owner"),
            (
                ["client.a.token": "s3cret-s3cret-s3cret", "client.b.token": "s3cret-s3cret-s3cret"],
                "token of another client"
            ),
            (
                ["client.a.token": "s3cret-s3cret-s3cret", "token": "s3cret-s3cret-s3cret"],
                "token of another client"
            ),
        ] as [([String: String], String)])
    func options(_ values: [String: String], _ message: String) {
        let settings = Settings(
            "serve", values.mapValues { ConfigurationValue($0, .code) },
            secretKeys: Set(values.keys.filter { $0.hasSuffix("token") }))
        let error = #expect(throws: PatchbayError.self) { try ServerOptions(settings) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("s3cret") == false)
    }

    @Test("a grant of something that is not there is refused when the server starts")
    func grants() async throws {
        let fixture = try await APIFixture()
        for (text, message) in [
            ("test.peopl", "did you mean"), ("test.people:logn", "did you mean"),
            ("other.people", "known: test.people"),
        ] {
            var client = ClientOptions("agent", token: Metered.token)
            client.grants = [try #require(ResourceGrant(text))]
            let error = #expect(throws: PatchbayError.self) { try fixture.api.serving([client]) }
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("serve.client.agent.resources") == true)
        }
    }
}
