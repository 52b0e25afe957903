package import PatchbayCore
import Synchronization

/// A storage that wraps another and fails as planned, for testing code that uses a storage.
///
/// The storage keeps its promises: a write that throws leaves no changes. A `put` that fails ends its transaction in
/// the middle; a `commit` that fails ends one whose body has run to its end.
package struct FailingStorage: StorageWrapper {
    /// The operations that can fail.
    package enum Operation: String, Sendable, CaseIterable {
        /// A call of the storage, or a step inside a write transaction: `put`, `delete`, `commit`.
        case open, read, write, put, delete, commit, revision, close
    }

    package let inner: any Storage
    private let plan: FaultPlan<Operation>

    /// Wraps a storage; the test keeps the plan to set faults and to read the counts.
    package init(_ inner: any Storage, _ plan: FaultPlan<Operation>) {
        self.inner = inner
        self.plan = plan
    }

    package func open(_ opening: StorageOpening) async throws -> Schema {
        try await plan.begin(.open)
        return try await inner.open(opening)
    }

    package func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await plan.begin(.read)
        return try await inner.read(body)
    }

    /// Writes to the wrapped storage, unless the plan fails `write`. A failing `put`, `delete` or `commit` rolls the
    /// transaction back.
    package func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await plan.begin(.write)
        return try await inner.write { [plan] writer in
            let result = try body(FailingWriter(writer, plan))
            try plan.pass(.commit)
            return result
        }
    }

    package func revision() async throws -> UInt64 {
        try await plan.begin(.revision)
        return try await inner.revision()
    }

    /// Closes the wrapped storage even when the operation is to fail, so that a test leaves nothing open.
    package func close() async throws {
        try await inner.close()
        try await plan.begin(.close)
    }
}

/// A write transaction whose changes can fail.
private final class FailingWriter: StorageWriterWrapper {
    let inner: any StorageWriter
    private let plan: FaultPlan<FailingStorage.Operation>

    init(_ inner: any StorageWriter, _ plan: FaultPlan<FailingStorage.Operation>) {
        self.inner = inner
        self.plan = plan
    }

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        try plan.pass(.put)
        try inner.put(row, in: collection)
    }

    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        try plan.pass(.delete)
        return try inner.delete(key, in: collection)
    }

    func deleteAll(in collection: CollectionSchema) throws {
        try plan.pass(.delete)
        try inner.deleteAll(in: collection)
    }
}

/// The faults and delays of a wrapped storage or network.
///
///     let plan = FaultPlan<FailingStorage.Operation>()
///     plan.fail(.commit, at: 3, with: PatchbayError(.storageFull, "the disk is full"))
///     let storage = FailingStorage(MemoryStorage(), plan)
///
/// Operations of each kind are counted from 1 as long as the plan exists. A test can run once without a fault, read
/// ``count(of:)``, and then make each of the operations fail in turn.
package final class FaultPlan<Operation: Hashable & Sendable>: Sendable {
    private struct Fault {
        var numbers: ClosedRange<Int>
        var error: any Error
    }

    private struct State {
        var counts: [Operation: Int] = [:]
        var faults: [Operation: Fault] = [:]
        var pauses: [Operation: @Sendable () async throws -> Void] = [:]
    }

    private let state = Mutex(State())

    /// Creates a plan without faults and delays.
    package init() {}

    /// Makes operations of a kind fail. A later call for the same kind replaces an earlier one.
    ///
    /// - Parameters:
    ///   - number: the first operation to fail, counted from 1 since the plan was created.
    ///   - times: the number of operations that fail from there on; nil for all.
    package func fail(
        _ operation: Operation, at number: Int, times: Int? = 1, with error: any Error
    ) {
        precondition(number >= 1 && (times ?? 1) >= 1, "operations are counted from 1")
        let last = times.map { number - 1 + $0 } ?? .max
        state.withLock { $0.faults[operation] = Fault(numbers: number...last, error: error) }
    }

    /// Delays operations of a kind until `pause` returns; they throw its errors.
    ///
    /// A test passes a wait on its own clock or signal. Operations inside a transaction are not delayed.
    package func delay(_ operation: Operation, _ pause: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.pauses[operation] = pause }
    }

    /// Removes all faults and delays. The counts continue.
    package func heal() {
        state.withLock { state in
            state.faults = [:]
            state.pauses = [:]
        }
    }

    /// Returns the number of operations of a kind that have started.
    package func count(of operation: Operation) -> Int { state.withLock { $0.counts[operation] ?? 0 } }

    /// Counts an operation, delays it as planned, and throws if it is to fail.
    func begin(_ operation: Operation) async throws {
        if let pause = state.withLock({ $0.pauses[operation] }) { try await pause() }
        try pass(operation)
    }

    /// Counts an operation that cannot be delayed, and throws if it is to fail.
    func pass(_ operation: Operation) throws {
        let error: (any Error)? = state.withLock { state in
            let number = state.counts[operation, default: 0] + 1
            state.counts[operation] = number
            guard let fault = state.faults[operation], fault.numbers.contains(number) else { return nil }
            return fault.error
        }
        if let error { throw error }
    }
}
