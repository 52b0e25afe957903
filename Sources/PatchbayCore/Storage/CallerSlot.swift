import Dispatch
import PatchbaySystem
import Synchronization

/// The permission to block one of the threads that all tasks share. A process has only one, so that all other threads
/// stay available to other tasks.
///
/// It is never granted on the main thread's queue, or on a machine with one processor and so only one thread.
final class CallerSlot: Sendable {
    /// The slot of this process.
    static let shared = CallerSlot(processorCount: CurrentProcess.processorCount)

    private let isTaken: Atomic<Bool>

    /// A separate slot, for a test.
    init(processorCount: Int) { isTaken = Atomic(processorCount < 2) }

    func take() -> Bool {
        guard ThreadUse.current != .main else { return false }
        return isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged
    }

    var isHeld: Bool { isTaken.load(ordering: .acquiring) }

    func release() { isTaken.store(false, ordering: .releasing) }
}
