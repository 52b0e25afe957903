import Synchronization

/// Lends members, such as connections that read, up to a limit beyond which callers wait in turn without blocking a
/// thread.
package final class Pool<Member: AnyObject & Sendable>: Sendable {
    private let membersMax: Int
    private let closed: PatchbayError
    private let isCurrent: @Sendable (Member) throws -> Bool
    private let state = Mutex(PoolState())

    /// Creates a closed pool.
    ///
    /// - Parameters:
    ///   - closed: the error for callers of a closed pool.
    ///   - isCurrent: whether an existing member can be lent again. One that cannot, or for which this throws, is
    ///     dropped together with the idle ones.
    package init(
        membersMax: Int, whenClosed closed: PatchbayError,
        isCurrent: @escaping @Sendable (Member) throws -> Bool = { _ in true }
    ) {
        self.membersMax = membersMax
        self.closed = closed
        self.isCurrent = isCurrent
    }

    /// Opens the pool, which calls `make` for each new member, on the thread of the caller that gets it.
    package func open(_ make: @escaping @Sendable () throws -> Member) { state.withLock { $0.make = make } }

    /// Returns a member for exclusive use; ``release(_:)`` must follow.
    ///
    /// - Parameter patience: how long to wait for a member, and the error to throw afterwards; nil waits until one is
    ///   returned.
    /// - Throws: the given error while the pool is closed, `CancellationError` when the task is cancelled while it
    ///   waits, and the errors of `make` and `isCurrent`.
    package func take(patience: (limit: Duration, error: PatchbayError)? = nil) async throws -> Member {
        while true {
            if let member = try takeIdle() { return member }
            if let freed = try await wait(patience), try canLend(freed) { return freed }
        }
    }

    /// Returns a member for exclusive use, as ``take(patience:)`` does; nil instead of waiting.
    package func takeIdle() throws -> Member? {
        switch state.withLock({ $0.turn(membersMax) }) {
        case .refused: throw closed
        case .make(let make): return Self.member(try droppingOnError(make))
        case .take(let idle):
            let member = Self.member(idle)
            return try canLend(member) ? member : nil
        case .wait: return nil
        }
    }

    package func release(_ member: Member) {
        let (heir, drained) = state.withLock { $0.release(member) }
        heir?.resume(returning: member)
        for continuation in drained { continuation.resume() }
    }

    /// Waits until every member has been returned, and returns them all.
    @discardableResult
    package func close() async -> [Member] {
        let waiting = state.withLock { state in
            state.make = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.continuation.resume(returning: nil) }
        return await drain()
    }

    /// Makes callers wait, then waits until every member has been returned, and returns them all; ``resume()`` must
    /// follow.
    package func pause() async -> [Member] {
        state.withLock { $0.pauseCount += 1 }
        return await drain()
    }

    /// Ends a ``pause()``.
    package func resume() {
        let waiting = state.withLock { state -> [PoolState.Waiter] in
            state.pauseCount -= 1
            guard state.pauseCount == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.continuation.resume(returning: nil) }
    }

    /// Returns the idle members, which are not lent again.
    package func removeIdle() -> [Member] { state.withLock { $0.removeAll() }.map(Self.member) }

    private static func member(_ object: Object) -> Member { unsafe unsafeDowncast(object, to: Member.self) }

    private func drain() async -> [Member] {
        await withCheckedContinuation { continuation in
            state.withLock { $0.draining.append(continuation) }
            finishDraining()
        }
        return state.withLock { $0.isLending ? [] : $0.removeAll() }.map(Self.member)
    }

    /// The number of callers that wait for a member.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func droppingOnError<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            drop()
            throw error
        }
    }

    /// Whether a member can be lent again. One that cannot is dropped.
    private func canLend(_ member: Member) throws -> Bool {
        if try droppingOnError({ try isCurrent(member) }) { return true }
        drop()
        return false
    }

    /// Drops one lent member and the idle ones, and lets the first caller that waits make another.
    private func drop() {
        let next = state.withLock { state in
            state.count -= 1
            _ = state.removeAll()
            return state.isLending ? state.firstWaiting() : nil
        }
        if let next { next.resume(returning: nil) } else { finishDraining() }
    }

    private func wait(_ patience: (limit: Duration, error: PatchbayError)?) async throws -> Member? {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        let timer = patience.map { patience in
            Task {
                try await Task.sleep(for: patience.limit)
                leave(ticket, patience.error)
            }
        }
        defer { timer?.cancel() }
        let freed = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enqueue($0, ticket) }
        } onCancel: {
            leave(ticket, CancellationError())
        }
        return freed.map(Self.member)
    }

    private func enqueue(_ continuation: CheckedContinuation<Object?, any Error>, _ ticket: Int) {
        let outcome = state.withLock { state -> Result<Object?, any Error>? in
            // Needed when `leave` ran before this caller was in the queue.
            if Task.isCancelled { return .failure(CancellationError()) }
            // The state has changed since `turn` looked at it.
            guard state.make != nil else { return .success(nil) }
            if state.pauseCount == 0 {
                if state.count < membersMax { return .success(nil) }
                if let member = state.idle.popLast() { return .success(member) }
            }
            state.waiting.append((ticket, continuation))
            return nil
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    private func leave(_ ticket: Int, _ error: any Error) {
        let continuation = state.withLock { state in
            state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0).continuation }
        }
        continuation?.resume(throwing: error)
    }

    private func finishDraining() {
        for continuation in state.withLock({ $0.drained() }) { continuation.resume() }
    }
}

private typealias Object = any AnyObject & Sendable

/// What a caller gets or does.
private enum Turn { case refused, take(Object), make(@Sendable () throws -> Object), wait }

/// The state of a pool. It is not generic, because generic code that is not specialised is several times slower.
private struct PoolState {
    /// A caller that waits. One that is resumed with nil tries again.
    typealias Waiter = (ticket: Int, continuation: CheckedContinuation<Object?, any Error>)

    /// Makes a member; nil while the pool is closed.
    var make: (@Sendable () throws -> Object)?
    /// The number of pauses that have not ended.
    var pauseCount = 0
    var idle: [Object] = []
    /// The number of members that are idle, lent or being made.
    var count = 0
    var lastTicket = 0
    /// In order of arrival.
    var waiting: [Waiter] = []
    /// Those that close or pause, and wait for the members.
    var draining: [CheckedContinuation<Void, Never>] = []

    var isLending: Bool { make != nil && pauseCount == 0 }

    mutating func turn(_ membersMax: Int) -> Turn {
        guard let make else { return .refused }
        guard pauseCount == 0 else { return .wait }
        if let member = idle.popLast() { return .take(member) }
        guard count < membersMax else { return .wait }
        count += 1
        return .make(make)
    }

    /// Returns the caller that gets the member, or else those that have waited for all members.
    mutating func release(
        _ member: Object
    ) -> (heir: CheckedContinuation<Object?, any Error>?, drained: [CheckedContinuation<Void, Never>]) {
        if isLending, let heir = firstWaiting() { return (heir, []) }
        idle.append(member)
        return (nil, drained())
    }

    /// Returns those that close or pause, when every member has been returned.
    mutating func drained() -> [CheckedContinuation<Void, Never>] {
        guard !isLending, idle.count == count else { return [] }
        defer { draining = [] }
        return draining
    }

    mutating func firstWaiting() -> CheckedContinuation<Object?, any Error>? {
        waiting.isEmpty ? nil : waiting.removeFirst().continuation
    }

    mutating func removeAll() -> [Object] {
        defer { idle = [] }
        count -= idle.count
        return idle
    }
}
