import PatchbayCore
public import PatchbayDomain

/// The promises of a feed of rows, as tests for any source.
///
///     @Test(arguments: FeedConformance.promises)
///     func keeps(_ promise: FeedPromise) async throws {
///         let people = try StaffList.definition.resource("people")
///         try await FeedConformance(ListQuestion(people)) { StaffList(logins: [1: "ada"]) }.check(promise)
///     }
///
/// A check sends a few dozen requests, so give the feed a network that answers from memory, such as a recording.
public struct FeedConformance: Sendable {
    /// The most pages that a check walks.
    package static let pagesMax = 1_000

    private let question: ListQuestion
    private let features: SourceFeatures
    private let openFeed: @Sendable () async throws -> any ResourceFeed

    /// - Parameters:
    ///   - question: a list with some rows.
    ///   - features: the features of the feed; promises that need others are skipped.
    ///   - openFeed: opens a feed; called once or twice for each check.
    public init(
        _ question: ListQuestion, features: SourceFeatures = .all,
        openFeed: @escaping @Sendable () async throws -> any ResourceFeed
    ) {
        self.question = question
        // A position is only defined in an ordered list.
        self.features = question.resource.order == nil ? features.subtracting(.anyPosition) : features
        self.openFeed = openFeed
    }

    /// All promises, in the order in which a new feed should meet them.
    public static let promises: [FeedPromise] = FeedPromise.list + FeedPromise.items + FeedPromise.behaviour

    /// Checks one promise with a feed of its own.
    ///
    /// - Throws: ``BrokenPromise`` with the expected and the actual result.
    @discardableResult
    public func check(_ promise: FeedPromise) async throws -> StorageConformance.Outcome {
        if let reason = promise.reasonToSkip(for: features) { return .skipped(reason: reason) }
        do {
            try await promise.check(
                FeedBench(feed: try await openFeed(), question: question, openAnother: openFeed))
            return .kept
        } catch {
            var broken =
                error as? BrokenPromise
                ?? BrokenPromise("the feed threw an unexpected error", cause: error)
            broken.promise = promise.description
            throw broken
        }
    }
}

/// A promise that every feed makes, and its check.
public struct FeedPromise: Sendable, CustomStringConvertible {
    /// The subject: `list`, `items`, `errors`.
    public let topic: String
    /// The promise as a sentence.
    public let sentence: String
    /// The features without which a feed does not make this promise.
    package let needs: SourceFeatures
    let check: @Sendable (FeedBench) async throws -> Void

    init(
        _ topic: String, _ sentence: String, needs: SourceFeatures = [],
        _ check: @escaping @Sendable (FeedBench) async throws -> Void
    ) {
        self.topic = topic
        self.sentence = sentence
        self.needs = needs
        self.check = check
    }

    /// The topic and the sentence on one line.
    public var description: String { "\(topic): \(sentence)" }

    /// Returns why a feed with these features does not make the promise, or nil when it does.
    package func reasonToSkip(for features: SourceFeatures) -> String? {
        let missing = needs.subtracting(features)
        return missing.isEmpty ? nil : "the source does not offer \(missing.words)"
    }
}

/// The feed and the list that a check uses.
struct FeedBench: Sendable {
    let feed: any ResourceFeed
    let question: ListQuestion
    let openAnother: @Sendable () async throws -> any ResourceFeed

    /// The same list, requested from another feed, as by the next run of a program.
    func another() async throws -> FeedBench {
        FeedBench(feed: try await openAnother(), question: question, openAnother: openAnother)
    }

    var resource: Resource { question.resource }

    /// Requests a page: the first one, the one that another page named as its next, or the one after a place.
    func ask(
        next: String? = nil, after: Int64 = 0, _ validator: Validator = Validator()
    ) async throws -> Fetched<ItemPage> {
        var question = question
        question.after = after
        return try await feed.page(ItemRequest(question, next: next), ifChangedFrom: validator)
    }

    /// Requests a page unconditionally.
    func page(
        next: String? = nil, after: Int64 = 0
    ) async throws -> (page: ItemPage, validator: Validator) {
        guard case .changed(let page, let validator) = try await ask(next: next, after: after) else {
            throw BrokenPromise("a page requested with an empty validator is \"unchanged\"")
        }
        return (page, validator)
    }

    /// Requests an item unconditionally.
    func item(_ handle: String) async throws -> (item: Item, validator: Validator) {
        let fetched = try await feed.item(handle, of: resource, ifChangedFrom: Validator())
        guard case .changed(let item, let validator) = fetched else {
            throw BrokenPromise("\"\(handle)\", requested with an empty validator, is \"unchanged\"")
        }
        return (item, validator)
    }

    /// Requests the first page, which must contain rows for a check to be meaningful.
    func firstPage() async throws -> (page: ItemPage, validator: Validator) {
        let first = try await page()
        guard !first.page.items.isEmpty else {
            throw BrokenPromise("the first page has no rows; give the kit a feed with some")
        }
        return first
    }

    /// Requests all pages from the start to the end.
    func pages() async throws -> [ItemPage] {
        var pages = [try await firstPage().page]
        while let next = pages[pages.count - 1].next {
            guard pages.count < FeedConformance.pagesMax else {
                throw BrokenPromise("after \(pages.count) pages the list continues at \"\(next)\"")
            }
            pages.append(try await page(next: next).page)
        }
        return pages
    }
}

/// The optional features of a source. The conformance suite runs the checks that they require.
public struct SourceFeatures: OptionSet, Sendable {
    /// The features as bits.
    public let rawValue: Int

    /// Creates a set from bits; prefer the named features.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The list has an end that the test can walk to, within 1,000 pages.
    public static let wholeList = SourceFeatures(rawValue: 1 << 0)
    /// Any position can be requested, not only those that pages link to. A recording has only the latter.
    public static let anyPosition = SourceFeatures(rawValue: 1 << 1)
    /// Answers carry validators, and an unchanged resource is answered with "unchanged".
    public static let validators = SourceFeatures(rawValue: 1 << 2)
    /// Each listed row can be requested alone.
    public static let details = SourceFeatures(rawValue: 1 << 3)

    /// All features, those of a source that a test can request anything from.
    public static let all: SourceFeatures = [.wholeList, .anyPosition, .validators, .details]

    /// The names of the features, for messages.
    var words: String {
        let names: [(SourceFeatures, String)] = [
            (.wholeList, "a whole list"), (.anyPosition, "any position"), (.validators, "validators"),
            (.details, "details"),
        ]
        return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
}
