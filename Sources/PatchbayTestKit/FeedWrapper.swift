import PatchbayCore
package import PatchbayDomain

/// A feed around another one; requests that it does not implement are passed to the inner feed.
package protocol FeedWrapper: ResourceFeed {
    /// The wrapped feed.
    var inner: any ResourceFeed { get }
}

extension FeedWrapper {
    /// Returns the page of the inner feed.
    package func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        try await inner.page(request, ifChangedFrom: validator)
    }

    /// Returns the row of the inner feed.
    package func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        try await inner.item(handle, of: resource, ifChangedFrom: validator)
    }
}

/// A feed of pages whose rows have no addresses of their own.
package protocol PageFeed: ResourceFeed {}

extension PageFeed {
    /// Throws `notFound`.
    package func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> { throw PatchbayError(.notFound, "there is none") }
}

/// A feed that runs closures before it answers, and before the caller receives the answer.
package struct InterruptedFeed: ResourceFeed {
    private let feed: any ResourceFeed
    private let before: @Sendable () async throws -> Void
    private let meanwhile: @Sendable () async throws -> Void

    /// Creates a feed that answers as `feed` does, unless a closure throws.
    package init(
        _ feed: any ResourceFeed, before: @escaping @Sendable () async throws -> Void = {},
        meanwhile: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.feed = feed
        self.before = before
        self.meanwhile = meanwhile
    }

    /// Returns the page of the wrapped feed.
    package func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        try await around { try await feed.page(request, ifChangedFrom: validator) }
    }

    /// Returns the row of the wrapped feed.
    package func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        try await around { try await feed.item(handle, of: resource, ifChangedFrom: validator) }
    }

    private func around<Value>(_ answer: () async throws -> Value) async throws -> Value {
        try await before()
        let value = try await answer()
        try await meanwhile()
        return value
    }
}

extension ScriptedFeed {
    /// A source of this feed's resources.
    ///
    /// - Parameter other: the feed to query instead, such as one that wraps this one.
    package func source(
        _ declarations: [ResourceDeclaration] = ScriptedFeed.declarations, named name: String = "scripted",
        querying other: (any ResourceFeed)? = nil
    ) -> Source {
        var source = Source(name: name)
        source.resources = declarations
        source.feed = other ?? self
        return source
    }
}
