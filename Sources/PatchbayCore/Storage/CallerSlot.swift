import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The leave to hold one of the threads that all tasks share. There is one such leave in a process, so that all threads
/// but one are always there for other tasks.
///
/// It is never given on the main thread's queue, nor where there is only one processor and so only one thread.
public final class CallerSlot: Sendable {
    public static let shared = CallerSlot(processorCount: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    private let isTaken: Atomic<Bool>

    /// A slot of its own, for a test.
    init(processorCount: Int) { isTaken = Atomic(processorCount < 2) }

    func take() -> Bool {
        guard DispatchQueue.getSpecific(key: CallerSlot.mainQueue) == nil else { return false }
        return isTaken.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged
    }

    var isHeld: Bool { isTaken.load(ordering: .acquiring) }

    func giveBack() { isTaken.store(false, ordering: .releasing) }

    /// Marks the main queue, on which the main actor runs.
    private static let mainQueue: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()
}
