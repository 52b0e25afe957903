import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

/// A store of served rows, with its identifier in entity tags.
struct ServedStore: Sendable {
    let store: Store
    /// Unique to this process.
    let id: String

    /// Whether a notice names every collection, because another process may have changed any of them (``ChangeFeed``).
    /// The commit may as well be one of this process that concerns no client, such as that of an account.
    func isUnspecific(_ notice: Set<String>) -> Bool { notice.count >= store.schema.collections.count }
}

/// A resource under its name in addresses.
struct ServedResource: Sendable {
    let gateway: Gateway
    /// The resource as the client sees it, from which descriptions, walks and rows of answers are made.
    let resource: Resource
    /// The gateway's own resource, for use cases. Their rows are sent only as ``seen(_:)``.
    let full: Resource
    let store: ServedStore
    /// `users`; `slack.users` if another source also has users.
    let name: String
    let records: ItemRecords
    /// Whether the client sees only some fields. It then reads stored rows only, because what a source returns and what
    /// is reported of changes depend on all fields.
    let isPartial: Bool
    /// Whether the client sees the owner's favourites.
    let showsFavourites: Bool

    init(
        gateway: Gateway, resource: Resource, of full: Resource? = nil, store: ServedStore, name: String,
        isPartial: Bool = false, showsFavourites: Bool = true
    ) {
        self.gateway = gateway
        self.resource = resource
        self.full = full ?? resource
        self.store = store
        self.name = name
        self.isPartial = isPartial
        self.showsFavourites = showsFavourites
        records = ItemRecords(resource.declaration)
    }

    /// Why stored rows may not be all that the source has; nil when each list was fetched to its end.
    func listReason(_ reading: borrowing Reading) throws -> String? {
        try reading.listAges(of: full, among: gateway.resources, for: gateway.source.identity(of: full))
            .reason(resource.plural)
    }

    /// The handle of the stored row with a key; nil when there is none, or the client may not see all keys.
    func handle(ofKey text: String) async throws -> String? {
        guard !isPartial, let key = KeyText.key(text, of: full) else { return nil }
        return try await store.store.read { try $0.item(key, of: full)?.handle }
    }

    /// The row as the client sees it.
    func seen(_ item: Item) -> Item { item.seen(as: resource) }

    /// Writes a row as an object with all visible fields.
    func write(_ item: Item, to json: inout JSONWriter) {
        json.beginObject()
        records.write(seen(item), to: &json)
        json.endObject()
    }

    /// Whether the source provides pictures of the rows.
    var hasPictures: Bool { gateway.source.pictures != nil && resource.declaration.picture != nil }

    /// The policy of requests that do not name one. A source that is closed or provides no rows is not queried.
    var usualPolicy: Policy {
        isPartial || gateway.source.isClosed || gateway.source.feed == nil ? .localOnly : .localFirst
    }

    /// Returns the policy of a request.
    ///
    /// - Throws: `Problem` if it needs the source, and the client reads stored rows only.
    func policy(of request: APIRequest) throws(Problem) -> Policy {
        guard let policy = request.policy, policy != .localOnly else { return request.policy ?? usualPolicy }
        try requireWhole()
        return policy
    }

    /// - Throws: `Problem` if the client reads stored rows only.
    func requireWhole() throws(Problem) {
        if isPartial {
            throw Problem(
                .forbidden, .permissionDenied,
                "this client may only read stored \(resource.plural), and neither fetch nor follow them")
        }
    }
}

/// The served gateways, with their stores and resources by name.
struct ServedGateways: Sendable {
    let gateways: [Gateway]
    let stores: [ServedStore]
    let resources: [ServedResource]

    /// - Parameter id: the prefix of the stores' identifiers.
    init(_ gateways: [Gateway], id: String) {
        self.gateways = gateways
        var stores: [ServedStore] = []
        var resources: [ServedResource] = []
        var nouns = ResourceNouns(gateways.flatMap(\.resources)).nouns[...]
        for gateway in gateways {
            let known = stores.first { $0.store === gateway.store }
            let store = known ?? ServedStore(store: gateway.store, id: "\(id)\(stores.count)")
            if known == nil { stores.append(store) }
            for resource in gateway.resources {
                resources.append(
                    ServedResource(
                        gateway: gateway, resource: resource, store: store, name: nouns.removeFirst()))
            }
        }
        self.stores = stores
        self.resources = resources
    }

    /// What a client sees of served gateways.
    init(_ all: ServedGateways, for client: ClientOptions) {
        var seen: [(all: ServedResource, view: Resource, isPartial: Bool)] = []
        for served in all.resources {
            guard let rights = client.rights(to: served, among: all.resources) else { continue }
            seen.append((served, served.full.view(rights), rights.fields != nil))
        }
        let nouns = ResourceNouns(seen.map(\.view)).nouns
        resources = zip(seen, nouns).map { seen, noun in
            ServedResource(
                gateway: seen.all.gateway, resource: seen.view, of: seen.all.full, store: seen.all.store,
                name: noun, isPartial: seen.isPartial, showsFavourites: client.isOwner && !seen.isPartial)
        }
        let ids = Set(resources.map(\.store.id)), sources = Set(resources.map(\.full.api))
        stores = all.stores.filter { ids.contains($0.id) }
        gateways = all.gateways.filter { sources.contains($0.word) }
    }

    /// Returns the resource with a name, which may be prefixed by its source.
    ///
    /// - Throws: `Problem` when there is none or more than one.
    func resource(named name: String, as parameter: String = "name") throws(Problem) -> ServedResource {
        if let found = known(name) {
            ServedCall.current?.note(resource: found.name)
            return found
        }
        let several = resources.filter { $0.resource.name == name }.map(\.name)
        if !several.isEmpty {
            throw .notFound(
                "several sources have \(name); use \(several.joined(separator: " or "))",
                parameter: parameter)
        }
        let names = resources.map(\.name)
        throw .notFound(
            "there is no resource \"\(name)\"\(EditDistance.suggestion(for: name, in: names)); "
                + (names.isEmpty ? "there are none" : "known: \(names.joined(separator: ", "))"),
            parameter: parameter)
    }

    /// Returns the resource with a name, which may be prefixed by its source; nil when there is none or more than one.
    func known(_ name: String) -> ServedResource? {
        resources.first { $0.name == name || "\($0.resource.api).\($0.resource.name)" == name }
    }

    /// Returns the resource whose rows are in a collection; nil for another collection.
    func resource(ofCollection name: String, in store: ServedStore) -> ServedResource? {
        resources.first { $0.resource.collection.name == name && $0.store.id == store.id }
    }
}
