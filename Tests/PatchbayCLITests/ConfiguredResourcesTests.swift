import ArgumentParser
import Patchbay
import PatchbayCore
import PatchbayDomain
import Synchronization
import Testing

@testable import PatchbayCLI
@testable import PatchbayTerminal

@Suite("What a start reads")
struct ConfiguredResourcesTests {
    @Test(
        "a start reads the definition of the source, and the others only for an unknown word",
        arguments: [(nil, ["one"]), ("ones", ["one"]), ("twos", ["one", "two"]), ("", ["one", "two"])]
            as [(String?, [String])])
    func definitions(_ word: String?, _ expected: [String]) async throws {
        let reads = Reads()
        let definitions = ["one", "two"].map { name in
            BundledDefinition(
                name, reads.text(name, "\(name)s.path = /\n\(name)s.key = id\n\(name)s.field.id = integer"))
        }
        let sources = definitions.map { bundled in
            Plugin.network(
                SourceAPI(name: bundled.name, definition: { bundled.definition }) { _, _, _ in
                    Source(name: bundled.name)
                })
        }
        let plugins = PluginSet(storages: [.memory], sources: sources, definitions: definitions)
        let options = try ConfigurationOptions.parse(["--set", "source.base-url=https://localhost"])
        _ = await CommandLineTool.$plugins.withValue(plugins) {
            await ConfiguredResources(options, naming: word)
        }
        #expect(reads.names.withLock { $0 } == expected)
    }
}

/// Notes which definitions are read.
private final class Reads: Sendable {
    let names = Mutex<[String]>([])

    func text(_ name: String, _ resource: String) -> [UInt8] {
        names.withLock { $0.append(name) }
        return Array("api = \(name)\n\(resource)\n".utf8)
    }
}
