package import PatchbayCore
internal import PatchbaySystem
internal import Synchronization

/// Shows what a command is waiting for: a source that has not answered yet, or a rate limit.
///
/// On a terminal this is a line that counts seconds and is erased at the end; elsewhere, one line is printed for a long
/// wait.
package final class WaitLine: Sendable {
    /// The line of this process, on standard error.
    package static let errors = WaitLine()

    /// A query to a source.
    package struct Question: Sendable {
        /// The name of the source.
        var source: String
        /// A summary of the stored rows, shown before the wait on a terminal; nil if nothing is shown yet.
        var shown: String?
        /// The effect of Ctrl-C, as in "stops waiting".
        var consequence: String

        package init(source: String, shown: String?, consequence: String) {
            self.source = source
            self.shown = shown
            self.consequence = consequence
        }
    }

    fileprivate struct State {
        var question: Question?
        var promptedAt = Duration.zero
        var isQuestionPrinted = false
        var limit: (server: String, end: Duration)?
        var isDrawn = false
    }

    /// A shorter wait is not reported.
    private static let quietTime = Duration.seconds(1)
    /// A shorter wait for a limit is not reported where the line cannot be erased, because a pace such as `3/second`
    /// causes many.
    private static let printedLimitMin = Duration.seconds(5)

    private let bar: ProgressBar
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - bar: draws the line on a terminal.
    ///   - write: writes a permanent line.
    ///   - now: a monotonic clock; tests pass their own.
    package init(
        bar: ProgressBar = .errors, write: @escaping @Sendable (String) -> Void = { Message.write($0) },
        now: @escaping @Sendable () -> Duration = SystemClock.monotonic
    ) {
        self.bar = bar
        self.write = write
        self.now = now
    }

    /// Starts the line for a query.
    package func begin(_ question: Question) {
        state.withLock { $0.begin(question, at: now()) }
        tick()
    }

    /// Adds a summary of the rows that are now shown to the line, with the new effect of Ctrl-C.
    package func show(_ shown: String, consequence: String) {
        state.withLock { state in
            state.question?.shown = shown
            state.question?.consequence = consequence
        }
        tick()
    }

    /// Ends the line, because the query was answered.
    package func end() {
        let isDrawn = state.withLock { state in
            defer { state = State() }
            return state.isDrawn
        }
        if isDrawn { bar.clear() }
    }

    /// Starts a wait for a rate limit. If there are several at the same time, the longest is shown.
    package func limited(_ wait: RateLimitWait) {
        let now = now()
        let line = state.withLock { state -> String? in
            let end = now + wait.duration
            if let limit = state.limit, limit.end > now, end <= limit.end + .seconds(1) { return nil }
            state.limit = (wait.server, end)
            return State.words(wait.server, wait.duration)
        }
        if let line, !draw(line), wait.duration >= Self.printedLimitMin { write(line) }
    }

    /// Redraws the line; call it several times a second.
    package func tick() {
        let now = now()
        let (drawn, printed, ended) = state.withLock { $0.lines(at: now, after: Self.quietTime) }
        if let drawn, draw(drawn) { return }
        if ended { bar.clear() }
        if let printed { write(printed) }
    }

    private func draw(_ line: String) -> Bool {
        let isDrawn = bar.show(line: line)
        state.withLock { $0.isDrawn = isDrawn }
        return isDrawn
    }
}

extension WaitLine.State {
    fileprivate mutating func begin(_ question: WaitLine.Question, at now: Duration) {
        (self.question, promptedAt, isQuestionPrinted) = (question, now, false)
    }

    /// Returns the line to draw, the line to write once if nothing can be drawn, and whether a drawn line has to be
    /// erased.
    fileprivate mutating func lines(
        at now: Duration, after quietTime: Duration
    ) -> (drawn: String?, printed: String?, ended: Bool) {
        if let limit {
            if limit.end > now { return (Self.words(limit.server, limit.end - now), nil, false) }
            self.limit = nil
            defer { isDrawn = false }
            if question == nil { return (nil, nil, isDrawn) }
        }
        guard let question else { return (nil, nil, false) }
        let time = now - promptedAt
        let isLong = time >= quietTime
        guard isLong || question.shown != nil else { return (nil, nil, false) }
        let shown = question.shown.map { $0 + "; " } ?? ""
        let count = isLong ? ", \(time.components.seconds) s; Ctrl-C \(question.consequence)" : ""
        let printed: String?
        if isLong, !isQuestionPrinted {
            isQuestionPrinted = true
            printed =
                "waiting for \(question.source) for \(time.components.seconds) s; Ctrl-C \(question.consequence)"
        } else {
            printed = nil
        }
        let verb = shown.isEmpty ? "waiting for" : "querying"
        return ("\(shown)\(verb) \(question.source)\(count)", printed, false)
    }

    fileprivate static func words(_ server: String, _ time: Duration) -> String {
        let seconds = time.components.seconds + (time.components.attoseconds > 0 ? 1 : 0)
        return "waiting \(seconds) s for the rate limit of \(server); Ctrl-C stops, stored rows are kept"
    }
}
