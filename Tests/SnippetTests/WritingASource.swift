// snippet: source
import PatchbayPlugins
import PatchbayCore
import PatchbayDomain

/// The people of a list that the program has in memory.
struct StaffList: UserSource {
    var people: [User]

    func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        let fresh = Validator(entityTag: "\"\(people.count)\"")
        if validator == fresh { return .unchanged }
        // All fit one page: there is no next one to ask for.
        guard case .first(let after) = page else { return .changed(UserPage(users: [], next: nil), fresh) }
        return .changed(UserPage(users: people.filter { $0.id > after.id }, next: nil), fresh)
    }

    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        guard let person = people.first(where: { $0.login == login }) else {
            throw PatchbayError(.notFound, "nobody of the staff is called \"\(login)\"")
        }
        return .changed(person, Validator())
    }
}

extension Plugin where Product == ConfiguredSource {
    static var staff: Plugin<ConfiguredSource> {
        Plugin(
            "staff", "The people of this office.",
            options: [PluginOption("floor", .integer(0...99), default: "2", "the floor they work on")]
        ) { settings in
            let floor = try settings.integer("floor") ?? 2
            let ada = User(id: Int64(floor * 100 + 1), login: "ada", url: "https://example.org/ada")
            return ConfiguredSource { _ in Source(name: "staff list", users: StaffList(people: [ada])) }
        }
    }
}
// end
import PatchbayGateway
import Testing

@Suite("Snippets of Writing a source")
struct WritingASource {
    @Test("a plugin beside the built-in ones is chosen by name")
    func chosen() async throws {
        // snippet: plugin set
        let plugins = PluginSet(
            storages: PluginSet.builtIn.storages.plugins,
            sources: PluginSet.builtIn.sources.plugins + [.staff])
        let configuration = try GatewayConfiguration(
            plugins: plugins,
            flags: [
                .init("source", "staff", name: "my program"), .init("storage", "memory", name: "my program"),
            ],
            environment: ["PATCHBAY_SOURCE_FLOOR": "7"])
        // end
        let gateway = try await Gateway(configuration: configuration)
        var ids: [Int64] = []
        for await answer in gateway.listUsers() { ids = answer.value?.users.map(\.id) ?? [] }
        #expect(ids == [701])
        for await answer in gateway.listUsers() where answer.outcome.isEnding {
            guard case .unchanged = answer.outcome else {
                Issue.record("a second question is not answered by the validator: \(answer.outcome)")
                continue
            }
        }
        try await gateway.close()
    }
}
