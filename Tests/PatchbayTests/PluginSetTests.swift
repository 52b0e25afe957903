import Foundation
import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayPlugins
import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@Suite("The plugins of a program")
struct PluginSetTests {
    private let api = SourceAPI(
        name: "mine", definition: { Definition(api: "mine", resources: []) },
        open: { _, baseURL, _ in Source(name: baseURL) })

    @Test(
        "a program's own plugins follow the built-in ones, and a configuration can choose them",
        .needsNetworkClient)
    func adding() async throws {
        let mine = Plugin<any Storage>("mine", "A storage of mine.") { _ in MemoryStorage() }
        let plugins = PluginSet.builtIn.adding(storages: [mine], sources: [.network(api)])
        #expect(
            plugins.storages.plugins.map(\.name) == [
                "sqlite", "lmdb", "flatfile", "postgres", "memory", "mine",
            ])
        #expect(
            plugins.kinds.map(\.name) == [
                "source", "storage", "networking", "reading", "list", "search", "serve",
                "serve.client", "mcp",
            ])
        let configuration = try GatewayConfiguration(
            plugins: plugins, ["storage": "mine", "source": "mine", "source.base-url": "https://example.org"])
        #expect(try await configuration.openStorage() is MemoryStorage)
        let source = try await configuration.openSource()
        #expect(source.name == "https://example.org")
        #expect(source.word == "mine")
    }

    @Test(
        "a set without networkings works with sources that need none, and reports to others what is missing")
    func withoutNetworking() async throws {
        let plugins = PluginSet(storages: [.memory], sources: [.network(api)])
        let configuration = try GatewayConfiguration(
            plugins: plugins, ["source.base-url": "https://example.org"])
        let error = await #expect(throws: PatchbayError.self) { try await configuration.openSource() }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("no networking plugin") == true)
        let gateway = try await Gateway(configuration: configuration, isOffline: true)
        try await gateway.close()
    }

    @Test(
        "the file of a definition is parsed once, however often its source is opened, and again when it changes"
    )
    func parsedOnce() async throws {
        let folder = try TemporaryDirectory(), path = folder.path + "/x.conf"
        let parsed = Mutex(0)
        let rest = Plugin.rest(bundled: []) { [api] _ in
            parsed.withLock { $0 += 1 }
            return api
        }
        let configuration = try GatewayConfiguration(
            plugins: PluginSet(storages: [.memory], sources: [rest]),
            ["source.definition": path, "source.base-url": "https://example.org"])
        for (key, count) in [("id", 1), ("id", 1), ("name", 2)] {
            let text = """
                api = x
                rows.path = /rows
                rows.next = none
                rows.key = \(key)
                rows.field.\(key) = text

                """
            try folder.write(text, to: "x.conf")
            _ = try await DeclaredResources(configuration)
            try await Gateway(configuration: configuration, isOffline: true).close()
            #expect(parsed.withLock { $0 } == count)
        }
        withExtendedLifetime(folder) {}
    }

    @Test("values in code are checked like those of a file, and no others are read")
    func values() throws {
        let configuration = try GatewayConfiguration(["storage": "memory", "source": "synthetic"])
        #expect(configuration.file == nil)
        #expect(configuration.configuration.plugin("storage") == "memory")
        for wrong in [
            ["storage": "papyrus"], ["storage.paht": "x"], ["source.users": "many", "source": "synthetic"],
        ] {
            let error = #expect(throws: PatchbayError.self) { try GatewayConfiguration(wrong) }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.description.contains("code") == true)
        }
    }
}
