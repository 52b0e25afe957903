import Synchronization

/// Lends readers, up to a limit beyond which callers wait in turn without blocking a thread.
final class ReaderPool: Sendable {
    fileprivate struct State {
        var make: (@Sendable () -> Reader)?
        var idle: [Reader] = []
        /// The number of readers, idle or lent.
        var count = 0
        var lastTicket = 0
        /// Callers that wait, in order of arrival. One that is resumed with nil tries again.
        var waiting: [(ticket: Int, continuation: CheckedContinuation<Reader?, any Error>)] = []
        var closing: CheckedContinuation<Void, Never>?
    }

    private let readersMax: Int
    private let state = Mutex(State())

    init(readersMax: Int) { self.readersMax = readersMax }

    func open(_ make: @escaping @Sendable () -> Reader) { state.withLock { $0.make = make } }

    /// Returns a reader for exclusive use; ``giveBack(_:)`` must follow. Returns nil while the storage is closed.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits.
    func take() async throws -> Reader? {
        while true {
            let (reader, isOpen) = state.withLock { state -> (Reader?, Bool) in
                (state.take(readersMax), state.make != nil)
            }
            guard isOpen else { return nil }
            if let reader { return reader }
            if let reader = try await wait() { return reader }
        }
    }

    func giveBack(_ reader: Reader) {
        let heir = state.withLock { state -> CheckedContinuation<Reader?, any Error>? in
            if state.make != nil, !state.waiting.isEmpty { return state.waiting.removeFirst().continuation }
            state.idle.append(reader)
            return nil
        }
        heir?.resume(returning: reader)
        finishClosing()
    }

    /// Waits until every reader has been returned, and closes them all.
    func close() async {
        let waiting = state.withLock { state in
            state.make = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.continuation.resume(returning: nil) }
        await withCheckedContinuation { continuation in
            state.withLock { $0.closing = continuation }
            finishClosing()
        }
        let readers = state.withLock { state in
            defer {
                state.idle = []
                state.count = 0
            }
            return state.idle
        }
        for reader in readers { reader.close() }
    }

    private func finishClosing() {
        let closing = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.make == nil && state.idle.count == state.count ? state.closing.take() : nil
        }
        closing?.resume()
    }

    private func wait() async throws -> Reader? {
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

    private func enqueue(_ continuation: CheckedContinuation<Reader?, any Error>, _ ticket: Int) {
        let outcome = state.withLock { state -> Result<Reader?, any Error>? in
            // Needed when `leave` ran before this caller was in the queue.
            if Task.isCancelled { return .failure(CancellationError()) }
            // The state has changed since `take` looked at it.
            if state.make == nil { return .success(nil) }
            if let reader = state.take(readersMax) { return .success(reader) }
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
}

extension ReaderPool.State {
    fileprivate mutating func take(_ readersMax: Int) -> Reader? {
        guard let make else { return nil }
        if let reader = idle.popLast() { return reader }
        guard count < readersMax else { return nil }
        count += 1
        return make()
    }
}
