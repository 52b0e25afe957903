/// Work that goes on beside the writer, one of its kind at a time.
struct BackgroundWork {
    /// Ends the work; nil when none is under way.
    private var stop: StopFlag?
    private var waiting: [CheckedContinuation<Void, Never>] = []

    var isUnderWay: Bool { stop != nil }

    /// How many wait for its end.
    var waitingCount: Int { waiting.count }

    /// - Returns: the flag that the work must look at.
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

    /// Asks work that is under way to end early; it still says so with ``end()``.
    func cancel() { stop?.set() }

    /// Resumes when the work that is under way ends.
    mutating func resumeAtEnd(_ continuation: CheckedContinuation<Void, Never>) {
        waiting.append(continuation)
    }
}
