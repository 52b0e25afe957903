import Foundation
import HTTPTypes
@testable import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayPlugins
@testable import PatchbayServer
@testable import PatchbayTestKit
import Synchronization
import TestSupport

/// A storage with rows in every collection, in which one column can be set to any value.
struct ColumnStore {
    let folder: StorageFolder
    let api = MadeAPI()

    init() throws {
        folder = try StorageFolder()
        try Data(MadeAPI.definition.utf8).write(to: URL(fileURLWithPath: definitionPath))
    }

    var definitionPath: String { folder.folder.path + "/made.conf" }

    /// A gateway over a storage, whose clock runs 100 times as fast as the real one.
    struct Opened {
        let gateways: Gateways
        let server: GatewayServer
        var gateway: Gateway { gateways.all[0] }

        func close() async throws {
            await server.stop()
            try await gateways.close()
        }
    }

    func open(_ storage: any Storage) async throws -> Opened {
        let (_, source, slot) = try await source()
        let gateways = try await Gateways(
            storage: storage, sources: [source], schema: GatewayServer.schema, clock: Self.fastClock())
        slot.withLock { $0 = gateways.store }
        return Opened(
            gateways: gateways,
            server: try await GatewayServer(gateways, ServerOptions(), PrometheusMetrics()))
    }

    private func source() async throws -> (GatewayConfiguration, Source, SharedSlot) {
        let networking = Plugin<any Networking>("made", "answers of a test") { [api] _ in api }
        let plugins = PluginSet(storages: [.memory], sources: [.rest], networkings: [networking])
        let configuration = try GatewayConfiguration(
            plugins: plugins,
            [
                "storage": "memory", "source": "rest", "source.definition": definitionPath,
                "source.wait-at-most-seconds": "1",
            ])
        let choice = configuration.sources[0], slot = SharedSlot()
        var context = SourceContext { [api] in api }
        context.store = {
            guard let store = slot.withLock(\.self) else {
                throw PatchbayError(.internalError, "the store is not open")
            }
            return store
        }
        let settings = try configuration.settings(choice.key)
        return (
            configuration, try await configuration.configured(choice, settings).open(context), slot
        )
    }

    private static func fastClock() -> LayerClock {
        let start = ContinuousClock.now, day = Timestamp.now()
        return LayerClock(
            now: { day.advanced(by: (ContinuousClock.now - start) * 100) },
            uptime: { (ContinuousClock.now - start) * 100 }, sleep: { try await Task.sleep(for: $0 / 100) })
    }

    final class SharedSlot: Sendable {
        private let store = Mutex<Store?>(nil)
        func withLock<Result: Sendable>(_ body: (inout sending Store?) -> sending Result) -> Result {
            store.withLock { body(&$0) }
        }
    }
}

// MARK: - Rows

extension ColumnStore {
    /// The rows of every collection.
    typealias Content = [(collection: CollectionSchema, rows: [Values])]

    /// Makes rows of all collections, by the use cases that store them.
    func populate() async throws -> Content {
        let cleared = try await open(try await folder.storage("sqlite", "populated"))
        _ = try await AnswerCache.clear(cleared.gateways.store)
        try await cleared.close()
        let opened = try await open(try await folder.storage("sqlite", "populated"))
        let gateway = opened.gateway, store = gateway.store
        let people = try gateway.resource("people"), projects = try gateway.resource("projects")
        // Rows that only their own address returns, of which the edit of one remains after a clear.
        _ = try await gateway.show("people", "user-26").ending.served()
        try await gateway.edit(people, "user-26", "name", to: "Kept")
        _ = try await gateway.clear(people, keepingEdits: true)
        api.hasFirstPeople.store(true, ordering: .relaxed)
        _ = await (try gateway.sync("people", from: .theBeginning)).run()
        api.hasFirstPeople.store(false, ordering: .relaxed)
        _ = await (try gateway.sync("people", from: .theBeginning)).run()
        _ = await (try gateway.sync("projects", "user-1", from: .theBeginning)).run()
        _ = await gateway.syncChildren(try gateway.resource("changes")).run()
        // Runs that were interrupted.
        _ = await (try gateway.sync("notes", maximumRequests: 1)).run()
        _ = await (try gateway.sync("projects", "user-3", maximumRequests: 2)).run()
        _ = await gateway.syncChildren(
            try gateway.resource("changes"), from: .theBeginning, maximumRequests: 2
        ).run()
        _ = await (try gateway.searchAll(people, "user")).run()
        _ = await (try gateway.searchAll(people, "use", maximumRequests: 1)).run()
        for handle in ["user-1", "user-2", "old-2", "user-8", "user-4"] {
            _ = try await gateway.show("people", handle, policy: .refresh).ending
        }
        for text in ["user", "zzz"] { _ = await gateway.search(people, text).ending }
        try await gateway.edit(people, "user-1", "name", to: "Edited")
        for handle in ["user-1", "user-3"] { _ = try await gateway.addFavourite(people, handle) }
        _ = try await gateway.addFavourite(projects, "user-1/p-1")
        _ = await gateway.picture(people, "user-1").ending
        for path in ["/doc", "/doc?page=2", "/people/user-1"] {
            _ = await opened.server.responder.respond(to: Self.request(.get, path))
        }
        let leases = Mutex<[Values]>([])
        api.visits {
            let rows = try await store.storage.rows(Query(StoredLease.collection))
            leases.withLock { $0 = rows }
        }
        _ = try await gateway.show("people", "user-9", policy: .refresh).ending
        // Writes the answers of the proxy.
        await opened.server.stop()
        var content: Content = []
        for collection in store.schema.collections {
            var rows = try await store.storage.rows(Query(collection))
            if collection.name == StoredLease.collection.name { rows = leases.withLock(\.self) }
            content.append((collection, rows))
        }
        try await opened.close()
        return content
    }

    /// Returns a storage with the content, in which columns have the values; nil if the storage refuses one.
    func storage(_ plugin: String, _ content: Content, with values: [ColumnValue]) async throws -> Opened? {
        if plugin == "memory" {
            let opened = try await open(MemoryStorage())
            if try await Self.fill(opened.gateways.store.storage, content, values) { return opened }
            try await opened.close()
            return nil
        }
        let store = try await Store(
            try await folder.storage(plugin, "trial"),
            schema: Schema(version: GatewayServer.schema.version, content.map(\.collection)))
        let isStored = try await Self.fill(store.storage, content, values)
        try await store.close()
        return isStored ? try await open(try await folder.storage(plugin, "trial")) : nil
    }

    private static func fill(
        _ storage: any Storage, _ content: Content, _ values: [ColumnValue]
    ) async throws -> Bool {
        do {
            try await storage.write { writer in
                for (collection, rows) in content {
                    try writer.deleteAll(in: collection)
                    for row in changed(rows, collection, values) { try writer.put(row, in: collection) }
                }
            }
            return true
        } catch let error as PatchbayError where error.code == .invalidValue {
            return false
        }
    }

    /// A column that is part of the key is changed in one row only, the others in all rows.
    private static func changed(
        _ rows: [Values], _ collection: CollectionSchema, _ values: [ColumnValue]
    ) -> [Values] {
        guard let value = values.first(where: { $0.collection.name == collection.name }) else {
            // A lease is waited for.
            return collection.name == StoredLease.collection.name ? [] : rows
        }
        return rows.enumerated().map { number, row in
            guard number == rows.count / 2 || !value.isPartOfKey else { return row }
            var row = row
            row[value.position] = value.value
            return row
        }
    }

    static func request(
        _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields = [:], _ body: String = ""
    ) -> ServerRequest {
        let end = ServerRequest.Endpoint.unix(path: "/run/p.sock")
        return ServerRequest(
            head: HTTPRequest(
                method: method, scheme: "http", authority: "localhost", path: path, headerFields: fields),
            body: Array(body.utf8),
            connection: .init(local: end, remote: .unix(path: "")))
    }
}
