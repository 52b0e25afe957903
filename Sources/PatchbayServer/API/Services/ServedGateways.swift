import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// A store of served rows, with its identifier in entity tags.
struct ServedStore: Sendable {
    let store: Store
    /// Unique to this process.
    let id: String
}

/// A resource under its name in addresses.
struct ServedResource: Sendable {
    let gateway: Gateway
    let resource: Resource
    let store: ServedStore
    /// `users`; `slack.users` if another source also has users.
    let name: String
    let records: ItemRecords

    init(gateway: Gateway, resource: Resource, store: ServedStore, name: String) {
        self.gateway = gateway
        self.resource = resource
        self.store = store
        self.name = name
        records = ItemRecords(resource.declaration)
    }

    /// Whether the source provides pictures of the rows.
    var hasPictures: Bool { gateway.source.pictures != nil && resource.declaration.picture != nil }

    /// The policy of requests that do not name one. A source that is closed or provides no rows is not queried.
    var usualPolicy: Policy {
        gateway.source.isClosed || gateway.source.feed == nil ? .localOnly : .localFirst
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

    /// Returns the resource with a name, which may be prefixed by its source.
    ///
    /// - Throws: `Problem` when there is none or more than one.
    func resource(named name: String, as parameter: String = "name") throws(Problem) -> ServedResource {
        if let found = known(name) { return found }
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
