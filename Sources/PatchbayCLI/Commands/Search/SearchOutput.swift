import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// Prints the answers of searches: rows to standard output, the rest to standard error.
struct SearchOutput<Item: Sendable>: Sendable {
    private let subject: SearchSubject
    private let noun: Status.Noun
    private let options: SearchOptions
    private let rows: @Sendable (SearchWindow<Item>, OutputFormat) throws -> Void

    init(
        _ subject: SearchSubject, _ noun: Status.Noun, _ options: SearchOptions,
        rows: @escaping @Sendable (SearchWindow<Item>, OutputFormat) throws -> Void
    ) {
        self.subject = subject
        self.noun = noun
        self.options = options
        self.rows = rows
    }

    /// Searches the text of the command line.
    func write(
        _ search: (Gateway, String, Policy) -> Answers<SearchWindow<Item>>
    ) async throws {
        guard let text = try SearchText(options.text ?? "") else {
            throw PatchbayError(.invalidValue, "the search text is empty; give at least one character")
        }
        let (answer, name) = try await options.withGateway {
            (await search($0, text.text, $1).ending, $0.source.name)
        }
        try write(answer, from: name)
    }

    /// Prints an ending.
    ///
    /// - Throws: the error of a failure that leaves nothing to show. Local matches are shown in place of an answer only
    ///   when nobody could be asked.
    func write(_ answer: Answer<SearchWindow<Item>>, from source: String) throws {
        let outcome = answer.searchOutcome()
        if case .failed(let error) = outcome, answer.value?.origin != .source { throw told(error, outcome) }
        if case .offline(let error?) = outcome, answer.value == nil { throw told(error, outcome) }
        if case .notRecorded(let error) = outcome, answer.value == nil { throw told(error, nil) }
        let window = answer.value ?? SearchWindow(items: [])
        try rows(window, options.format)
        if let sentence = outcome?.sentence(about: subject) { Message.write(sentence) }
        Message.write(line(answer, window, source))
    }

    /// Says the sentence; the error is told by who takes it.
    private func told(_ error: PatchbayError, _ outcome: SearchOutcome?) -> PatchbayError {
        if let sentence = outcome?.sentence(about: subject) { Message.write(sentence) }
        return error
    }

    private func line(
        _ answer: Answer<SearchWindow<Item>>, _ window: SearchWindow<Item>, _ source: String
    ) -> String {
        if window.origin == .denied {
            let when = answer.age.map { $0 < .seconds(1) ? "just now" : Age.text($0) + " ago" } ?? "before"
            return "0 \(noun.rawValue), nothing found \(when) at \(source), not asked again; --refresh asks"
        }
        var status = Status(answer, noun, count: window.items.count, from: source)
        status.hint = hint(window)
        return status.line
    }

    /// What there is to say beside the results.
    private func hint(_ window: SearchWindow<Item>) -> String? {
        var hints: [String] = []
        if window.origin == .local { hints.append("local matches: login or name begins so") }
        if let total = window.total, total > window.items.count { hints.append("\(total) in all") }
        if let cap = window.cap { hints.append("the source gives \(cap) of them at most; ask for less") }
        if window.isIncomplete { hints.append("incomplete: the source ran out of time") }
        if window.goesOn, !options.interactive { hints.append("more: --page \(options.page + 1)") }
        return hints.isEmpty ? nil : hints.joined(separator: ", ")
    }
}
