import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Synchronization
import Testing

@testable import PatchbayNetworking

@Suite("A pace that a definition declares")
struct PacingTests {
    private let clock = ManualClock(Timestamp("2026-10-01T09:00:00Z")!, jumps: true)

    /// A storage of which several gateways may be open, as if in several processes.
    private struct SharedStorage: StorageWrapper {
        let inner: any Storage
        var features: StorageFeatures { inner.features.union(.sharedBetweenProcesses) }
    }

    private func store() async throws -> Store {
        try await Store(
            SharedStorage(inner: MemoryStorage()), schema: Schema(version: 1, [StoredPace.collection]))
    }

    private func process(
        _ network: any Networking, _ limits: Pacing.Limit..., waitAtMost: Duration = .seconds(600),
        store: Store? = nil
    ) -> any Networking {
        network.layered(
            Pacing(limits, waitAtMost: waitAtMost, clock: clock.layerClock, store: { store }))
    }

    /// A server that remembers when requests arrived, in milliseconds.
    private final class Server: Networking {
        let times = Mutex<[Int64]>([])
        let clock: ManualClock

        init(_ clock: ManualClock) { self.clock = clock }

        func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
            times.withLock { $0.append(clock.now().milliseconds) }
            return .status(200)
        }

        /// The largest number of requests in any period.
        func most(in period: Int64) -> Int {
            let times = times.withLock { $0.sorted() }
            return times.map { start in times.count { (start..<start + period).contains($0) } }.max() ?? 0
        }
    }

    @Test("a wait is reported with its length when it begins")
    func reported() async throws {
        let waits = Mutex<[RateLimitWait]>([])
        let pacing = Pacing(
            [.init(requests: 2, period: .seconds(60))], waitAtMost: .seconds(600), clock: clock.layerClock,
            waiting: { wait in waits.withLock { $0.append(wait) } })
        let network = Server(clock).layered(pacing)
        for _ in 1...3 { _ = try await network.get("/users") }
        let reported = waits.withLock { $0 }
        #expect(reported.count == 1 && !reported[0].server.isEmpty)
        #expect(reported.map(\.duration) == clock.sleeps)
    }

    @Test("no period has more requests than allowed, and little time is lost", arguments: [1, 3, 20, 100])
    func alone(_ requests: Int) async throws {
        let server = Server(clock), start = clock.now()
        let network = process(server, .init(requests: requests, period: .seconds(60)))
        for _ in 1...5 * requests { _ = try await network.get("/users") }
        #expect(server.most(in: 60_000) == requests)
        // The first period's requests are sent at once, and each further period takes at most two parts longer.
        #expect(start.age(at: clock.now()) <= .seconds(4 * 62))
    }

    @Test("processes that share a storage keep a pace together", arguments: 1...5 as ClosedRange<UInt64>)
    func together(_ seed: UInt64) async throws {
        let server = Server(clock), store = try await store(), start = clock.now()
        let limit = Pacing.Limit(requests: 20, period: .seconds(60))
        let processes = (1...4).map { _ in process(server, limit, store: store) }
        var generator = SeededGenerator(seed: seed)
        for _ in 1...100 {
            _ = try await processes.randomElement(using: &generator)!.get("/users")
            if Bool.random(using: &generator) {
                clock.advance(by: .milliseconds(Int64.random(in: 0...3_000, using: &generator)))
            }
        }
        #expect(server.most(in: 60_000) <= 20)
        #expect(start.age(at: clock.now()) <= .seconds(5 * 62))
    }

    @Test("each path, origin and token has its own pace; a limit without a path applies to all paths")
    func separate() async throws {
        let network = ScriptedNetworking(.status(200)), store = try await store(), start = clock.now()
        let pacing = process(
            network, .init(path: "/users", requests: 1, period: .seconds(60)),
            .init(requests: 3, period: .seconds(600)), waitAtMost: .seconds(700), store: store)
        for path in ["/users", "/repos", "/repos"] { _ = try await pacing.get(path) }
        #expect(clock.now() == start)
        _ = try await pacing.send(.get("/users", token: "another token"), body: [])
        #expect(clock.now() == start)
        _ = try await pacing.get("/users")
        #expect(start.age(at: clock.now()) >= .seconds(600))
        let rows = try await store.read { try $0.list(StoredPace.self, Query(StoredPace.collection)) }
        #expect(rows.count == 4 && rows.allSatisfy { !"\($0)".contains("another token") })
    }

    @Test("a request that would wait too long fails with the time, and takes no turn")
    func tooLong() async throws {
        let network = ScriptedNetworking(.status(200)), store = try await store()
        let pacing = process(
            network, .init(requests: 1, period: .seconds(60)), waitAtMost: .seconds(10), store: store)
        _ = try await pacing.get("/users")
        for _ in 1...3 {
            let error = await fault { try await pacing.get("/users") }
            #expect(error?.code == .rateLimited && error?.message.contains("in 1 min 1 s") == true)
            #expect(error?.retryAt == clock.now().advanced(by: .seconds(61)))
            #expect(error?.url?.hasSuffix("/users") == true)
        }
        clock.advance(by: .seconds(61))
        _ = try await pacing.get("/users")
        #expect(network.sent.count == 2)
    }

    @Test("without a writable storage, a process keeps the pace alone")
    func unwritable() async throws {
        let server = Server(clock)
        let limit = Pacing.Limit(requests: 2, period: .seconds(60))
        let network = server.layered(
            Pacing([limit], waitAtMost: .seconds(600), clock: clock.layerClock) {
                throw PatchbayError(.permissionDenied, "the disk is read-only")
            })
        for _ in 1...6 { _ = try await network.get("/users") }
        #expect(server.most(in: 60_000) == 2)
    }

    @Test("the fingerprints of clients' tokens are not stored, and each process keeps their paces alone")
    func clients() async throws {
        let server = Server(clock), store = try await store()
        let limit = Pacing.Limit(requests: 2, period: .seconds(60))
        let own = TokenFingerprint("own").description
        let network = server.layered(
            Pacing([limit], waitAtMost: .seconds(600), clock: clock.layerClock) {
                store
            } keeps: {
                $0 == own
            })
        for _ in 1...6 { _ = try await network.send(.get("/users", token: "a client's"), body: []) }
        #expect(server.most(in: 60_000) == 2)
        let stored = { try await store.read { try $0.count(Query(StoredPace.collection)) } }
        #expect(try await stored() == 0)
        _ = try await network.send(.get("/users", token: "own"), body: [])
        #expect(try await stored() == 1)
    }

    @Test("turns of a clock that was ahead for a moment limit nothing", arguments: [600, 43_200, 7 * 86_400])
    func setBack(_ seconds: Int) {
        let limit = Pacing.Limit(requests: 1, period: .seconds(60)), now = clock.now()
        let ahead = now.advanced(by: .seconds(seconds))
        var turns = PaceTurns()
        turns.take(at: ahead, under: limit, from: ahead)
        #expect(turns.next(under: limit, from: now) == now)
        #expect(PaceTurns(turns.text).next(under: limit, from: now) == now)
        turns.take(at: now, under: limit, from: now)
        #expect(turns.next(under: limit, from: now) > now.advanced(by: .seconds(60)))
        #expect(PaceTurns(turns.text) == turns)
        #expect(PaceTurns("") == PaceTurns() && PaceTurns("x").text.isEmpty)
    }

    @Test("turns that wait for a full period are kept, however long it is")
    func waiting() {
        let limit = Pacing.Limit(requests: 1, period: .seconds(36_000)), now = clock.now()
        var turns = PaceTurns()
        turns.take(at: now, under: limit, from: now)
        let second = turns.next(under: limit, from: now)
        turns.take(at: second, under: limit, from: now)
        #expect(now.age(at: turns.next(under: limit, from: now)) >= .seconds(72_000))
    }

    @Test("the pace of a token that is no longer used is deleted")
    func rotation() async throws {
        let network = ScriptedNetworking(.status(200)), store = try await store()
        let pacing = process(network, .init(requests: 5, period: .seconds(60)), store: store)
        for number in 1...3 {
            _ = try await pacing.send(.get("/users", token: "token \(number)"), body: [])
            clock.advance(by: .seconds(3_600))
        }
        let rows = try await store.read { try $0.list(StoredPace.self, Query(StoredPace.collection)) }
        #expect(rows.count == 1)
    }
}
