internal import PatchbayCore
internal import Synchronization

/// Lines that say how far a long operation is, where no ``ProgressBar`` is drawn: in a file, a pipe, a log.
///
///     get-key, 10000 rows: 12 of 40 rounds
///
/// One is written when a task begins, then at most one in ten seconds.
final class ProgressLines: Sendable {
    private static let pause = Duration.seconds(10)

    private let unit: String
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> Duration
    /// The task of the last line, and when it was written.
    private let last = Mutex<(task: String, at: Duration)?>(nil)

    /// - Parameters:
    ///   - unit: what is counted.
    ///   - now: a clock that only goes forward; a test gives its own.
    init(
        of unit: String, write: @escaping @Sendable (String) -> Void = { Message.write($0) },
        now: @escaping @Sendable () -> Duration = POSIX.monotonicTime
    ) {
        self.unit = unit
        self.write = write
        self.now = now
    }

    func show(_ progress: WorkProgress) {
        last.withLock { last in
            let now = now()
            if let last, last.task == progress.task, now < last.at + Self.pause { return }
            last = (progress.task, now)
            let total = progress.total.map { " of \($0)" } ?? ""
            write("\(progress.task): \(progress.done)\(total) \(unit)")
        }
    }
}
