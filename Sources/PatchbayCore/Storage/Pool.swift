package import Synchronization

/// Lends members, such as connections that read, up to a limit beyond which callers wait in turn without blocking a
/// thread.
package final class Pool<Member: Sendable>: Sendable {
    /// A caller that waits. One that is resumed with nil tries again.
    @usableFromInline typealias Waiter = (
        ticket: Int, continuation: CheckedContinuation<Member?, any Error>
    )

    @usableFromInline struct State {
        /// Makes a member; nil while the pool is closed.
        var make: (@Sendable () throws -> Member)?
        /// The number of pauses that have not ended.
        var pauseCount = 0
        @usableFromInline var idle: [Member] = []
        /// The number of members that are idle, lent or being made.
        var count = 0
        var lastTicket = 0
        /// In order of arrival.
        @usableFromInline var waiting: [Waiter] = []
        /// Those that close or pause, and wait for the members.
        @usableFromInline var draining: [CheckedContinuation<Void, Never>] = []

        @usableFromInline var isLending: Bool { make != nil && pauseCount == 0 }

        mutating func firstWaiting() -> CheckedContinuation<Member?, any Error>? {
            waiting.isEmpty ? nil : waiting.removeFirst().continuation
        }

        mutating func removeAll() -> [Member] {
            defer { idle = [] }
            count -= idle.count
            return idle
        }
    }

    private enum Turn { case take(Member), make(@Sendable () throws -> Member), wait }

    private let membersMax: Int
    private let closed: PatchbayError
    @usableFromInline let isCurrent: @Sendable (Member) throws -> Bool
    @usableFromInline let state = Mutex(State())

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

    /// Returns a member for exclusive use; ``giveBack(_:)`` must follow.
    ///
    /// - Throws: the given error while the pool is closed, `CancellationError` when the task is cancelled while it
    ///   waits, and the errors of `make` and `isCurrent`.
    package func take() async throws -> Member {
        while true {
            let member: Member
            switch try state.withLock({ try turn(&$0) }) {
            case .make(let make): return try droppingOnError(make)
            case .take(let idle): member = idle
            case .wait:
                guard let lent = try await wait() else { continue }
                member = lent
            }
            if try canLend(member) { return member }
        }
    }

    /// Returns an idle member, for callers that take many in quick succession; nil when they have to ``take()`` one.
    ///
    /// - Throws: the errors of `isCurrent`.
    @inlinable package func takeIdle() throws -> Member? {
        guard let member = state.withLock({ $0.isLending ? $0.idle.popLast() : nil }) else { return nil }
        return try canLend(member) ? member : nil
    }

    @inlinable package func giveBack(_ member: Member) {
        let isKept = state.withLock { state in
            guard state.waiting.isEmpty, state.draining.isEmpty else { return false }
            state.idle.append(member)
            return true
        }
        if !isKept { pass(on: member) }
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
        let waiting = state.withLock { state -> [Waiter] in
            state.pauseCount -= 1
            guard state.pauseCount == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.continuation.resume(returning: nil) }
    }

    /// Returns the idle members, which are not lent again.
    package func removeIdle() -> [Member] { state.withLock { $0.removeAll() } }

    private func drain() async -> [Member] {
        await withCheckedContinuation { continuation in
            state.withLock { $0.draining.append(continuation) }
            finishDraining()
        }
        return state.withLock { $0.isLending ? [] : $0.removeAll() }
    }

    /// The number of callers that wait for a member.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func turn(_ state: inout State) throws -> Turn {
        guard let make = state.make else { throw closed }
        guard state.pauseCount == 0 else { return .wait }
        if let member = state.idle.popLast() { return .take(member) }
        guard state.count < membersMax else { return .wait }
        state.count += 1
        return .make(make)
    }

    @inlinable func droppingOnError<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            drop()
            throw error
        }
    }

    /// Whether a member can be lent again. One that cannot is dropped.
    @inlinable func canLend(_ member: Member) throws -> Bool {
        if try droppingOnError({ try isCurrent(member) }) { return true }
        drop()
        return false
    }

    /// Drops one lent member and the idle ones, and lets the first caller that waits make another.
    @usableFromInline func drop() {
        let next = state.withLock { state in
            state.count -= 1
            _ = state.removeAll()
            return state.isLending ? state.firstWaiting() : nil
        }
        if let next { next.resume(returning: nil) } else { finishDraining() }
    }

    /// Gives a returned member to the first caller that waits.
    @usableFromInline func pass(on member: Member) {
        let heir = state.withLock { state in
            let heir = state.isLending ? state.firstWaiting() : nil
            if heir == nil { state.idle.append(member) }
            return heir
        }
        if let heir { heir.resume(returning: member) } else { finishDraining() }
    }

    private func wait() async throws -> Member? {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { enqueue($0, ticket) }
        } onCancel: {
            leave(ticket)
        }
    }

    private func enqueue(_ continuation: CheckedContinuation<Member?, any Error>, _ ticket: Int) {
        let outcome = state.withLock { state -> Result<Member?, any Error>? in
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

    private func leave(_ ticket: Int) {
        let continuation = state.withLock { state in
            state.waiting.firstIndex { $0.ticket == ticket }.map { state.waiting.remove(at: $0).continuation }
        }
        continuation?.resume(throwing: CancellationError())
    }

    private func finishDraining() {
        let draining = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard !state.isLending, state.idle.count == state.count else { return [] }
            defer { state.draining = [] }
            return state.draining
        }
        for continuation in draining { continuation.resume() }
    }
}
