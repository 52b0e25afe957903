import Patchbay
import PatchbayTerminal

/// Prints the answers of searches: rows to standard output, everything else to standard error.
struct SearchOutput: Sendable {
    private let declared: DeclaredResource
    private var resource: ResourceDeclaration { declared.declaration }
    private let options: SearchOptions
    private let output: ItemRecords

    init(_ resource: DeclaredResource, _ options: SearchOptions) {
        declared = resource
        self.options = options
        output = ItemRecords(resource.declaration)
    }

    /// - Throws: `ValidationError` when a field is unknown.
    func check() throws { try options.format.check(output.foundNames) }

    /// Searches the text of the command line.
    func write() async throws {
        guard let text = try SearchText(options.text ?? "") else {
            throw PatchbayError(.invalidValue, "the search text is empty; give at least one character")
        }
        try await options.withGateway(of: declared) { gateway, policy in
            let found = try gateway.resource(resource.name)
            let isIncomplete =
                options.all ? try await fetchAll(found, text.text, with: gateway) : false
            let answers = gateway.search(
                found, text.text, page: options.page, limit: options.limit,
                policy: options.all ? .localOnly : policy)
            let output = AnswerOutput(options.format, options.verdict, from: gateway)
            try await output.print(answers) { answer, _ in
                var page = try page(answer, from: gateway.source)
                try await page.status.noteEmptyStore(of: declared, found, in: gateway)
                return page
            }
            if isIncomplete { throw ExitStatus.incomplete }
        }
    }

    /// Fetches all results, and returns whether some are missing, which the results themselves report.
    private func fetchAll(
        _ resource: Resource, _ text: String, with gateway: Gateway
    ) async throws -> Bool {
        let sync = try gateway.searchAll(resource, text)
        switch try await SyncRun(gateway: gateway, sync: sync, resource: nil).ended().end {
        case .failed(let error): throw error
        case .incomplete: return true
        case .complete, .interrupted, .limitReached: return false
        }
    }

    /// Whether stored rows of an interactive search can be shown before the source answers.
    var canDraw: Bool { DrawnTable.isPossible(options.format.chosen) }

    /// Prints stored rows, which the final answer of an interactive search replaces.
    func draw(_ answer: Answer<SearchWindow<Item>>, from source: Source) throws -> DrawnTable {
        var output = RowOutput(isPaged: false)
        return try DrawnTable(bytes(of: page(answer, from: source)), to: &output)
    }

    /// Prints the final answer of an interactive search.
    ///
    /// - Throws: the error of a failure without rows to show.
    func write(
        _ answer: Answer<SearchWindow<Item>>, after drawn: DrawnTable?, from source: Source
    ) throws {
        let page = try page(answer, from: source), bytes = bytes(of: page)
        var output = RowOutput(isPaged: false)
        if let drawn { try drawn.replace(with: bytes, in: &output) } else { try output.write(bytes) }
        if let sentence = page.sentence { Message.note(sentence) }
        options.verdict.write(page.status)
    }

    private func bytes(of page: AnswerPage) -> [UInt8] {
        let listing = options.format.choosing(page.listing)
        return RecordWriter(options.format.chosen).bytes(of: listing, answer: page.status.record)
    }

    /// - Throws: the error of a failure without rows to show. Local matches replace an answer only when the source
    ///   could not be queried.
    private func page(_ answer: Answer<SearchWindow<Item>>, from source: Source) throws -> AnswerPage {
        let outcome = wasQueried(answer.value) ? answer.value?.outcome : answer.searchOutcome()
        let sentence = outcome?.sentence(about: resource.plural)
        if let error = outcome?.failure(showing: answer.value) {
            // The error of a recording already states that it has no answer.
            if let sentence, !error.isNotRecorded { Message.write(sentence) }
            throw error
        }
        let window = answer.value ?? .unmatched
        return AnswerPage(
            listing: output.list(window.items, foundBy: window.origin),
            status: status(answer, window, source), sentence: sentence)
    }

    /// Whether the window contains results that `--all` has just fetched, although it is read from the storage.
    private func wasQueried(_ window: SearchWindow<Item>?) -> Bool {
        options.all && window?.origin == .source
    }

    private func status(
        _ answer: Answer<SearchWindow<Item>>, _ window: SearchWindow<Item>, _ source: Source
    ) -> Status {
        var status = Status(answer, .init(resource), count: window.items.count, from: source)
        if wasQueried(window) { status.outcome = .fresh }
        status.hasMore = window.hasMore || window.isPartial
        status.isComplete = window.isComplete(
            limit: options.limit, isConfirmed: status.outcome.isConfirmed)
        status.reason = status.isComplete ? nil : window.reason
        status.isContinued = window.isContinued
        status.next = window.hasMore ? Int64(options.page + 1) : nil
        status.found = window.origin
        status.hint = hint(window)
        return status
    }

    /// Returns remarks about the results; nil if there are none.
    private func hint(_ window: SearchWindow<Item>) -> String? {
        var hints: [String] = []
        if window.origin == .local, !window.items.isEmpty {
            hints.append("local matches: \(SearchWords(resource).beginnings) begins with the text")
        }
        if let total = window.total, total > window.items.count { hints.append("\(total) in total") }
        if let cap = window.cap {
            let all = resource.search?.split == nil ? "" : ", or add --all"
            hints.append("the source returns at most \(cap); narrow the search\(all)")
        }
        if let missing = window.missing {
            if missing > 0 { hints.append("incomplete: \(missing) missing") }
            if missing == 0, !window.isIncomplete, window.cap == nil { hints.append("complete") }
        }
        if let lack = window.lack { hints.append("incomplete: \(lack)") }
        let isFull = window.items.count == options.limit
        if window.hasMore, isFull {
            let command = "\"patchbay search \(declared.noun) TEXT --page 2\""
            hints.append("more: " + (options.interactive ? command : "--page \(options.page + 1)"))
        }
        return hints.isEmpty ? nil : hints.joined(separator: ", ")
    }
}

extension SearchOutcome {
    /// Returns the error, unless stored rows are to be shown instead.
    func failure<Item>(showing window: SearchWindow<Item>?) -> PatchbayError? {
        switch self {
        case .failed(let error): window?.origin == .source && window?.items.isEmpty == false ? nil : error
        case .offline(let error): window == nil ? error : nil
        case .unavailable(let error), .notRecorded(let error): window == nil ? error : nil
        case .found, .noRecords, .noMore, .interrupted: nil
        }
    }
}
