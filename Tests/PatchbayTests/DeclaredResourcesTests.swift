import PatchbayCore
import PatchbayDomain
import PatchbayPlugins
import Synchronization
import Testing

@Suite("The resources of a configuration")
struct DeclaredResourcesTests {
    /// A bundled definition that counts its reads.
    private final class Counted: Sendable {
        private let reads = Mutex(0)

        func definition(_ name: String, _ resource: String) -> BundledDefinition {
            BundledDefinition(name, self.bytes(name, resource))
        }

        private func bytes(_ name: String, _ resource: String) -> [UInt8] {
            reads.withLock { $0 += 1 }
            let lines = [
                "api = \(name)", "base-url = https://\(name).example", "\(resource).path = /all",
                "\(resource).key = id", "\(resource).field.id = integer",
            ]
            return Array(lines.joined(separator: "\n").utf8)
        }

        var count: Int { reads.withLock { $0 } }
    }

    /// Plugins with a source for each definition.
    private func plugins(_ definitions: [BundledDefinition]) -> PluginSet {
        let apis = definitions.map { definition in
            SourceAPI(name: definition.name, definition: { definition.definition }) { _, _, _ in
                Source(name: "x")
            }
        }
        return PluginSet(
            storages: [.memory], sources: apis.map { .network($0) }, definitions: definitions)
    }

    @Test("a definition is read only when needed, and once")
    func once() async throws {
        let first = Counted(), second = Counted()
        let definitions = [first.definition("one", "users"), second.definition("two", "files")]
        let plugins = plugins(definitions)
        #expect(first.count == 0 && second.count == 0)
        let configuration = try GatewayConfiguration(plugins: plugins, ["source": "one"])
        let chosen = try await DeclaredResources(configuration) { chosen in
            #expect(chosen.all.map(\.noun) == ["users"])
            return false
        }
        #expect(
            chosen.chosen.map(\.word) == ["one"] && chosen.chosen.map(\.noun) == ["users"]
                && chosen.others.isEmpty)
        #expect(first.count == 1 && second.count == 0)
        let all = try await DeclaredResources(configuration)
        #expect(all.others.map(\.noun) == ["files"])
        #expect(first.count == 1 && second.count == 1)
    }

    @Test(
        "only the definitions of the configured sources are read; a noun that two of them have includes its source"
    )
    func several() async throws {
        let first = Counted(), second = Counted(), third = Counted()
        let definitions = [
            first.definition("one", "users"), second.definition("two", "users"),
            third.definition("three", "files"),
        ]
        let plugins = plugins(definitions)
        let configuration = try GatewayConfiguration(plugins: plugins, ["source": "two one"])
        let declared = try await DeclaredResources(configuration) { _ in false }
        #expect(declared.chosen.map(\.noun) == ["two.users", "one.users"])
        #expect(declared.chosen.map(\.source) == ["two", "one"] && declared.sources == ["two", "one"])
        #expect(
            declared.meant(by: "users").count == 2 && declared.meant(by: "one.user").map(\.word) == ["one"])
        #expect(declared.meant(by: "three.files").isEmpty && declared.meant(by: "files").isEmpty)
        #expect([first.count, second.count, third.count] == [1, 1, 0])
    }

    @Test("the words of the configured source take precedence over those of other definitions")
    func clashes() async throws {
        for (source, columns) in [("gitlab", "star_count"), ("pypi", "requires_python")] {
            let configuration = try GatewayConfiguration(["source": source, "storage": "memory"])
            let declared = try await DeclaredResources(configuration)
            let projects = declared.chosen.first { $0.noun == "projects" }?.declaration
            #expect(projects?.fields.contains { $0.name == columns } == true)
            #expect(!declared.others.contains { $0.noun == "projects" })
            #expect(declared.others.contains { $0.noun == "repos" })
        }
    }
}
