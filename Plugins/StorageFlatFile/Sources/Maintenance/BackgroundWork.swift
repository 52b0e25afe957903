import PatchbayCore
import Synchronization

/// Work on a thread other than the writer's. Only one piece runs at a time.
struct BackgroundWork {
    /// Stops the work; nil when none is under way.
    private var stop: StopFlag?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    var isUnderWay: Bool { stop != nil }

    /// - Returns: the flag that the work must check.
    mutating func begin() -> StopFlag {
        let stop = StopFlag()
        self.stop = stop
        return stop
    }

    mutating func end() {
        stop = nil
        for continuation in waiting { continuation.resume() }
        waiting = []
    }

    /// Asks work that is under way to end early. The work still calls ``end()``.
    func cancel() { stop?.set() }

    /// Resumes when the work that is under way ends.
    mutating func resumeAtEnd(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
    }
}

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
