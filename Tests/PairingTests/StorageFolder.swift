import Patchbay
import PatchbayCore
import PatchbayGateway
import PatchbayPlugins
@testable import PatchbayTestKit

/// Storages of every kind in a folder that goes away.
struct StorageFolder: Sendable {
    static let all = PluginSet.builtIn.storages.plugins.map(\.name)
    static let durable = all.filter { $0 != "memory" }
    static let pairs = durable.flatMap { from in durable.map { (from, $0) } }

    let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    /// A storage that is not opened yet.
    func storage(_ plugin: String, _ name: String) async throws -> any Storage {
        let path = ["path": "\(folder.path)/\(name)", "durability": "off"]
        return try await PluginSet.builtIn.storages.plugin(named: plugin).open(
            Settings("storage", plugin == "memory" ? [:] : path))
    }

    func store(_ plugin: String, _ name: String) async throws -> Store {
        try await Store(try await storage(plugin, name), schema: Sample.schema)
    }

    /// A gateway of GitHub's resources over the storage that `selftest` writes; it asks nothing.
    func offlineGateway(_ plugin: String) async throws -> Gateway {
        let configuration = try GatewayConfiguration([
            "storage": plugin, "storage.path": "\(folder.path)/store.\(plugin)", "source": "github",
        ])
        return try await Gateway(configuration: configuration, isOffline: true)
    }

    /// Makes a storage with ``Hostile`` rows and closes it.
    func fill(_ plugin: String, _ name: String) async throws {
        let store = try await store(plugin, name)
        try await Hostile.fill(store.storage)
        try await store.close()
    }
}
