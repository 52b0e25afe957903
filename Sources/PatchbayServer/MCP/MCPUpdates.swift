import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

/// The addresses whose changes a client wants to know.
struct MCPUpdates: Sendable {
    private let api: API
    private let addresses: [(uri: String, address: MCPAddress)]

    /// The maximum number of addresses of a subscription.
    static let addressesMax = 100

    /// - Throws: ``RPCError`` for an address that names no resource, or too many of them.
    init(_ uris: [JSONValue], _ api: API) throws(RPCError) {
        guard uris.count <= Self.addressesMax else {
            throw RPCError(.invalidParams, "a subscription has at most \(Self.addressesMax) addresses")
        }
        self.api = api
        var addresses: [(uri: String, address: MCPAddress)] = []
        for uri in uris {
            let address = try MCPAddress(uri, among: api.gateways.resources)
            do throws(Problem) { try address.served.requireWhole() } catch {
                throw RPCError(.invalidParams, error.detail, data: ["uri": uri])
            }
            addresses.append((uri.word ?? "", address))
        }
        self.addresses = addresses
    }

    var uris: [String] { addresses.map(\.uri) }

    /// Begins to observe the addresses. What changes afterwards is not missed.
    func begin() async throws -> Observation {
        let stores = api.gateways.stores.filter { store in
            addresses.contains { $0.address.served.store.id == store.id }
        }
        let notices = stores.map { $0.store.changes.stream() }
        var observed: [ObservedStore] = []
        for (store, notices) in zip(stores, notices) {
            observed.append(
                ObservedStore(store: store, notices: notices, known: try await digests(of: store)))
        }
        return Observation(updates: self, stores: observed)
    }

    fileprivate struct ObservedStore: Sendable {
        let store: ServedStore
        let notices: AsyncStream<Set<String>>
        /// The digests when the observation began.
        let known: [String: UInt64]
    }

    /// The observed addresses.
    struct Observation: Sendable {
        fileprivate let updates: MCPUpdates
        fileprivate let stores: [ObservedStore]

        /// Reports the addresses whose rows have changed since the observation began, until the task is cancelled or
        /// the storage is closed.
        func follow(_ report: @escaping @Sendable (_ uri: String) async throws -> Void) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for observed in stores {
                    group.addTask {
                        var known = observed.known
                        for await collections in observed.notices {
                            let now = try await updates.digests(of: observed.store)
                            for (uri, address) in updates.addresses(in: observed.store)
                            where collections.contains(address.served.resource.collection.name) {
                                // Lists with too many pages have no digest.
                                let isCertain =
                                    address.handle == nil
                                    && (now[uri] == nil || !observed.store.isUnspecific(collections))
                                if isCertain || now[uri] != known[uri] { try await report(uri) }
                                // What another notice will report stays unknown until then.
                                known[uri] = now[uri]
                            }
                        }
                    }
                }
                // A client that only listens for other kinds of changes waits, too.
                if stores.isEmpty {
                    group.addTask { try await Task.sleep(for: .seconds(Int64.max / 1_000_000_000_000)) }
                }
                try await group.waitForAll()
            }
        }
    }

    private func addresses(in store: ServedStore) -> [(uri: String, address: MCPAddress)] {
        addresses.filter { $0.address.served.store.id == store.id }
    }

    /// Digests of the rows of a store, by address.
    private func digests(of store: ServedStore) async throws -> [String: UInt64] {
        var digests: [String: UInt64] = [:]
        for (uri, address) in addresses(in: store) {
            let served = address.served
            if let handle = address.handle {
                var item = try await served.gateway.storedItem(served.full, handle)
                if item == nil, let handle = try await served.handle(ofKey: handle) {
                    item = try await served.gateway.storedItem(served.full, handle)
                }
                digests[uri] = item.map(served.digest)
            } else {
                digests[uri] = try await store.store.read { try $0.stateDigest(of: served.full) }
            }
        }
        return digests
    }
}

extension MCPServer {
    /// Serves `subscriptions/listen`: first says what will be reported, then reports it until the task is cancelled.
    func listen(
        _ params: JSONValue, as id: JSONValue, _ send: @escaping @Sendable (JSONValue) async throws -> Void
    ) async throws {
        let updates = try MCPUpdates(params["notifications"]?["resourceSubscriptions"]?.elements ?? [], api)
        let meta: JSONValue = [Meta.subscription: id]
        let observation = try await updates.begin()
        let agreed: JSONValue =
            updates.uris.isEmpty ? .object([]) : ["resourceSubscriptions": JSONValue(updates.uris)]
        try await send(
            RPCAnswer.notification(
                "notifications/subscriptions/acknowledged", ["notifications": agreed, "_meta": meta]))
        try await observation.follow { try await send(RPCAnswer.updated($0, meta)) }
    }

    /// The result of a subscription that the server ends.
    static func ended(_ id: JSONValue) -> JSONValue {
        RPCAnswer.result(
            ["resultType": "complete", "_meta": [Meta.subscription: id, Meta.server: implementation]], to: id)
    }
}

extension RPCAnswer {
    static func updated(_ uri: String, _ meta: JSONValue? = nil) -> JSONValue {
        notification(
            "notifications/resources/updated",
            .object([("uri", .text(uri))] + (meta.map { [("_meta", $0)] } ?? [])))
    }
}
