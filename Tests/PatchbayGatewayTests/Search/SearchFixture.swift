import PatchbayCore
import PatchbayDomain
import PatchbayTestKit

@testable import PatchbayGateway

/// A gateway over a scripted search for people, with a clock that the test advances.
struct SearchFixture {
    private let fixture: ResourceFixture

    init(
        _ people: [ScriptedFeed.Row] = ScriptedFeed.people(1...50),
        storage: any Storage = RepeatingStorage(MemoryStorage()),
        identity: String = "scripted", settings: SearchSettings = SearchSettings()
    ) async throws {
        fixture = try await ResourceFixture(storage: storage, identity: identity, settings: settings)
        fixture.feed.change("people") { $0 = people }
    }

    var feed: ScriptedFeed { fixture.feed }
    var clock: ManualClock { fixture.clock }
    var gateway: Gateway { fixture.gateway }
    var requests: [String] { fixture.requests }

    /// Another run of the program over the same storage.
    func gateway() async throws -> Gateway { try await fixture.gateway() }

    func people(
        _ text: String, page: Int = 1, limit: Int = 20, _ policy: Policy = .localFirst
    ) async throws -> [Answer<SearchWindow<Item>>] {
        try await gateway.searchPeople(text, page: page, limit: limit, policy: policy).all
    }

    /// The last answer as words: its outcome, its origin and the ids.
    func ending(_ text: String, _ policy: Policy = .localFirst) async throws -> String {
        guard let answer = try await people(text, policy).last else { return "none" }
        let ids = answer.value?.items.map { String($0.id) } ?? []
        let origin = answer.value.map { "\($0.origin)" } ?? "nothing"
        return ([answer.searchOutcome()?.word ?? "asking", origin] + ids).joined(separator: " ")
    }

    func people(_ text: String, _ policy: Policy) async throws -> [Answer<SearchWindow<Item>>] {
        try await people(text, page: 1, limit: 20, policy)
    }
}

extension Gateway {
    func searchPeople(
        _ text: String, page: Int = 1, limit: Int = 20, policy: Policy = .localFirst
    ) throws -> Answers<SearchWindow<Item>> {
        try search(resource("people"), text, page: page, limit: limit, policy: policy)
    }

    func peopleSession(debounce: Duration? = nil, clock: LayerClock) throws -> SearchSession<Item> {
        try searchSession(resource("people"), debounce: debounce, clock: clock)
    }

    func matchingPeople(_ text: String, limit: Int = 200) async throws -> (items: [Item], isComplete: Bool) {
        try await matches(resource("people"), text, limit: limit)
    }
}

/// A search that holds its answers back until the test releases them or the request is cancelled.
final class WaitingSearchFeed: PageFeed {
    private let (asked, asking) = AsyncStream.makeStream(of: String.self)
    private let (cancelled, cancelling) = AsyncStream.makeStream(of: String.self)
    private let (answers, answering) = AsyncStream.makeStream(of: Void.self)

    /// Waits for a request for a text, and skips requests for other texts.
    func isAsked(for text: String) async { for await asked in asked where asked == text { return } }

    func isCancelled(_ text: String) async { for await ended in cancelled where ended == text { return } }

    /// Releases the waiting and all later requests, with no results.
    func answer() { answering.finish() }

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        guard case .search(let text) = request.question.subject else { throw CancellationError() }
        asking.yield(text)
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let forwarding = Task {
            for await _ in answers {}
            end.finish()
        }
        await withTaskCancellationHandler {
            for await _ in ends {}
        } onCancel: {
            forwarding.cancel()
            end.finish()
        }
        guard !Task.isCancelled else {
            cancelling.yield(text)
            throw CancellationError()
        }
        return .changed(ItemPage([]), Validator())
    }
}

extension SearchOutcome {
    /// The outcome as a word, for comparisons.
    var word: String {
        switch self {
        case .found: "found"
        case .noRecords: "no records"
        case .noMore: "no more"
        case .unavailable: "unavailable"
        case .interrupted: "interrupted"
        case .offline: "offline"
        case .notRecorded: "not recorded"
        case .failed(let error): "failed: \(error.code)"
        }
    }
}
