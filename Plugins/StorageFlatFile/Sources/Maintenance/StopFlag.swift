import PatchbayCore
import Synchronization

/// A flag that asks work on another thread to stop.
final class StopFlag: Sendable {
    private let flag = Atomic<Bool>(false)

    @inline(__always)
    var isSet: Bool { flag.load(ordering: .relaxed) }

    func set() { flag.store(true, ordering: .relaxed) }

    /// - Throws: when the flag is set.
    @inline(__always)
    func check() throws {
        if isSet {
            throw PatchbayError(.busy, "the storage was closed; open it and try again")
        }
    }
}
