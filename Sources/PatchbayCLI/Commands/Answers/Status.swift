import Patchbay
import PatchbayTerminal

/// The origin, age and gaps of an answer, printed as a line on standard error and as part of JSON output.
struct Status {
    let noun: Noun
    var count: Int
    var from: String
    /// Whether the source was left closed, as with `--offline`.
    private let isOffline: Bool
    var age: Duration?
    var outcome: Outcome
    var hint: String?
    /// Whether the answer contains everything that was requested.
    var isComplete = true
    /// Why rows may be missing although the source answered; nil when none are.
    var shortfall: Shortfall?
    /// Why the source may list other rows than these.
    private var doubt: String?
    /// Why rows of a list may be missing, also because they were not fetched.
    var reason: String?
    /// Whether more rows follow; nil if the answer is not a list.
    var hasMore: Bool?
    /// The next id, page or batch to request.
    var next: Int64?
    /// The origin of the results of a search.
    var found: SearchWindow<Item>.Origin?
    /// Whether the results are from pages of this search that were stored a short while ago.
    var isContinued = false
    /// When nothing that was requested is stored: whether no other rows of the resource are stored, either.
    var isStoreEmpty = true

    /// The noun for counted things, in singular and plural.
    struct Noun {
        let one: String
        let many: String

        init(_ one: String, _ many: String) {
            self.one = one
            self.many = many
        }

        /// The rows of a resource.
        init(_ resource: ResourceDeclaration) { self.init(resource.singular, resource.plural) }

        func counted(_ count: Int) -> String { Count.words(count, one, many) }
    }

    init<Value>(_ answer: Answer<Value>, _ noun: Noun, count: Int, from source: Source) {
        self.init(noun, count: count, age: answer.age, answer.outcome, from: source)
    }

    init(_ noun: Noun, count: Int, age: Duration?, _ outcome: Outcome, from source: Source) {
        self.noun = noun
        self.count = count
        from = source.name
        isOffline = source.isClosed
        self.age = age
        self.outcome = outcome
    }

    var line: String {
        if found == .denied { return deniedLine }
        var parts = [counted, origin]
        if let doubt { parts.append(doubt) }
        if let hint { parts.append(hint) }
        if let shortfall { parts.append("incomplete: \(shortfall.reason)") }
        return parts.joined(separator: ", ")
    }

    /// The start of the line, shown while the source is being queried.
    var storedLine: String { "\(counted), \(stored)" }

    private var counted: String { noun.counted(count) }

    private var stored: String {
        if let age { return "stored \(Age.ago(age))" }
        // The clock was ahead when the rows were stored.
        if count > 0 { return "stored at an unknown time" }
        if found != nil { return "nothing found in the storage" }
        return isStoreEmpty ? "nothing stored" : "nothing stored here"
    }

    fileprivate var interruption: String { "interrupted before \(from) answered" }

    private var deniedLine: String {
        "0 \(noun.many), nothing found \(age.map(Age.ago) ?? "before") at \(from); --refresh searches again"
    }

    private var origin: String {
        if isContinued { return "\(stored), continued; --refresh searches again" }
        switch outcome {
        case .stored, .localOnly:
            if isOffline { return "\(stored) (offline)" }
            // Without a search of the source, a sentence before this line states that it was not queried.
            return found == nil ? "\(stored); --refresh fetches again" : stored
        case .fresh: return recording.map { "recorded in \($0)" } ?? "fresh from \(from)"
        case .unchanged: return "unchanged " + (recording.map { "in \($0)" } ?? "at \(from)")
        case .failed(let error) where error.isNotRecorded: return "\(stored); \(error.namingFetch.oneLine)"
        case .failed(let error) where error.code == .cancelled: return "\(stored); \(interruption)"
        case .failed(let error): return "\(stored); \(error.failure(of: from)): \(error.namingFetch.oneLine)"
        }
    }

    /// The recording named at the end of the source's name; nil when a server answered. A recorded answer is not fresh.
    private var recording: Substring? { from.firstRange(of: ", recorded in ").map { from[$0.upperBound...] } }

    /// Whether `--strict` treats it as a failure: rows are missing, or the source was queried and did not confirm them.
    var isDoubtful: Bool { isFailure || !isComplete }

    /// Whether the line reports a failure, which is printed even with `--quiet`.
    var isFailure: Bool { outcome.error != nil || shortfall != nil }

    /// Whether rows of the answer were left out, which is a failure even without `--strict`, because no later request
    /// brings them.
    var lacksRows: Bool { shortfall?.kind == .keys }

    /// The `answer` member of JSON output.
    var record: OutputRecord {
        let error = outcome.error
        return OutputRecord([
            ("source", isLocal ? .null : .text(from)), ("origin", .text(originWord)), ("state", .text(state)),
            ("age_seconds", OutputValue(age.map { max(0, $0.components.seconds) })),
            ("complete", .bool(isComplete)), ("reason", OutputValue(reason)),
            ("more", OutputValue(hasMore)), ("next", OutputValue(next)),
            ("error", OutputValue(error?.code.rawValue)),
            (
                "message",
                OutputValue(error.map { $0.code == .cancelled ? interruption : $0.namingFetch.oneLine })
            ),
            ("retry_at", OutputValue(error?.retryAt?.description)),
        ])
    }

    /// Whether the source has nothing to do with the answer.
    private var isLocal: Bool {
        guard case .localOnly = outcome, found != .denied, !isContinued else { return false }
        return isOffline || found == .local
    }

    private var originWord: String {
        switch found {
        case .local: "local"
        case .denied: "denied"
        case .source, nil: outcome.isConfirmed ? "source" : "storage"
        }
    }

    /// The outcome in one word.
    private var state: String {
        switch outcome {
        case .stored: "stored"
        case .failed(let error) where error.code == .cancelled: "stored"
        case .localOnly: found == .denied || isContinued || !isOffline ? "stored" : "offline"
        case .fresh: recording == nil ? "fresh" : "recorded"
        case .unchanged: "unchanged"
        case .failed: "failed"
        }
    }

    /// Records whether no rows of a resource are stored, and how to fetch some if the source was not queried.
    mutating func noteEmptyStore(
        of declared: DeclaredResource, _ resource: Resource, in gateway: Gateway
    ) async throws {
        guard count == 0 else { return }
        let any = Query(resource.collection, limit: 1)
        isStoreEmpty = try await gateway.store.read { try $0.count(any) == 0 }
        guard isStoreEmpty, case .localOnly = outcome, found != .denied else { return }
        let arguments = declared.declaration.lists.first?.template.arguments ?? []
        let command = (["patchbay sync", declared.noun] + arguments.map { $0.uppercased() })
            .joined(separator: " ")
        hint = "\"\(command)\" fetches \(noun.many)"
    }

    /// Whether the list continues and no requested row before that is missing.
    var canRequestMore: Bool { hasMore == true && isComplete && count > 0 }
}

extension Status {
    /// The status of the listed rows, with hints about how the list continues.
    init(
        _ list: ListSummary, _ resource: ResourceDeclaration, _ stretch: ListStretch, from source: Source
    ) {
        self.init(.init(resource), count: list.count, age: list.age, list.outcome, from: source)
        isComplete = list.isComplete
        hasMore = list.hasMore
        shortfall = list.shortfall
        reason = list.reason
        doubt = list.doubt
        if resource.order == nil {
            if stretch.batch != nil, list.last?.hasMore == true { next = stretch.nextBatch }
            let gaps = list.gapCount > 0 ? list.reason : nil
            let hints = [gaps, canRequestMore ? stretch.hint : Self.restIsMissing(in: list)].compactMap(
                \.self)
            hint = hints.isEmpty ? nil : hints.joined(separator: ", ")
        } else {
            next = list.last?.next
            let hints = Self.gaps(in: list) + [continuation(of: list, stretch.limit)].compactMap(\.self)
            hint = hints.isEmpty ? nil : hints.joined(separator: ", ")
        }
    }

    private static func gaps(in list: ListSummary) -> [String] {
        let gaps = list.gaps.map { "\($0): --after \($0.after)" }, rest = list.gapCount - gaps.count
        return rest > 0 ? gaps + ["\(rest) more gaps"] : gaps
    }

    /// The hint of a stored list that ends before its last row; nil for others.
    private static func restIsMissing(in list: ListSummary) -> String? {
        guard case .localOnly = list.outcome, list.last?.isPartial == true else { return nil }
        return ListSummary.restIsMissing
    }

    /// Describes how an ordered list continues; nil if requesting its rest failed.
    private func continuation(of list: ListSummary, _ limit: Int) -> String? {
        switch (outcome, list.last?.state) {
        case (.failed, _), (.stored, _): break
        case (_, .limitReached(let maximum)): return "the limit of \(maximum) is reached"
        case (_, .endOfSource): return "the end of the list"
        default: break
        }
        if let hint = Self.restIsMissing(in: list) { return hint }
        guard count >= limit || outcome.isConfirmed else { return nil }
        return next.map { "more: --after \($0)" }
    }
}
