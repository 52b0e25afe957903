// snippet: embed
import PatchbayPlugins
// end
import PatchbayTestKit
import SourceSynthetic
import StorageSQLite
import TestSupport
import Testing

@Suite("Snippets of Getting started")
struct GettingStarted {
    @Test("the README's program lists users of the bundled recording")
    func embedded() async throws {
        let folder = try TemporaryFolder()
        let environment = ["HOME": folder.path, "PATCHBAY_RECORDINGS": Checkout.path("Recordings")]
        func GatewayConfiguration() throws -> Patchbay.GatewayConfiguration {
            try Patchbay.GatewayConfiguration(environment: environment)
        }
        var answers = 0
        func print(_ outcome: Outcome, _ logins: [String]) {
            answers += 1
            if case .failed(let error) = outcome { Issue.record(error) }
            #expect(outcome.isEnding == (logins.count == 20))
        }
        // snippet: embed
        let gateway = try await Gateway(configuration: GatewayConfiguration())
        for await answer in try gateway.list("users", limit: 20) {
            print(answer.outcome, answer.value?.items.map(\.handle) ?? [])
        }
        try await gateway.close()
        // end
        #expect(answers > 0)
    }

    @Test("a program links only some plugins")
    func few() async throws {
        // snippet: few plugins
        let few = PluginSet(storages: [.sqlite, .memory], sources: [.synthetic])
        let configuration = try GatewayConfiguration(
            plugins: few, ["storage": "memory", "source.users": "500"])
        // end
        let gateway = try await Gateway(configuration: configuration)
        #expect(try gateway.resource("users").name == "users")
        try await gateway.close()
    }

    @Test("a program opens several sources with one storage")
    func several() async throws {
        var handles: [String] = []
        func print(_ listed: [String]) { handles = listed }
        // snippet: several sources
        let configuration = try GatewayConfiguration([
            "source": "recorded made-up", "source.made-up": "synthetic", "source.made-up.users": "100",
            "storage": "memory",
        ])
        let gateways = try await configuration.openAll()
        let (gateway, users) = try gateways.resource("made_up.users")
        for await answer in try gateway.list(users.name, limit: 20) {
            print(answer.value?.items.map(\.handle) ?? [])
        }
        try await gateways.close()
        // end
        #expect(handles.count == 20)
        let one = try await Gateway(configuration: configuration.choosing("made-up"))
        #expect(one.resources.first?.collection.name == "made_up_users")
        try await one.close()
    }

    @Test("a program makes its choices in code, edits a name and reads it offline")
    func chosen() async throws {
        let directory = try TemporaryFolder()
        let folder = directory.path
        // snippet: choose in code
        let configuration = try GatewayConfiguration(
            flags: [
                .init("source", "synthetic", name: "my program"),
                .init("storage", "flatfile", name: "my program"),
                .init("storage.path", "\(folder)/users.flatfile", name: "my program"),
            ],
            environment: [:])
        let gateway = try await Gateway(configuration: configuration)
        // end
        defer { withExtendedLifetime(directory) {} }
        var listed: [String] = []
        for await answer in try gateway.list("users", limit: 3) {
            listed = answer.value?.items.map(\.handle) ?? []
        }
        let login = try #require(listed.first)
        // snippet: edit
        let users = try gateway.resource("users")
        try await gateway.edit(users, login, "name", to: "Ada of the second floor")
        for await answer in gateway.show(users, login, policy: .localOnly) {
            print(answer.value?.title ?? "nothing is stored")
        }
        // end
        var name: String?
        for await answer in gateway.show(users, login, policy: .localOnly) { name = answer.value?.title }
        #expect(name == "Ada of the second floor")
        try await gateway.close()
    }
}
