import PatchbayCore
import Synchronization

/// Keeps read transactions for reuse and hands out a limited number at once.
///
/// When none is free, readers wait in line and are served first come, first served.
final class ReaderPool: Sendable {
    /// The reads of one storage that may run at once. Their bodies do not suspend, so this is far more than there are
    /// threads.
    static let readersMax = 64

    private struct State {
        /// Between reads, they keep their places among the readers but no snapshot.
        var idle: [ReadTransaction] = []
        /// The number of turns; each may hold a transaction.
        var turnCount = 0
        var waiters: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
        var lastNumber = 0
        var isClosed = false
        var drained: CheckedContinuation<Void, Never>?
    }

    private let environment: Environment
    private let tables: Tables
    private let limit: Int
    private let state = Mutex(State())

    init(_ environment: Environment, _ tables: Tables, limit: Int = ReaderPool.readersMax) {
        self.environment = environment
        self.tables = tables
        self.limit = limit
    }

    /// Returns an idle transaction with the newest snapshot, which is the common case; nil when there is none, so that
    /// the caller must `take` one.
    @inline(__always)
    func takeIdle() throws -> ReadTransaction? {
        let idle = state.withLock { state -> ReadTransaction? in
            guard state.turnCount < limit, !state.isClosed, let reader = state.idle.popLast() else {
                return nil
            }
            state.turnCount += 1
            return reader
        }
        return try idle.map(renewed)
    }

    /// Returns a transaction with the newest snapshot. Return it with `giveBack`.
    ///
    /// - Throws: `busy` when other processes have all reader places, `CancellationError` when cancelled while waiting.
    func take() async throws -> ReadTransaction {
        try await waitForTurn()
        if let idle = state.withLock({ $0.idle.popLast() }) { return try renewed(idle) }
        do {
            return ReadTransaction(try begin(), tables)
        } catch {
            endTurn(nil)
            throw error
        }
    }

    func giveBack(_ reader: ReadTransaction) {
        reader.transaction.reset()
        endTurn(reader)
    }

    /// Takes the newest snapshot. When this fails, the transaction is dropped.
    @inline(__always)
    private func renewed(_ reader: ReadTransaction) throws -> ReadTransaction {
        do {
            try reader.transaction.renew()
            return reader
        } catch {
            reader.transaction.abort()
            endTurn(nil)
            throw error
        }
    }

    private func begin() throws -> Transaction {
        do {
            return try Transaction(environment, isWriting: false)
        } catch let error as PatchbayError where error.code == .busy {
            try environment.clearStaleReaders()
            return try Transaction(environment, isWriting: false)
        }
    }

    /// The number of readers in line.
    var waiterCount: Int { state.withLock { $0.waiters.count } }

    /// Refuses further reads, waits for those that run and ends all transactions.
    func drain() async {
        let waiters = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.continuation.resume(throwing: Connection.Closed()) }
        await withCheckedContinuation { continuation in
            let isDrained = state.withLock { state in
                if state.turnCount > 0 { state.drained = continuation }
                return state.turnCount == 0
            }
            if isDrained { continuation.resume() }
        }
        abortIdle()
    }

    /// Ends the idle transactions.
    func abortIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        for reader in idle { reader.transaction.abort() }
    }

    // MARK: Turns

    private func waitForTurn() async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { join($0, number) }
        } onCancel: {
            leave(number)
        }
    }

    private func join(_ continuation: CheckedContinuation<Void, any Error>, _ number: Int) {
        let answer: Result<Void, any Error>? = state.withLock { state in
            if state.isClosed { return .failure(Connection.Closed()) }
            if state.turnCount < limit {
                state.turnCount += 1
                return .success(())
            }
            // An earlier cancellation did not find this waiter in line; a later one will.
            if Task.isCancelled { return .failure(CancellationError()) }
            state.waiters.append((number, continuation))
            return nil
        }
        if let answer { continuation.resume(with: answer) }
    }

    private func leave(_ number: Int) {
        let continuation = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0).continuation }
        }
        continuation?.resume(throwing: CancellationError())
    }

    /// Keeps a transaction for later, and passes the turn to the first in line.
    private func endTurn(_ reader: ReadTransaction?) {
        typealias Wakes = (CheckedContinuation<Void, any Error>?, CheckedContinuation<Void, Never>?)
        let wakes = state.withLock { state -> Wakes in
            if let reader { state.idle.append(reader) }
            if !state.waiters.isEmpty { return (state.waiters.removeFirst().continuation, nil) }
            state.turnCount -= 1
            guard state.turnCount == 0 else { return (nil, nil) }
            defer { state.drained = nil }
            return (nil, state.drained)
        }
        wakes.0?.resume()
        wakes.1?.resume()
    }
}
