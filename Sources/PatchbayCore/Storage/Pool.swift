import Synchronization

/// Lends members, such as connections that read, up to a limit beyond which callers wait in turn without blocking a
/// thread.
package final class Pool<Member: Sendable>: Sendable {
    private struct State {
        /// Makes a member; nil while the pool is closed.
        var make: (@Sendable () throws -> Member)?
        var idle: [Member] = []
        /// The number of members that are idle, lent or being made.
        var count = 0
        var lastTicket = 0
        /// Callers that wait, in order of arrival. One that is resumed with nil tries again.
        var waiting: [(ticket: Int, continuation: CheckedContinuation<Member?, any Error>)] = []
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    private enum Turn { case take(Member), make(@Sendable () throws -> Member), wait }

    private let membersMax: Int
    private let closed: PatchbayError
    private let isCurrent: @Sendable (Member) throws -> Bool
    private let state = Mutex(State())

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
            if try droppingOnError({ try isCurrent(member) }) { return member }
            drop()
        }
    }

    package func giveBack(_ member: Member) {
        let heir = state.withLock { state -> CheckedContinuation<Member?, any Error>? in
            if !state.waiting.isEmpty { return state.waiting.removeFirst().continuation }
            state.idle.append(member)
            return nil
        }
        if let heir { heir.resume(returning: member) } else { finishClosing() }
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
        await withCheckedContinuation { continuation in
            state.withLock { $0.closing.append(continuation) }
            finishClosing()
        }
        return state.withLock { state in
            guard state.make == nil else { return [] }
            defer {
                state.idle = []
                state.count = 0
            }
            return state.idle
        }
    }

    /// The number of callers that wait for a member.
    package var waitingCount: Int { state.withLock { $0.waiting.count } }

    private func turn(_ state: inout State) throws -> Turn {
        guard let make = state.make else { throw closed }
        if let member = state.idle.popLast() { return .take(member) }
        guard state.count < membersMax else { return .wait }
        state.count += 1
        return .make(make)
    }

    private func droppingOnError<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            drop()
            throw error
        }
    }

    /// Drops one lent member and the idle ones, and lets the first caller that waits make another.
    private func drop() {
        let next = state.withLock { state in
            state.count -= 1 + state.idle.count
            state.idle = []
            return state.waiting.isEmpty ? nil : state.waiting.removeFirst().continuation
        }
        if let next { next.resume(returning: nil) } else { finishClosing() }
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
            guard state.make != nil, state.count >= membersMax else { return .success(nil) }
            if let member = state.idle.popLast() { return .success(member) }
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

    private func finishClosing() {
        let closing = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            guard state.make == nil, state.idle.count == state.count else { return [] }
            defer { state.closing = [] }
            return state.closing
        }
        for continuation in closing { continuation.resume() }
    }
}
