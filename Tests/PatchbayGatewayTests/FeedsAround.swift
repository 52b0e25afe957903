import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization

/// A feed that returns pages only when the test releases them or the request is cancelled.
final class HeldFeed: FeedWrapper {
    let inner: any ResourceFeed
    private let (questions, question) = AsyncStream.makeStream(of: Void.self)
    private let (permits, permit) = AsyncStream.makeStream(of: Void.self)

    init(_ feed: ScriptedFeed) { inner = feed }

    /// Waits for a request.
    func isAsked() async {
        var iterator = questions.makeAsyncIterator()
        await iterator.next()
    }

    /// Releases one answer.
    func answer() { permit.yield() }

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        question.yield()
        var iterator = permits.makeAsyncIterator()
        await iterator.next()
        try Task.checkCancellation()
        return try await inner.page(request, ifChangedFrom: validator)
    }
}

/// A feed whose answers depend on what a gateway's source is called.
struct PartitionedFeed: FeedWrapper {
    let inner: any ResourceFeed
    let identity: String

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        let sent = validator.isValid(for: identity) ? validator : validator.withoutConditions
        guard case .changed(let page, var new) = try await inner.page(request, ifChangedFrom: sent) else {
            return .unchanged
        }
        new.partition = identity
        return .changed(page, new)
    }
}

/// A feed that throws when some rows are requested singly: that they do not exist, or another error.
struct DenyingFeed: FeedWrapper {
    let inner: any ResourceFeed
    private let denied: Set<String>
    private let error: PatchbayError?

    init(_ feed: any ResourceFeed, _ denied: Set<String>, _ error: PatchbayError? = nil) {
        inner = feed
        self.denied = denied
        self.error = error
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        if denied.contains(handle) {
            throw error ?? PatchbayError(.notFound, "there is no \"\(handle)\"")
        }
        return try await inner.item(handle, of: resource, ifChangedFrom: validator)
    }
}

/// A feed that wraps another and refuses some pages.
struct RefusingFeed: FeedWrapper {
    let inner: any ResourceFeed
    private let refusal: @Sendable (ItemRequest) async -> PatchbayError?

    /// - Parameter refusal: the error for a page; nil for one that the feed returns.
    init(
        _ feed: any ResourceFeed, refusal: @escaping @Sendable (ItemRequest) async -> PatchbayError?
    ) {
        inner = feed
        self.refusal = refusal
    }

    /// Refuses the pages with these links.
    init(_ feed: any ResourceFeed, _ refused: Set<String>, _ cause: any Error & Sendable) {
        self.init(feed) { request in
            guard let next = request.next, refused.contains(next) else { return nil }
            return PatchbayError(.invalidValue, "the page \"\(next)\" is refused", cause: cause)
        }
    }

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        if let error = await refusal(request) { throw error }
        return try await inner.page(request, ifChangedFrom: validator)
    }
}

/// A feed that never answers; a request ends when it is cancelled.
final class WaitingFeed: ResourceFeed {
    private let asked = Mutex(0)
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)

    /// The number of requests received.
    var count: Int { asked.withLock { $0 } }

    func isAsked(times: Int = 1) async {
        var iterator = arrivals.makeAsyncIterator()
        for _ in 0..<times { await iterator.next() }
    }

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> { try await wait() }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> { try await wait() }

    private func wait<Value>() async throws -> Value {
        asked.withLock { $0 += 1 }
        arrival.yield()
        let (never, end) = AsyncStream.makeStream(of: Never.self)
        await withTaskCancellationHandler {
            for await _ in never {}
        } onCancel: {
            end.finish()
        }
        throw CancellationError()
    }
}
