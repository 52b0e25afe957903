package import PatchbayCore
internal import PatchbaySystem
internal import Synchronization

/// A line on the terminal that shows the progress of a long operation.
///
///     try await ProgressBar.errors.showing { progress in try await store.verify(progress: progress) }
///
/// It appears only on a terminal that is not `dumb`, and only after a moment, so that quick operations stay quiet. It
/// is drawn at most ten times a second, fits the width of the terminal and is erased at the end.
package final class ProgressBar: Sendable {
    /// The bar of this process, on standard error.
    package static let errors = ProgressBar(.errors)

    private struct State {
        var task = ""
        /// The start of the task, and how much had been done by then.
        var start: Duration = .zero
        var startDone = 0
        var drawnAt: Duration?
        /// The text that is shown instead of the bar.
        var line: String?
    }

    private let stream: StandardStream
    private let terminal: @Sendable () -> Terminal
    private let now: @Sendable () -> Duration
    private let state = Mutex(State())

    /// - Parameters:
    ///   - terminal: called every time, because people resize their windows.
    ///   - now: a monotonic clock; tests pass their own.
    package init(
        _ stream: StandardStream, terminal: (@Sendable () -> Terminal)? = nil,
        now: @escaping @Sendable () -> Duration = SystemClock.monotonic
    ) {
        self.stream = stream
        self.terminal = terminal ?? { Terminal(stream) }
        self.now = now
    }

    /// Shows the progress that `body` reports, and erases the bar when it returns.
    package func showing<Result>(_ body: (@escaping WorkProgress.Handler) async throws -> Result)
        async rethrows
        -> Result
    {
        defer { clear() }
        return try await body { [self] in show($0) }
    }

    /// - Parameter note: additional information; left out if the terminal is too narrow.
    package func show(_ progress: WorkProgress, note: String? = nil) {
        if progress.isNotice { return Message.write(progress.task) }
        state.withLock { state in
            let now = now()
            if progress.task != state.task || progress.done < state.startDone {
                state = State(
                    task: progress.task, start: now, startDone: progress.done, drawnAt: state.drawnAt)
            }
            let rest = state.drawnAt.map { $0 + .milliseconds(100) } ?? state.start + .milliseconds(300)
            guard now >= rest else { return }
            let terminal = terminal()
            guard !Terminal.isQuiet, !Pager.isRunning, terminal.allowsRedrawing,
                let width = terminal.width
            else { return }
            state.drawnAt = now
            state.line = nil
            let done = progress.done - state.startDone
            let line = ProgressBar.line(
                progress, note: note, doneHere: done, in: now - state.start, width: width - 1)
            write("\r" + line + "\u{1B}[K")
        }
    }

    /// Shows a text instead of the bar, at once. The caller must redraw and erase it.
    ///
    /// - Returns: false if lines cannot be redrawn on this output.
    package func show(line: String) -> Bool {
        // The caller must not print a message instead, either.
        if Pager.isRunning { return true }
        let terminal = terminal()
        guard terminal.allowsRedrawing, let width = terminal.width else { return false }
        state.withLock { state in
            let line = TerminalText.cut(TerminalText.harmless(line), to: width - 1)
            if state.line == line { return }
            state.line = line
            state.drawnAt = now()
            write("\r" + line + "\u{1B}[K")
        }
        return true
    }

    /// Erases the line if there is one.
    package func clear() {
        state.withLock { state in
            if state.drawnAt != nil { write("\r\u{1B}[K") }
            state = State()
        }
    }

    private func write(_ text: String) {
        // Errors do not matter: without a terminal there is nothing to draw on.
        try? stream.write(text)
    }

    /// Returns the line for one moment; the least important parts are left out if the terminal is narrow.
    ///
    ///     copying users  [#######.............]  37 %  370000 of 1000000  250000/s  2 s left
    package static func line(
        _ progress: WorkProgress, note: String? = nil, doneHere: Int, in time: Duration, width: Int
    ) -> String {
        let rate = Int(Double(doneHere) / max(0.001, time / .seconds(1)))
        var parts = [TerminalText.harmless(progress.task)]
        if let total = progress.total, total > 0 {
            let done = min(progress.done, total)
            let filled = done * barColumns / total
            let bar =
                String(repeating: "#", count: filled) + String(repeating: ".", count: barColumns - filled)
            parts += ["[\(bar)]", "\(done * 100 / total) %", "\(done) of \(total)"]
            if doneHere > 0 {
                let rest = Double(total - done) * (time / .seconds(1)) / Double(doneHere)
                parts += (rate > 0 ? ["\(rate)/s"] : []) + [remaining(Int(min(rest, 1e9)))]
            }
        } else {
            parts += ["\(progress.done)"] + (rate > 0 ? ["\(rate)/s"] : [])
        }
        if let note { parts.append(TerminalText.harmless(note)) }
        while parts.count > 1, TerminalText.width(of: parts.joined(separator: "  ")) > width {
            parts.removeLast()
        }
        return TerminalText.cut(parts.joined(separator: "  "), to: max(0, width))
    }

    private static let barColumns = 20

    private static func remaining(_ seconds: Int) -> String {
        seconds < 60
            ? "\(seconds) s left" : seconds < 3_600 ? "\(seconds / 60) min left" : "\(seconds / 3_600) h left"
    }
}

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
