import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import Synchronization

/// The events of one listener: changes of resources and progress of syncs.
///
/// Events describe the current state and are not queued. Changes during a slow read are merged into one event, so a
/// listener uses a bounded amount of memory. The first event after a reconnect names everything the client listens to,
/// and the client checks it with its entity tags.
struct EventStream: Sendable {
    let api: API
    let resources: [ServedResource]
    /// Whether the client had a stream before.
    let isContinued: Bool

    /// The time without an event after which a comment is sent, so that the connection does not appear dead.
    static let silenceMax = Duration.seconds(15)

    /// Writes until the client leaves or the server stops.
    func write(to writer: ServerResponse.Writer) async throws {
        let pending = Pending()
        guard let number = api.listeners.add({ pending.stop() }) else { return }
        defer { api.listeners.remove(number) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            // Listening starts before the first state is read, so that no change is missed.
            for store in stores {
                let notices = store.store.changes.stream()
                group.addTask {
                    for await collections in notices { pending.note(collections, of: store) }
                    pending.stop()
                }
            }
            let syncs = api.syncs.changes.stream()
            group.addTask { for await _ in syncs { pending.note(.syncs) } }
            group.addTask { [clock = api.clock] in
                while true {
                    try await clock.sleep(Self.silenceMax)
                    pending.note(.silence)
                }
            }
            defer { group.cancelAll() }
            try await write(pending, to: writer)
        }
    }

    private func write(_ pending: Pending, to writer: ServerResponse.Writer) async throws {
        var version = api.syncs.changed(after: 0).version
        var known = try await state()
        try await writer.write(
            try await changed(isContinued ? resources : [], hasFavourites: isContinued && showsFavourites))
        for await _ in pending.wakes {
            let news = pending.take()
            if news.isStopped { return }
            var text: [UInt8] = []
            let now = news.isOfStores ? try await state() : known
            // What another notice will report stays unknown until then.
            func isChanged(_ place: Place) -> Bool {
                guard news.concerns(place) else { return false }
                defer { known[place] = now[place] }
                return news.holds(place, known, now)
            }
            let changed = resources.filter { isChanged($0.place) }
            let hasFavourites = !stores.filter { isChanged($0.favourites) }.isEmpty && showsFavourites
            if !changed.isEmpty || hasFavourites {
                text += try await self.changed(changed, hasFavourites: hasFavourites)
            }
            if news.hasSyncs {
                let (runs, now) = api.syncs.changed(after: version)
                version = now
                for run in runs {
                    guard let served = resources.first(where: { $0.full == run.subject.resource }) else {
                        continue
                    }
                    text +=
                        ServerEvent(
                            name: "sync",
                            data: DescribedRun.members.json(DescribedRun(run: run, resource: served.name))
                        ).text
                }
            }
            if text.isEmpty, news.isSilent { text = Array(": nothing has changed\n\n".utf8) }
            if !text.isEmpty { try await writer.write(text) }
        }
    }

    /// Digests of what the listener sees.
    private func state() async throws -> State {
        var state: State = [:]
        for store in stores {
            let resources = resources.filter { $0.store.id == store.id }
            let part = try await store.store.read { reading in
                var part: State = [store.favourites: try reading.favouritesDigest()]
                for served in resources { part[served.place] = try reading.stateDigest(of: served.full) }
                return part
            }
            state.merge(part) { $1 }
        }
        return state
    }

    private var showsFavourites: Bool { api.client?.isOwner ?? true }

    private var stores: [ServedStore] {
        api.gateways.stores.filter { store in resources.contains { $0.store.id == store.id } }
    }

    /// Returns the event for changed resources; its id is the revision of the stores.
    private func changed(_ changed: [ServedResource], hasFavourites: Bool) async throws -> [UInt8] {
        var revisions: [String] = []
        for store in stores {
            // A revision counts the commits that concern other resources, too.
            if api.hidesRevisions { revisions.append(store.id); continue }
            revisions.append(store.id + "-" + String(try await store.store.revision(), radix: 36))
        }
        let data = Self.changedMembers.json((changed.map(\.name), hasFavourites))
        return ServerEvent(id: revisions.joined(separator: "."), name: "changed", data: data).text
    }

    private static let changedMembers = Members<(resources: [String], hasFavourites: Bool)> {
        Member("resources") { $0.resources }
        Member("favourites") { $0.hasFavourites }
    }
}

/// A collection of a store.
private struct Place: Hashable {
    let store: String
    let collection: String
}

/// The digests of collections; nil where there is none.
private typealias State = [Place: UInt64?]

extension ServedStore {
    fileprivate var favourites: Place { Place(store: id, collection: Favourite.collection.name) }
}

extension ServedResource {
    fileprivate var place: Place { Place(store: store.id, collection: resource.collection.name) }
}

/// The changes since the last event of a listener.
private final class Pending: Sendable {
    struct News {
        /// The collections that commits of this process have changed.
        var places: Set<Place> = []
        /// The stores of which any collection may have changed.
        var stores: Set<String> = []
        var hasSyncs = false
        var isSilent = false
        var isStopped = false

        var isOfStores: Bool { !places.isEmpty || !stores.isEmpty }

        func concerns(_ place: Place) -> Bool { places.contains(place) || stores.contains(place.store) }

        /// Whether a collection that they concern has changed, or may have changed because it has no digest.
        func holds(_ place: Place, _ former: State, _ now: State) -> Bool {
            if places.contains(place) { return true }
            guard let digest = now[place] ?? nil else { return true }
            return digest != former[place]
        }
    }

    enum Notice { case syncs, silence }

    let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation
    private let news = Mutex(News())

    init() { (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    func note(_ collections: Set<String>, of store: ServedStore) {
        news.withLock { news in
            if store.isUnspecific(collections) {
                news.stores.insert(store.id)
            } else {
                news.places.formUnion(collections.map { Place(store: store.id, collection: $0) })
            }
        }
        wake.yield()
    }

    func note(_ notice: Notice) {
        news.withLock { news in
            switch notice {
            case .syncs: news.hasSyncs = true
            case .silence: news.isSilent = true
            }
        }
        wake.yield()
    }

    func stop() {
        news.withLock { $0.isStopped = true }
        wake.yield()
    }

    func take() -> News {
        news.withLock { news in
            defer { news = News() }
            return news
        }
    }
}

/// An event of a `text/event-stream`. The data is one line, because JSON contains no line breaks.
struct ServerEvent: Sendable {
    var id: String?
    let name: String
    /// JSON.
    let data: [UInt8]

    var text: [UInt8] {
        let id = id.map { "id: \($0)\n" } ?? ""
        return Array("\(id)event: \(name)\ndata: ".utf8) + data + Array("\n\n".utf8)
    }
}
