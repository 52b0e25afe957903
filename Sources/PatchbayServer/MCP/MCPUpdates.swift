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

    /// Reports the addresses whose rows have changed, until the task is cancelled or the storage is closed.
    ///
    /// - Parameter ready: called once nothing can be missed any more.
    func follow(
        ready: () async throws -> Void, _ report: @escaping @Sendable (_ uri: String) async throws -> Void
    ) async throws {
        let stores = api.gateways.stores.filter { store in
            addresses.contains { $0.address.served.store.id == store.id }
        }
        let notices = stores.map { $0.store.changes.stream() }
        try await ready()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (store, notices) in zip(stores, notices) {
                group.addTask {
                    var known = try await rows(of: store)
                    for await collections in notices {
                        let now = try await rows(of: store)
                        for (uri, address) in addresses where address.served.store.id == store.id {
                            guard collections.contains(address.served.resource.collection.name) else {
                                continue
                            }
                            if address.handle == nil || now[uri] != known[uri] { try await report(uri) }
                        }
                        known = now
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

    /// Digests of the single rows of a store, by address.
    private func rows(of store: ServedStore) async throws -> [String: UInt64] {
        var digests: [String: UInt64] = [:]
        for (uri, address) in addresses where address.served.store.id == store.id {
            guard let handle = address.handle,
                let item = try await address.served.gateway.storedItem(address.served.full, handle)
            else { continue }
            digests[uri] = address.served.digest(of: item)
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
        try await updates.follow(ready: {
            let agreed: JSONValue =
                updates.uris.isEmpty ? .object([]) : ["resourceSubscriptions": JSONValue(updates.uris)]
            try await send(
                RPCAnswer.notification(
                    "notifications/subscriptions/acknowledged", ["notifications": agreed, "_meta": meta]))
        }) { uri in
            try await send(RPCAnswer.updated(uri, meta))
        }
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
