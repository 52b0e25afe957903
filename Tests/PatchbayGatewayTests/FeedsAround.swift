import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization

/// A feed whose pages arrive only when the test lets them, or when the question is cancelled.
final class HeldFeed: ResourceFeed {
    private let feed: ScriptedFeed
    private let (questions, question) = AsyncStream.makeStream(of: Void.self)
    private let (permits, permit) = AsyncStream.makeStream(of: Void.self)

    init(_ feed: ScriptedFeed) { self.feed = feed }

    /// Waits until somebody has asked.
    func isAsked() async {
        var iterator = questions.makeAsyncIterator()
        await iterator.next()
    }

    /// Lets one question be answered.
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

/// Says of some rows that they do not exist when they are asked for alone.
struct DenyingFeed: ResourceFeed {
    private let feed: any ResourceFeed
    private let denied: Set<String>

    init(_ feed: any ResourceFeed, _ denied: Set<String>) {
        self.feed = feed
        self.denied = denied
    }

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        try await feed.page(request, ifChangedFrom: validator)
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        if denied.contains(handle) { throw PatchbayError(.notFound, "there is no \"\(handle)\"") }
        return try await feed.item(handle, of: resource, ifChangedFrom: validator)
    }
}

/// Asks another feed, but refuses some pages.
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

    /// Refuses next pages.
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

/// A feed during whose answers something else happens: after it has answered, before anybody hears it.
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

/// A feed that answers nothing until the question is cancelled.
final class WaitingFeed: ResourceFeed {
    private let asked = Mutex(0)
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)

    /// How often it was asked.
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
