import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// A store that answers come from, with the name that its entity tags have.
struct ServedStore: Sendable {
    let store: Store
    /// Of this process alone.
    let id: String
}

/// A resource under the name that it has in addresses.
struct ServedResource: Sendable {
    let gateway: Gateway
    let resource: Resource
    let store: ServedStore
    /// `users`; `slack.users` where another source has users, too.
    let name: String

    /// Whether the source provides pictures of the rows.
    var hasPictures: Bool { gateway.source.pictures != nil && resource.declaration.picture != nil }

    /// What is done when a request does not say: a source that is closed or has no rows is not asked.
    var usualPolicy: Policy {
        gateway.source.isClosed || gateway.source.feed == nil ? .localOnly : .localFirst
    }
}

/// The gateways that are served, and what they have under which name.
struct ServedGateways: Sendable {
    let gateways: [Gateway]
    let stores: [ServedStore]
    let resources: [ServedResource]

    /// - Parameter id: what the names of stores begin with.
    init(_ gateways: [Gateway], id: String) {
        self.gateways = gateways
        var stores: [ServedStore] = []
        var resources: [ServedResource] = []
        let names = gateways.flatMap { $0.resources.map(\.name) }
        for gateway in gateways {
            let known = stores.first { $0.store === gateway.store }
            let store = known ?? ServedStore(store: gateway.store, id: "\(id)\(stores.count)")
            if known == nil { stores.append(store) }
            for resource in gateway.resources {
                let isAmbiguous = names.count { $0 == resource.name } > 1
                let name = isAmbiguous ? "\(resource.api).\(resource.name)" : resource.name
                resources.append(
                    ServedResource(gateway: gateway, resource: resource, store: store, name: name))
            }
        }
        self.stores = stores
        self.resources = resources
    }

    /// The resource with a name, which may have the word of its source before it.
    ///
    /// - Throws: `Problem` when there is none, or several.
    func resource(named name: String, as parameter: String = "name") throws(Problem) -> ServedResource {
        if let found = known(name) { return found }
        let several = resources.filter { $0.resource.name == name }.map(\.name)
        if !several.isEmpty {
            throw .notFound(
                "several sources have \(name); name \(several.joined(separator: " or "))",
                parameter: parameter)
        }
        let names = resources.map(\.name)
        throw .notFound(
            "there is no resource \"\(name)\"\(EditDistance.suggestion(for: name, in: names)); "
                + (names.isEmpty ? "there are none" : "there is \(names.joined(separator: ", "))"),
            parameter: parameter)
    }

    /// The resource with a name, which may have the word of its source before it; nil when there is none, or several.
    func known(_ name: String) -> ServedResource? {
        resources.first { $0.name == name || "\($0.resource.api).\($0.resource.name)" == name }
    }

    /// The resource that a collection holds the rows of; nil when it is another collection.
    func resource(ofCollection name: String, in store: ServedStore) -> ServedResource? {
        resources.first { $0.resource.collection.name == name && $0.store.id == store.id }
    }
}
