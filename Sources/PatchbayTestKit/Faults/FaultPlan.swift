import Synchronization

/// When something that wraps a storage or a network fails, and how.
///
///     let plan = FaultPlan<FailingStorage.Operation>()
///     plan.fail(.commit, at: 3, with: PatchbayError(.storageFull, "the disk is full"))
///     let storage = FailingStorage(MemoryStorage(), plan)
///
/// Operations are counted by their kind, from 1, as long as the plan lives; a test that runs once without a fault
/// reads ``count(of:)`` and then lets each of them fail in turn.
public final class FaultPlan<Operation: Hashable & Sendable>: Sendable {
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

    public init() {}

    /// Lets operations of a kind fail; a later call for the same kind replaces an earlier one.
    ///
    /// - Parameters:
    ///   - number: which one, counted from 1 since the plan was made.
    ///   - times: how many fail from there on; nil for all.
    public func fail(
        _ operation: Operation, at number: Int, times: Int? = 1, with error: any Error
    ) {
        precondition(number >= 1 && (times ?? 1) >= 1, "operations are counted from 1")
        let last = times.map { number - 1 + $0 } ?? .max
        state.withLock { $0.faults[operation] = Fault(numbers: number...last, error: error) }
    }

    /// Lets operations of a kind wait before they begin, until `pause` returns; what it throws they throw.
    ///
    /// A test gives its own clock or signal. Operations inside a transaction do not wait.
    public func delay(_ operation: Operation, _ pause: @escaping @Sendable () async throws -> Void) {
        state.withLock { $0.pauses[operation] = pause }
    }

    /// Takes all faults and delays back. The counts go on.
    public func heal() {
        state.withLock { state in
            state.faults = [:]
            state.pauses = [:]
        }
    }

    /// How many operations of a kind were begun.
    public func count(of operation: Operation) -> Int { state.withLock { $0.counts[operation] ?? 0 } }

    /// Counts an operation, waits where the plan says so, and throws where it is to fail.
    func begin(_ operation: Operation) async throws {
        if let pause = state.withLock({ $0.pauses[operation] }) { try await pause() }
        try pass(operation)
    }

    /// The same for an operation that cannot wait.
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
