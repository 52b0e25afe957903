import Patchbay
import PatchbayTerminal

/// A printable answer.
struct AnswerPage {
    var listing: Listing
    var status: Status
    /// Bytes to print after the listing.
    var appendix: [UInt8] = []
    /// A sentence for people, printed before the status.
    var sentence: String?
    /// Sentences about rows that are stored otherwise than the source sent them.
    var losses: [String] = []
}

/// Prints the answers of a use case.
///
/// On a terminal, a table of stored rows appears at once, and the source's answer then confirms or replaces it.
/// Everywhere else only the final answer is printed. Ctrl-C ends the wait for the source: stored rows are printed, and
/// the process ends by the signal.
struct AnswerOutput {
    let format: FormatOptions
    let verdict: VerdictOptions
    let source: String

    init(_ format: FormatOptions, _ verdict: VerdictOptions, from gateway: Gateway) {
        self.format = format
        self.verdict = verdict
        source = gateway.source.name
    }

    /// - Parameter page: makes an answer printable, or throws if there is nothing to print. It may query the source
    ///   only for the final answer, as part of the question.
    /// - Throws: the error of a failure without a value to show; ``ExitStatus/incomplete`` with `--strict`.
    func print<Value>(
        _ answers: Answers<Value>, page: (Answer<Value>, SourceQuestion) async throws -> AnswerPage
    ) async throws {
        let question = SourceQuestion(source)
        defer { question.end() }
        var output = RowOutput(isPaged: format.isPaged)
        var drawn: DrawnTable?
        var rest = answers.makeAsyncIterator()
        while let answer = await question.next(of: &rest) {
            if answer.outcome.isEnding {
                try question.checkInterruption(answer)
                let page = try await page(answer, question)
                question.end()
                try finish(page, after: drawn, &output)
            } else if DrawnTable.isPossible(format.chosen) {
                let page = try await page(answer, question)
                drawn = try DrawnTable(bytes(of: page), to: &output)
                question.show(page.status.storedLine)
            }
        }
    }

    private func bytes(of page: AnswerPage) -> [UInt8] {
        let listing = format.choosing(page.listing)
        return RecordWriter(format.chosen).bytes(of: listing, answer: page.status.record) + page.appendix
    }

    private func finish(_ page: AnswerPage, after drawn: DrawnTable?, _ output: inout RowOutput) throws {
        if let drawn {
            try drawn.replace(with: bytes(of: page), in: &output)
        } else {
            try output.write(bytes(of: page))
        }
        try output.finish()
        for line in page.losses { Message.write(line) }
        if let sentence = page.sentence { Message.note(sentence) }
        try verdict.conclude(page.status)
    }
}

/// A query to the source that Ctrl-C cancels, with a line that shows the wait.
final class SourceQuestion: Sendable {
    private let source: String
    private let line: WaitLine?

    init(_ source: String) {
        self.source = source
        line = Terminal.isQuiet ? nil : .errors
        Interruption.noteKey()
        line?.begin(.init(source: source, shown: nil, consequence: "shows stored data"))
    }

    /// Adds the summary of the stored rows, which are shown during the wait, to the line.
    func show(_ shown: String) { line?.show(shown, consequence: "stops waiting") }

    /// Returns the next answer, which is a failure if the query was cancelled; nil after the last one.
    func next<Value>(of answers: inout Answers<Value>.Iterator) async -> Answer<Value>? {
        let before = answers
        let (answer, after) = await doing {
            var rest = before
            return (await rest.next(), rest)
        }
        answers = after
        return answer
    }

    /// Returns the final answer, for a command that shows nothing before it.
    ///
    /// - Throws: the errors of ``checkInterruption(_:)``.
    func ending<Value>(of answers: Answers<Value>) async throws -> Answer<Value> {
        defer { end() }
        let answer = await doing { await answers.ending }
        try checkInterruption(answer)
        return answer
    }

    /// - Throws: `Interruption.Noted` when the query was cancelled and there is nothing to print.
    func checkInterruption<Value>(_ answer: Answer<Value>) throws {
        guard Interruption.isNoted, answer.value == nil else { return }
        Message.write("patchbay: interrupted before \(source) answered; no stored data to show")
        throw Interruption.Noted()
    }

    /// Runs work that queries the source; Ctrl-C cancels it.
    func doing<Value: Sendable>(_ work: @escaping @Sendable () async -> Value) async -> Value {
        let task = Task { await work() }
        let watch = Task { await Interruption.cancelOnKey(task) }
        defer { watch.cancel() }
        return await task.value
    }

    /// Ends the wait: removes its line and lets Ctrl-C end the process again.
    func end() {
        line?.end()
        if !Interruption.isNoted { Interruption.forgetKey() }
    }
}
