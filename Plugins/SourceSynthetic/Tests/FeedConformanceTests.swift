import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import SourceSynthetic
import Synchronization
import Testing

@Suite("conformance suite of feeds")
struct FeedConformanceTests {
    private let question: ListQuestion

    init() throws { question = ListQuestion(try Resource(SyntheticFeed.users, api: SyntheticFeed.word)) }

    @Test("the synthetic source keeps every promise", arguments: FeedConformance.promises)
    func faultless(_ promise: FeedPromise) async throws {
        let conformance = FeedConformance(question) { SyntheticFeed(idMax: 450) }
        #expect(try await conformance.check(promise) == .kept)
    }

    @Test("each fault breaks a promise of its topic", arguments: FaultyFeed.Fault.allCases)
    func caught(_ fault: FaultyFeed.Fault) async throws {
        let conformance = FeedConformance(question) { FaultyFeed(fault: fault) }
        for promise in FeedConformance.promises where promise.topic == fault.topic {
            do {
                try await conformance.check(promise)
            } catch let broken as BrokenPromise {
                return #expect(broken.promise == promise.description)
            }
        }
        Issue.record("no promise of the topic \(fault.topic) broke")
    }

    @Test("promises about missing abilities of a feed are skipped, with the reason")
    func skipped() async throws {
        let conformance = FeedConformance(question, features: [.wholeList]) { SyntheticFeed(idMax: 450) }
        var skipped: [String] = []
        for promise in FeedConformance.promises {
            if case .skipped(let reason) = try await conformance.check(promise) { skipped.append(reason) }
        }
        #expect(skipped.count == FeedConformance.promises.count { !$0.needs.subtracting(.wholeList).isEmpty })
        #expect(skipped.contains("the source does not offer details"))
    }
}

/// A feed with one fault, around one without.
final class FaultyFeed: ResourceFeed {
    enum Fault: CaseIterable {
        case reversesPages, ignoresThePosition, repeatsARow, confirmsAnything, confirmsNothing, neverEnds
        case losesRowAtPageEdge, losesRowAfterPlace, continuesOnlyItself
        case mixesUpRows, answersForAnybody, changesRows, answersAnyNext, throwsItsOwnError

        var topic: String {
            switch self {
            case .mixesUpRows, .answersForAnybody: "items"
            case .changesRows: "concurrency"
            case .answersAnyNext, .throwsItsOwnError: "errors"
            default: "list"
            }
        }
    }

    private struct OwnError: Error {}

    private let fault: Fault
    private let requests = Atomic(0)
    private let inner = SyntheticFeed(idMax: 450)
    private let another = SyntheticFeed(seed: 2, idMax: 450)

    /// What this feed's next pages begin with.
    private let mark = "run \(UInt32.random(in: 0...(.max))) "

    init(fault: Fault) { self.fault = fault }

    func page(_ request: ItemRequest, ifChangedFrom validator: Validator) async throws -> Fetched<ItemPage> {
        var request = request, validator = validator
        switch (fault, request.next) {
        case (.ignoresThePosition, nil): request.question.after = 0
        case (.answersAnyNext, .some): request.next = nil
        case (.throwsItsOwnError, .some): throw OwnError()
        default: break
        }
        if fault == .continuesOnlyItself, let next = request.next {
            guard next.hasPrefix(mark) else { throw PatchbayError(.invalidValue, "an unknown page") }
            request.next = String(next.dropFirst(mark.count))
        }
        if fault == .confirmsAnything, validator != Validator() { return .unchanged }
        if fault == .confirmsNothing { validator = Validator() }
        let isOdd = requests.add(1, ordering: .relaxed).oldValue % 2 == 1
        let feed = fault == .changesRows && isOdd ? another : inner
        guard case .changed(var page, let fresh) = try await feed.page(request, ifChangedFrom: validator)
        else { return .unchanged }
        switch fault {
        case .reversesPages: page.items.reverse()
        case .repeatsARow: if let item = page.items.last { page.items.append(item) }
        case .neverEnds: if page.next == nil { page.next = "after 0" }
        case .losesRowAtPageEdge where request.next != nil: page.items.removeFirst(min(1, page.items.count))
        case .losesRowAfterPlace where request.next == nil && request.question.after > 0:
            page.items.removeFirst(min(1, page.items.count))
        case .continuesOnlyItself: page.next = page.next.map { mark + $0 }
        default: break
        }
        return .changed(page, fresh)
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        var id: Int64?
        if fault == .answersForAnybody, handle.hasPrefix("nobody") { id = 2 }
        if fault == .mixesUpRows { id = 450 }
        guard let id, let item = try inner.item(id, of: resource) else {
            return try await inner.item(handle, of: resource, ifChangedFrom: validator)
        }
        return .changed(item, Validator(entityTag: "\"1\""))
    }
}
