import Patchbay
import PatchbayCore
import PatchbayGateway
import PatchbayPlugins
@testable import PatchbayTestKit
import TestSupport

/// Storages of every kind in a temporary folder.
struct StorageFolder: Sendable {
    /// All storages, and one that runs the body of each write twice, as any storage may.
    static let all = StoragePlaces.all + [repeating]
    private static let repeating = "memory, each body twice"
    static let durable = StoragePlaces.durable
    static let pairs = durable.flatMap { from in durable.map { (from, $0) } }

    let folder: TemporaryDirectory
    let places = StoragePlaces()

    init() throws { folder = try TemporaryDirectory() }

    /// A storage that is not open yet.
    func storage(_ plugin: String, _ name: String) async throws -> any Storage {
        if plugin == Self.repeating { return RepeatingStorage(MemoryStorage()) }
        var settings = places.settings(plugin, at: "\(folder.path)/\(name)")
        if plugin != "memory" { settings["durability"] = "off" }
        return try await PluginSet.builtIn.storages.plugin(named: plugin).open(Settings("storage", settings))
    }

    func store(_ plugin: String, _ name: String) async throws -> Store {
        try await Store(try await storage(plugin, name), schema: Sample.schema)
    }

    /// A gateway of GitHub's resources over the storage that `selftest` writes; it sends no requests.
    func offlineGateway(_ plugin: String) async throws -> Gateway {
        var values = places.values(plugin, at: "\(folder.path)/store.\(plugin)")
        values["source"] = "github"
        let configuration = try GatewayConfiguration(values)
        return try await Gateway(configuration: configuration, isOffline: true)
    }

    /// Makes a storage with ``Hostile`` rows and closes it.
    func fill(_ plugin: String, _ name: String) async throws {
        let store = try await store(plugin, name)
        try await Hostile.fill(store.storage)
        try await store.close()
    }
}
