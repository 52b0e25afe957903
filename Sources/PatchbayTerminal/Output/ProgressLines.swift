package import PatchbayCore
internal import PatchbaySystem
internal import Synchronization

/// Lines that report the progress of a long operation where no ``ProgressBar`` can be drawn: in files, pipes and logs.
///
///     get-key, 10000 rows: 12 of 60 seconds
///
/// One line is written when a task begins, then at most one every ten seconds.
package final class ProgressLines: Sendable {
    private static let pause = Duration.seconds(10)

    private let unit: String
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> Duration
    /// The task of the last line, and the time when it was written.
    private let last = Mutex<(task: String, at: Duration)?>(nil)

    /// - Parameters:
    ///   - unit: the noun for the counted things.
    ///   - now: a monotonic clock; tests pass their own.
    package init(
        of unit: String, write: @escaping @Sendable (String) -> Void = { Message.write($0) },
        now: @escaping @Sendable () -> Duration = SystemClock.monotonic
    ) {
        self.unit = unit
        self.write = write
        self.now = now
    }

    package func show(_ progress: WorkProgress) {
        last.withLock { last in
            let now = now()
            if let last, last.task == progress.task, now < last.at + Self.pause { return }
            last = (progress.task, now)
            let total = progress.total.map { " of \($0)" } ?? ""
            write("\(progress.task): \(progress.done)\(total) \(unit)")
        }
    }
}
