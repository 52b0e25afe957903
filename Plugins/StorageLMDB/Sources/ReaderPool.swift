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
        var idle: [ReadTransaction] = []
        /// The number handed out or being created.
        var takenCount = 0
        var waiters: [Waiter] = []
        var nextNumber = 0
        var isClosed = false
        var drained: CheckedContinuation<Void, Never>?
    }

    /// A reader in line. It receives a transaction, or nil as permission to create one.
    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<ReadTransaction?, any Error>
    }

    private enum Turn {
        case reuse(ReadTransaction)
        case make
        case wait
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
            guard state.takenCount < limit, !state.isClosed, let reader = state.idle.popLast() else {
                return nil
            }
            state.takenCount += 1
            return reader
        }
        return try idle.map(renewed)
    }

    /// Returns a transaction with the newest snapshot. Return it with `giveBack`.
    ///
    /// - Throws: `busy` when other processes have all reader places, `CancellationError` when cancelled while waiting.
    func take() async throws -> ReadTransaction {
        let reader: ReadTransaction?
        switch try turn() {
        case .reuse(let idle): reader = idle
        case .make: reader = nil
        case .wait: reader = try await wait()
        }
        if let reader { return try renewed(reader) }
        do {
            return ReadTransaction(try begin(), tables)
        } catch {
            putBack(nil)
            throw error
        }
    }

    func giveBack(_ reader: ReadTransaction) {
        reader.transaction.reset()
        let isDone = state.withLock { state -> Bool in
            guard state.waiters.isEmpty, !state.isClosed else { return false }
            state.takenCount -= 1
            state.idle.append(reader)
            return true
        }
        if !isDone { putBack(reader) }
    }

    /// Takes the newest snapshot. When this fails, the transaction is dropped.
    @inline(__always)
    private func renewed(_ reader: ReadTransaction) throws -> ReadTransaction {
        do {
            try reader.transaction.renew()
            return reader
        } catch {
            reader.transaction.abort()
            putBack(nil)
            throw error
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
                if state.takenCount > 0 { state.drained = continuation }
                return state.takenCount == 0
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

    private func turn() throws -> Turn {
        try state.withLock { state in
            guard !state.isClosed else { throw Connection.Closed() }
            guard state.takenCount < limit else { return .wait }
            state.takenCount += 1
            return state.idle.popLast().map(Turn.reuse) ?? .make
        }
    }

    private func wait() async throws -> ReadTransaction? {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { join(Waiter(number: number, continuation: $0)) }
        } onCancel: {
            leave(number)
        }
    }

    /// Joins the line, unless the state has changed since `turn` returned `wait`.
    private func join(_ waiter: Waiter) {
        let answer: Result<ReadTransaction?, any Error>? = state.withLock { state in
            if state.isClosed { return .failure(Connection.Closed()) }
            // An earlier cancellation did not find this waiter in line; a later one will.
            if Task.isCancelled { return .failure(CancellationError()) }
            if state.takenCount < limit {
                state.takenCount += 1
                return .success(state.idle.popLast())
            }
            state.waiters.append(waiter)
            return nil
        }
        if let answer { waiter.continuation.resume(with: answer) }
    }

    private func leave(_ number: Int) {
        let waiter: Waiter? = state.withLock { state in
            state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(throwing: CancellationError())
    }

    /// Passes a transaction, or the permission to create one, to the first in line.
    private func putBack(_ reader: ReadTransaction?) {
        let wakes: (waiter: Waiter?, drained: CheckedContinuation<Void, Never>?) = state.withLock { state in
            if !state.waiters.isEmpty { return (state.waiters.removeFirst(), nil) }
            state.takenCount -= 1
            if let reader { state.idle.append(reader) }
            guard state.takenCount == 0 else { return (nil, nil) }
            defer { state.drained = nil }
            return (nil, state.drained)
        }
        wakes.waiter?.continuation.resume(returning: reader)
        wakes.drained?.resume()
    }

    private func begin() throws -> Transaction {
        do {
            return try Transaction(environment, isWriting: false)
        } catch let error as PatchbayError where error.code == .busy {
            try environment.clearStaleReaders()
            return try Transaction(environment, isWriting: false)
        }
    }
}
