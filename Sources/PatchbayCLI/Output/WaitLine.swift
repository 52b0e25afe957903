internal import PatchbayCore
internal import Synchronization

/// Says what a command waits for: a source that has not answered yet, or a rate limit.
///
/// On a terminal it is a line that counts and is wiped away; elsewhere it is one line when a wait has become long.
final class WaitLine: Sendable {
    /// The line of this process, on the standard error.
    static let errors = WaitLine()

    /// A question to a source.
    struct Question: Sendable {
        /// Who is asked.
        var source: String
        /// What is known meanwhile, to stand before the wait on a terminal; nil when nothing is shown yet.
        var shown: String?
        /// What Ctrl-C does.
        var consequence: String
    }

    fileprivate struct State {
        var question: Question?
        var askedAt = Duration.zero
        var isQuestionSaid = false
        var limit: (server: String, end: Duration)?
        var isDrawn = false
    }

    /// A shorter wait is not worth a word.
    private static let quietTime = Duration.seconds(1)

    private let bar: ProgressBar
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - bar: draws the line on a terminal.
    ///   - write: writes a line that stays.
    ///   - now: a clock that only goes forward; a test gives its own.
    init(
        bar: ProgressBar = .errors, write: @escaping @Sendable (String) -> Void = { Message.write($0) },
        now: @escaping @Sendable () -> Duration = POSIX.monotonicTime
    ) {
        self.bar = bar
        self.write = write
        self.now = now
    }

    /// A question was sent.
    func begin(_ question: Question) {
        state.withLock { $0.begin(question, at: now()) }
        tick()
    }

    /// What is known of the question that is being asked has changed: it is shown now.
    func show(_ shown: String, consequence: String) {
        state.withLock { state in
            state.question?.shown = shown
            state.question?.consequence = consequence
        }
        tick()
    }

    /// The question was answered.
    func end() {
        let isDrawn = state.withLock { state in
            defer { state = State() }
            return state.isDrawn
        }
        if isDrawn { bar.clear() }
    }

    /// A wait for a rate limit begins. Of several at the same time the longest is told.
    func limited(_ wait: RateLimitWait) {
        let now = now()
        let line = state.withLock { state -> String? in
            let end = now + wait.duration
            if let limit = state.limit, limit.end > now, end <= limit.end + .seconds(1) { return nil }
            state.limit = (wait.server, end)
            return State.words(wait.server, wait.duration)
        }
        if let line, !draw(line) { write(line) }
    }

    /// Draws the line anew; to be called several times a second.
    func tick() {
        let now = now()
        let (drawn, said, ended) = state.withLock { $0.lines(at: now, after: Self.quietTime) }
        if let drawn, draw(drawn) { return }
        if ended { bar.clear() }
        if let said { write(said) }
    }

    private func draw(_ line: String) -> Bool {
        let isDrawn = bar.show(line: line)
        state.withLock { $0.isDrawn = isDrawn }
        return isDrawn
    }
}

extension WaitLine.State {
    fileprivate mutating func begin(_ question: WaitLine.Question, at now: Duration) {
        (self.question, askedAt, isQuestionSaid) = (question, now, false)
    }

    /// What to draw now, what to write once where nothing can be drawn, and whether what was drawn is over.
    fileprivate mutating func lines(
        at now: Duration, after quietTime: Duration
    ) -> (drawn: String?, said: String?, ended: Bool) {
        if let limit {
            if limit.end > now { return (Self.words(limit.server, limit.end - now), nil, false) }
            self.limit = nil
            defer { isDrawn = false }
            if question == nil { return (nil, nil, isDrawn) }
        }
        guard let question else { return (nil, nil, false) }
        let time = now - askedAt
        let isLong = time >= quietTime
        guard isLong || question.shown != nil else { return (nil, nil, false) }
        let shown = question.shown.map { $0 + "; " } ?? ""
        let count = isLong ? ", \(time.components.seconds) s; Ctrl-C \(question.consequence)" : ""
        let said: String?
        if isLong, !isQuestionSaid {
            isQuestionSaid = true
            said =
                "waiting for \(question.source) for \(time.components.seconds) s; Ctrl-C \(question.consequence)"
        } else {
            said = nil
        }
        return ("\(shown)\(shown.isEmpty ? "waiting for" : "asking") \(question.source)\(count)", said, false)
    }

    fileprivate static func words(_ server: String, _ time: Duration) -> String {
        let seconds = time.components.seconds + (time.components.attoseconds > 0 ? 1 : 0)
        return "waiting \(seconds) s for the rate limit of \(server); Ctrl-C stops, what was stored stays"
    }
}
