import Synchronization
import Testing

@testable import PatchbayCore

@Suite("A pool of readers")
struct PoolTests {
    @Test("when all readers are lent, callers wait in turn; a cancelled caller leaves the queue")
    func waiting() async throws {
        let pool = Pool<Member>(membersMax: 1, whenClosed: .storageNotOpen("here"))
        pool.open { Member(7) }
        let lent = try await pool.take()
        let order = Order()
        let first = Task { try await use(pool) { order.append(1) } }
        try await untilWaiting(1, pool)
        let cancelled = Task { try await use(pool) { order.append(2) } }
        try await untilWaiting(2, pool)
        let last = Task { try await use(pool) { order.append(3) } }
        try await untilWaiting(3, pool)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        pool.release(lent)
        try await first.value
        try await last.value
        #expect(order.numbers == [1, 3])
        #expect(await pool.close().map(\.number) == [7])
        await #expect(throws: PatchbayError.self) { _ = try await pool.take() }
    }

    @Test("members are made when needed, and lent again, the newest first")
    func reuse() async throws {
        let pool = Pool<Member>(membersMax: 3, whenClosed: .storageNotOpen("here"))
        let made = Order()
        pool.open { Member(made.next()) }
        let (first, second) = (try await pool.take(), try await pool.take())
        pool.release(first)
        pool.release(second)
        #expect(try await pool.take().number == 2)
        #expect(made.numbers == [1, 2])
    }

    @Test("a member that is out of date is dropped with the idle ones, and so is one whose check fails")
    func dropping() async throws {
        let current = Mutex<Int?>(1)
        let pool = Pool<Member>(membersMax: 2, whenClosed: .storageNotOpen("here")) { member in
            guard let current = current.withLock({ $0 }) else { throw CancellationError() }
            return member.number >= current
        }
        let made = Order()
        pool.open { Member(made.next()) }
        let (first, second) = (try await pool.take(), try await pool.take())
        pool.release(first)
        pool.release(second)
        current.withLock { $0 = 3 }
        #expect(try await pool.take().number == 3)
        pool.release(Member(3))
        current.withLock { $0 = nil }
        await #expect(throws: CancellationError.self) { _ = try await pool.take() }
        current.withLock { $0 = 4 }
        #expect(try await pool.take().number == 4)
        pool.release(Member(4))
        #expect(await pool.close().map(\.number) == [4])
    }

    @Test("a failure to make a member leaves its place to the next caller")
    func failure() async throws {
        let pool = Pool<Member>(membersMax: 1, whenClosed: .storageNotOpen("here"))
        pool.open { throw CancellationError() }
        await #expect(throws: CancellationError.self) { _ = try await pool.take() }
        pool.open { Member(1) }
        #expect(try await pool.take().number == 1)
    }

    @Test("closing waits for lent members, and refuses callers that wait")
    func closing() async throws {
        let pool = Pool<Member>(membersMax: 1, whenClosed: .storageNotOpen("here"))
        pool.open { Member(1) }
        let lent = try await pool.take()
        let waiting = Task { try await use(pool) {} }
        try await untilWaiting(1, pool)
        let closing = Task { await pool.close() }
        await #expect(throws: PatchbayError.self) { try await waiting.value }
        pool.release(lent)
        #expect(await closing.value.map(\.number) == [1])
        pool.open { Member(2) }
        #expect(try await pool.take().number == 2)
    }

    @Test("a paused pool returns its members, and callers wait until every pause has ended")
    func pausing() async throws {
        let pool = Pool<Member>(membersMax: 2, whenClosed: .storageNotOpen("here"))
        let made = Order()
        pool.open { Member(made.next()) }
        let lent = try await pool.take()
        let pausing = Task { await pool.pause() }
        pool.release(lent)
        #expect(await pausing.value.map(\.number) == [1])
        #expect(await pool.pause().map(\.number) == [])
        let waiting = Task { try await pool.take() }
        try await untilWaiting(1, pool)
        pool.resume()
        #expect(pool.waitingCount == 1)
        pool.resume()
        #expect(try await waiting.value.number == 2)
        pool.release(Member(2))
        #expect(try await pool.take().number == 2)
        pool.release(Member(2))
        #expect(pool.removeIdle().map(\.number) == [2])
        _ = await pool.pause()
        let refused = Task { try await pool.take() }
        try await untilWaiting(1, pool)
        await pool.close()
        await #expect(throws: PatchbayError.self) { _ = try await refused.value }
        pool.resume()
    }

    private func use(_ pool: Pool<Member>, _ body: @Sendable () -> Void) async throws {
        let member = try await pool.take()
        body()
        pool.release(member)
    }

    private func untilWaiting(_ count: Int, _ pool: Pool<Member>) async throws {
        while pool.waitingCount < count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}

private final class Member: Sendable {
    let number: Int

    init(_ number: Int) { self.number = number }
}

/// The order in which tasks had their turn.
private final class Order: Sendable {
    private let turns = Mutex<[Int]>([])
    var numbers: [Int] { turns.withLock { $0 } }
    func append(_ number: Int) { turns.withLock { $0.append(number) } }

    func next() -> Int {
        turns.withLock { turns in
            turns.append(turns.count + 1)
            return turns.count
        }
    }
}
