import PatchbayCore
import Synchronization

/// A storage with one fault, wrapping one without.
final class FaultyStorage: StorageWrapper {
    let inner: any Storage
    private let fault: Fault
    private let clock: FaultClock

    init(_ inner: any Storage, _ fault: Fault) {
        self.inner = inner
        self.fault = fault
        self.clock = FaultClock(fault)
    }

    func compact(progress: WorkProgress.Handler) async throws {
        try await inner.compact(progress: progress)
        try await inner.read { clock.newest = $0 }
    }

    func open(_ opening: StorageOpening) async throws -> Schema {
        let schema = try await inner.open(opening)
        clock.setCollections(schema.collections)
        try await inner.read { clock.newest = $0 }
        return schema
    }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await inner.read { try body(FaultyTransaction($0, nil, clock)) }
    }

    func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        if fault == .commitsWhatThrew { return try await writeWithoutRollback(body) }
        if fault == .revisionRunsAhead { await runAhead() }
        defer { clock.isAhead = false }
        let result = try await inner.write { writer in
            if fault == .readsAreDirty { clock.newest = writer }
            let result = try body(FaultyTransaction(writer, writer, clock))
            if clock.takeBroken() {
                throw PatchbayError(.conflict, "the transaction was ended by a refused put")
            }
            return result
        }
        try await inner.read { clock.newest = $0 }
        return result
    }

    private func writeWithoutRollback<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await inner.write { writer in
            Swift.Result { try body(FaultyTransaction(writer, writer, clock)) }
        }.get()
    }

    /// Reports a commit that has not happened yet, and lets other tasks run.
    private func runAhead() async {
        clock.isAhead = true
        for _ in 0..<100 { await Task.yield() }
    }

    func revision() async throws -> UInt64 {
        switch fault {
        case .revisionStands: 1
        case .revisionRuns: clock.next()
        case .revisionRunsAhead: try await inner.revision() + (clock.isAhead ? 1 : 0)
        default: try await inner.revision()
        }
    }
}

/// State shared by the transactions of a faulty storage.
final class FaultClock: Sendable {
    private struct State {
        var count: UInt64 = 0
        var collections: [CollectionSchema] = []
        var isBroken = false
        var isAhead = false
        // Readers used after their closure wait for each other, which the memory storage allows.
        nonisolated(unsafe) var newest: (any StorageReader)?
    }

    let fault: Fault
    private let state = Mutex(State())

    init(_ fault: Fault) { self.fault = fault }

    /// The newest state that is committed or being written.
    var newest: (any StorageReader)? {
        get { state.withLock { unsafe $0.newest } }
        set {
            nonisolated(unsafe) let newValue = newValue
            state.withLock { unsafe $0.newest = newValue }
        }
    }

    var collections: [CollectionSchema] { state.withLock { $0.collections } }

    func setCollections(_ collections: [CollectionSchema]) { state.withLock { $0.collections = collections } }

    /// Whether a commit is reported that has not happened yet.
    var isAhead: Bool {
        get { state.withLock { $0.isAhead } }
        set { state.withLock { $0.isAhead = newValue } }
    }

    func next() -> UInt64 {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    func breakTransaction() { state.withLock { $0.isBroken = true } }

    func takeBroken() -> Bool {
        state.withLock { state in
            defer { state.isBroken = false }
            return state.isBroken
        }
    }
}
