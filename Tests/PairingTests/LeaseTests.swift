import Patchbay
import PatchbayCore
import PatchbayDomain
@testable import PatchbayGateway
@testable import PatchbayTestKit
import Synchronization
import Testing

@Suite("Leases of requests")
struct LeaseTests {
    /// Holds answers of a feed back until the test releases them.
    private final class Gate: Sendable {
        private let state = Mutex<(arrived: Int, waiting: [AsyncStream<Never>.Continuation], isOpen: Bool)>(
            (0, [], false))
        private let arrivals = AsyncStream.makeStream(of: Void.self)

        func open() {
            let waiting = state.withLock { state in
                state.isOpen = true
                return state.waiting
            }
            for gate in waiting { gate.finish() }
        }

        /// Waits for a request.
        func hasArrived() async { for await _ in arrivals.stream { return } }

        @Sendable func wait() async throws {
            let (gate, opening) = AsyncStream.makeStream(of: Never.self)
            state.withLock { state in
                if state.isOpen { opening.finish() } else { state.waiting.append(opening) }
            }
            arrivals.continuation.yield()
            for await _ in gate {}
            try Task.checkCancellation()
        }
    }

    /// Gateways that each open the storage separately, as processes do.
    private struct Fixture {
        let folder: StorageFolder
        let plugin: String
        let scripted = ScriptedFeed(people: 1...45, pageSize: 20)
        let gate = Gate()
        let clock = ManualClock(jumps: true)

        init(_ plugin: String) throws {
            folder = try StorageFolder()
            self.plugin = plugin
        }

        var slow: InterruptedFeed { InterruptedFeed(scripted, before: gate.wait) }

        func gateway(_ feed: (any ResourceFeed)? = nil) async throws -> Gateway {
            var source = scripted.source(querying: feed ?? slow)
            source.word = "scripted"
            source.sharesRequests = true
            // The gateways share one storage object if the process already has it open.
            let storage = try await folder.storage(plugin, "store")
            return try await Gateway(storage: storage, source: source, now: Timestamp.now)
        }
    }

    /// Storages whose files one process may open twice.
    private static let reopened = ["sqlite"]

    @Test("only one of several gateways requests a row, and all of them return it", arguments: reopened)
    func oneRow(_ plugin: String) async throws {
        let fixture = try Fixture(plugin)
        var gateways: [Gateway] = []
        for _ in 1...5 { gateways.append(try await fixture.gateway()) }
        try await withThrowingTaskGroup(of: Answer<Item>?.self) { group in
            for gateway in gateways {
                group.addTask { try await gateway.show("people", "user-7").last() }
            }
            await fixture.gate.hasArrived()
            fixture.gate.open()
            for try await answer in group {
                #expect(answer?.value?.handle == "user-7")
                #expect(answer?.outcome.isEnding == true)
            }
        }
        #expect(fixture.scripted.requests == ["person user-7"])
        for gateway in gateways { try await gateway.close() }
    }

    @Test("requests of one gateway that wait for the same rows fail together", arguments: reopened)
    func sharedFailure(_ plugin: String) async throws {
        let fixture = try Fixture(plugin)
        let gateway = try await fixture.gateway()
        fixture.scripted.answers.fail(with: PatchbayError(.offline, "no network"))
        let begun = Mutex(0)
        let request: @Sendable () async throws -> Answer<Item>? = {
            begun.withLock { $0 += 1 }
            return try await gateway.show("people", "user-7", policy: .refresh).last()
        }
        try await withThrowingTaskGroup(of: Answer<Item>?.self) { group in
            for _ in 1...20 { group.addTask { try await request() } }
            await fixture.gate.hasArrived()
            while begun.withLock({ $0 < 20 }) { await Task.yield() }
            // The others wait by now, or send a request of their own later.
            try await Task.sleep(for: .milliseconds(300))
            fixture.gate.open()
            for try await answer in group {
                guard case .failed(let error)? = answer?.outcome else {
                    Issue.record("\(answer as Any)")
                    continue
                }
                #expect(error.code == .offline)
            }
        }
        #expect(fixture.scripted.requests.count < 10, "\(fixture.scripted.requests.count)")
        try await gateway.close()
    }

    @Test(
        "a request that has waited for one which a used-up limit refused is sent itself", arguments: reopened)
    func limited(_ plugin: String) async throws {
        let fixture = try Fixture(plugin), isRefused = Mutex(true)
        let gateway = try await fixture.gateway(
            InterruptedFeed(
                fixture.scripted,
                before: {
                    let isRefused = isRefused.withLock { isRefused in
                        defer { isRefused = false }
                        return isRefused
                    }
                    guard isRefused else { return }
                    // The other request waits by now, or is sent later.
                    try await Task.sleep(for: .milliseconds(300))
                    throw PatchbayError(.rateLimited, "the limit is used up")
                }))
        async let one = gateway.show("people", "user-7", policy: .refresh).last()
        async let other = gateway.show("people", "user-7", policy: .refresh).last()
        let values = [try await one, try await other].compactMap { $0?.value }
        #expect(values.map(\.handle) == ["user-7"])
        try await gateway.close()
    }

    @Test("only one of several gateways requests a page, and all of them return it", arguments: reopened)
    func onePage(_ plugin: String) async throws {
        let fixture = try Fixture(plugin)
        var gateways: [Gateway] = []
        for _ in 1...5 { gateways.append(try await fixture.gateway()) }
        try await withThrowingTaskGroup(of: Answer<ItemList>?.self) { group in
            for gateway in gateways {
                group.addTask { try await gateway.list("people", limit: 20).last() }
            }
            await fixture.gate.hasArrived()
            fixture.gate.open()
            for try await answer in group { #expect(answer?.value?.items.count == 20) }
        }
        // A gateway that begins late finds the page stored, and only confirms it.
        #expect(fixture.scripted.requests.count { $0 == "people after 0" } == 1)
        for gateway in gateways { try await gateway.close() }
    }

    @Test(
        "a row saved by another gateway after this one read the storage is not requested again",
        arguments: reopened)
    func savedBeforeTheTurn(_ plugin: String) async throws {
        let fixture = try Fixture(plugin)
        fixture.gate.open()
        let gateway = try await fixture.gateway(), other = try await fixture.gateway()
        let resource = try gateway.resource("people"), feed = gateway.feed(of: ListQuestion(resource))
        let run = StoredListRun(
            list: feed.list, query: feed.query, startedAt: Timestamp.now().advanced(by: .milliseconds(-1)))
        var walk = ListWalk(run)
        // This gateway found nothing stored; now the other one fetches and saves.
        let steps = gateway.show(resource, "user-7").steps
        var known = LocalFirst<Item>.Stored()
        let first = await steps.first(&known)
        #expect(first == nil)
        _ = try await other.show("people", "user-7").last()
        _ = try await other.list("people", limit: 20).last()
        #expect(await steps.last(known).value?.handle == "user-7")
        let details = try gateway.details(of: resource)
        let found = try await details.refresh("user-7", known: nil, isConditional: true)
        #expect(found.0.handle == "user-7" && found.hasChanged)
        let pages = try await feed.fetchPage(of: &walk, isConditional: true)
        #expect(pages.haveChanged)
        #expect(fixture.scripted.requests == ["person user-7", "people after 0"])
        // Rows known before are requested again.
        _ = try await details.refresh("user-7", known: found.0, isConditional: true)
        walk = ListWalk(run)
        walk.run.startedAt = Timestamp.now()
        _ = try await feed.fetchPage(of: &walk, isConditional: true)
        #expect(fixture.scripted.requests.count == 4)
        try await gateway.close()
        try await other.close()
    }

    @Test("syncs of one list in several gateways request each page once", arguments: reopened)
    func sync(_ plugin: String) async throws {
        let fixture = try Fixture(plugin)
        fixture.gate.open()
        var gateways: [Gateway] = []
        for _ in 1...4 { gateways.append(try await fixture.gateway()) }
        // The first gateway creates the cursor; the others find it.
        var first = try gateways[0].sync("people").makeAsyncIterator()
        _ = await first.next()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for gateway in gateways.dropFirst() {
                group.addTask { _ = try await gateway.sync("people").run() }
            }
            try await group.waitForAll()
        }
        while await first.next() != nil {}
        #expect(fixture.scripted.requests == ["people after 0", "people next 20", "people next 40"])
        for gateway in gateways { try await gateway.close() }
    }

    @Test(
        "a failed or cancelled request releases its lease", arguments: StorageFolder.durable)
    func failure(_ plugin: String) async throws {
        let fixture = try Fixture(plugin)
        let gateway = try await fixture.gateway()
        let cancelled = Task { try await gateway.show("people", "user-7").last() }
        await fixture.gate.hasArrived()
        cancelled.cancel()
        fixture.gate.open()
        _ = try await cancelled.value
        fixture.scripted.answers.fail(with: PatchbayError(.offline, "no network"))
        let failed = try await gateway.show("people", "user-7").last()
        #expect(failed?.outcome.isEnding == true && failed?.value == nil)
        fixture.scripted.answers.fail(with: nil)
        #expect(try await gateway.show("people", "user-7").last()?.value?.handle == "user-7")
        #expect(try await gateway.store.read { try $0.count(Query(StoredLease.collection)) } == 0)
        try await gateway.close()
    }

    @Test("the lease of an ended process is taken over at once, one of another machine after 30 seconds")
    func succession() async throws {
        let fixture = try Fixture("sqlite")
        fixture.gate.open()
        let clock = fixture.clock
        let storage = try await fixture.folder.storage("sqlite", "store")
        var source = fixture.scripted.source(querying: fixture.slow)
        source.sharesRequests = true
        let gateway = try await Gateway(storage: storage, source: source, clock: clock.layerClock)
        let resource = try gateway.resource("people")
        let name = try await leaseName(of: "user-7", gateway, fixture)
        func leave(_ holder: String) async throws {
            try await gateway.store.write { try $0.put(StoredLease(name: name, holder: holder, token: "t")) }
        }
        let me = ProcessName.current.description.split(separator: " ")
        // No process has this number.
        try await leave("\(me[0]) \(me[1]) 4194305 1")
        _ = await gateway.show(resource, "user-7").last()
        #expect(clock.sleeps.allSatisfy { $0 >= .seconds(8) })
        try await leave("another-machine 1 1 1")
        let before = clock.layerClock.uptime()
        _ = await gateway.show(resource, "user-7").last()
        let waited = clock.layerClock.uptime() - before
        #expect(waited >= .seconds(30) && waited < .seconds(40))
        #expect(fixture.scripted.requests.count == 3)
        try await gateway.close()
    }

    /// The name of a row's lease, read from the storage while a gateway requests the row.
    private func leaseName(of handle: String, _ gateway: Gateway, _ fixture: Fixture) async throws -> String {
        let names = Mutex<[String]>([])
        let feed = InterruptedFeed(
            fixture.scripted,
            before: {
                let found = try await gateway.store.read {
                    try $0.list(StoredLease.self, Query(StoredLease.collection)).map(\.name)
                }
                names.withLock { $0 += found }
            })
        var source = gateway.source
        source.feed = feed
        let other = try await Gateway(
            storage: fixture.folder.storage("sqlite", "store"), source: source, now: Timestamp.now)
        _ = try await other.show("people", handle).last()
        try await other.close()
        return try #require(names.withLock { $0.first })
    }
}

extension Answers {
    /// The last answer.
    fileprivate func last() async -> Answer<Value>? {
        var last: Answer<Value>?
        for await answer in self { last = answer }
        return last
    }
}
