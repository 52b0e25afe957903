public import PatchbayCore
public import PatchbayDomain

/// Several sources over one storage, which is opened once.
///
///     let gateways = try await Gateways(storage: storage, sources: [github, slack])
///     let (gateway, channels) = try gateways.resource("channels")
///     for await answer in try gateway.list(channels.name, limit: 20) { ... }
///     try await gateways.close()
///
/// Each source has its own gateway and its own collections in the storage, whose names begin with `Source.word`.
public struct Gateways: Sendable {
    /// The open storage that all gateways share.
    public let store: Store
    /// A gateway for each source, in the order in which the sources were given. Closing one closes only its source.
    public private(set) var all: [Gateway]
    /// ``Gateway/maximumAge`` of all gateways.
    public var maximumAge: Duration? {
        didSet { for place in all.indices { all[place].maximumAge = maximumAge } }
    }

    /// Opens the storage with the collections of all sources.
    ///
    /// The other parameters are those of `Gateway(storage:source:)`.
    ///
    /// - Parameter sources: at least one.
    /// - Throws: `invalidConfiguration` when two sources have the same word; `conflict` when the storage is an
    ///   unfinished copy of another one, and the errors of opening a `Store`.
    public init(
        storage: any Storage, sources: [Source], schema: Schema = .patchbay,
        access: StorageAccess = .creating, search: SearchSettings = SearchSettings(),
        served: @escaping StoredAnswerListener = { _, _ in },
        progress: @escaping WorkProgress.Handler = { _ in },
        clock: LayerClock = LayerClock(now: Timestamp.now)
    ) async throws {
        precondition(!sources.isEmpty, "gateways need a source")
        let (store, resources) = try await Store.opening(storage, schema, sources, access, progress)
        self.store = store
        all = zip(sources, resources).map { Gateway(store, $1, $0, search, served, clock: clock) }
        do {
            try await store.requireFinishedCopy()
            if access != .reading {
                try await store.fillFoldedTitles(of: resources.flatMap(\.self), progress: progress)
            }
        } catch let error as PatchbayError where error.isRefusedWrite {
            // The storage can still be read; the next opening that may write folds the titles.
        } catch {
            // The first error is the one to report.
            try? await store.close()
            throw error
        }
    }

    /// The recent searches, which all sources share.
    public var recentSearches: RecentSearches { all[0].recentSearches }
    /// The searches that found nothing and are not sent again for a while, of all sources.
    public var deniedSearches: DeniedSearches { all[0].deniedSearches }

    /// The gateway of the source with a word; nil when there is none.
    public subscript(word: String) -> Gateway? { all.first { $0.word == word } }

    /// The resource that a noun names, and the gateway of its source: `repos`, or `slack.users` when several sources
    /// provide users.
    ///
    /// - Throws: `unsupported` when no source provides it, or when several do; the error lists the candidates.
    public func resource(_ noun: String) throws -> (gateway: Gateway, resource: Resource) {
        let known = all.flatMap { gateway in gateway.resources.map { (gateway: gateway, resource: $0) } }
        let nouns = ResourceNouns(known.map(\.resource))
        let places = nouns.positions(of: noun)
        if places.count == 1 { return known[places[0]] }
        let choices = places.map { nouns.nouns[$0] }
        throw PatchbayError(
            .unsupported,
            places.isEmpty
                ? "no source provides \"\(noun)\"\(EditDistance.suggestion(for: noun, in: nouns.nouns)); known: "
                    + nouns.nouns.joined(separator: ", ")
                : "several sources provide \"\(noun)\"; name one of \(choices.joined(separator: ", "))")
    }

    /// Runs `body` with each gateway, in order.
    public func each(_ body: (Gateway) async throws -> Void) async rethrows {
        for gateway in all { try await body(gateway) }
    }

    /// Closes the sources, then the storage, even when closing a source fails.
    ///
    /// - Throws: the first error.
    public func close() async throws {
        var failure: (any Error)?
        for gateway in all {
            do { try await gateway.close() } catch { failure = failure ?? error }
        }
        do { try await store.close() } catch { failure = failure ?? error }
        if let failure { throw failure }
    }
}

extension Gateway {
    /// The prefix of the names of the source's collections in the storage.
    package var word: String { resources.first?.api ?? source.word }
}
