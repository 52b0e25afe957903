import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization

/// A feed that returns pages only when the test releases them or the request is cancelled.
final class HeldFeed: ResourceFeed {
    private let feed: ScriptedFeed
    private let (questions, question) = AsyncStream.makeStream(of: Void.self)
    private let (permits, permit) = AsyncStream.makeStream(of: Void.self)

    init(_ feed: ScriptedFeed) { self.feed = feed }

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
        return try await feed.page(request, ifChangedFrom: validator)
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        try await feed.item(handle, of: resource, ifChangedFrom: validator)
    }
}

/// A feed that throws when some rows are requested singly: that they do not exist, or another error.
struct DenyingFeed: ResourceFeed {
    private let feed: any ResourceFeed
    private let denied: Set<String>
    private let error: PatchbayError?

    init(_ feed: any ResourceFeed, _ denied: Set<String>, _ error: PatchbayError? = nil) {
        self.feed = feed
        self.denied = denied
        self.error = error
    }

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        try await feed.page(request, ifChangedFrom: validator)
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        if denied.contains(handle) {
            throw error ?? PatchbayError(.notFound, "there is no \"\(handle)\"")
        }
        return try await feed.item(handle, of: resource, ifChangedFrom: validator)
    }
}

/// A feed that wraps another and refuses some pages.
struct RefusingFeed: ResourceFeed {
    private let feed: any ResourceFeed
    private let refusal: @Sendable (ItemRequest) async -> PatchbayError?

    /// - Parameter refusal: the error for a page; nil for one that the feed returns.
    init(
        _ feed: any ResourceFeed, refusal: @escaping @Sendable (ItemRequest) async -> PatchbayError?
    ) {
        self.feed = feed
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
        return try await feed.page(request, ifChangedFrom: validator)
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        try await feed.item(handle, of: resource, ifChangedFrom: validator)
    }
}

/// A feed that runs a closure after it has answered and before the caller receives the answer.
struct InterruptedFeed: ResourceFeed {
    private let feed: any ResourceFeed
    private let meanwhile: @Sendable () async throws -> Void

    init(_ feed: any ResourceFeed, _ meanwhile: @escaping @Sendable () async throws -> Void) {
        self.feed = feed
        self.meanwhile = meanwhile
    }

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        let answer = try await feed.page(request, ifChangedFrom: validator)
        try await meanwhile()
        return answer
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        let answer = try await feed.item(handle, of: resource, ifChangedFrom: validator)
        try await meanwhile()
        return answer
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
