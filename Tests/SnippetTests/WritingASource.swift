// snippet: source
import PatchbayPlugins
import PatchbayCore
import PatchbayDomain

/// A list of people in memory.
struct StaffList: ResourceFeed {
    static let definition = BundledDefinition(
        "staff",
        text: """
            api = staff
            people.noun = person people
            people.path = /people
            people.show = /people/{handle}
            people.key = id
            people.handle = login
            people.field.id = integer
            people.field.login = text
            """)
    var logins: [Int64: String]

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        let fresh = Validator(entityTag: "\"\(logins.count)\"")
        if validator == fresh { return .unchanged }
        // All rows fit one page, so there is no next page.
        let resource = request.question.resource
        return .changed(ItemPage(try logins.keys.sorted().map { try item($0, of: resource) }), fresh)
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        guard let person = logins.first(where: { $0.value == handle }) else {
            throw PatchbayError(.notFound, "no member of the staff is called \"\(handle)\"")
        }
        return .changed(try item(person.key, of: resource), Validator())
    }

    private func item(_ id: Int64, of resource: Resource) throws -> Item {
        var builder = ItemBuilder()
        builder.begin(resource)
        for (field, value) in zip(resource.fields, [.integer(id), .text(logins[id] ?? "")] as [ItemValue]) {
            builder.set(field, value)
        }
        return try builder.finish()
    }
}

extension Plugin where Product == ConfiguredSource {
    static var staff: Plugin<ConfiguredSource> {
        Plugin(
            "staff", "The people of this office.",
            options: [PluginOption("floor", .integer(0...99), default: "2", "the floor they work on")]
        ) { settings in
            let floor = try settings.integer("floor") ?? 2
            return ConfiguredSource(StaffList.definition) { _ in
                var source = Source(name: "staff list", StaffList.definition)
                source.feed = StaffList(logins: [Int64(floor * 100 + 1): "ada"])
                return source
            }
        }
    }
}
// end
import PatchbayGateway
import Testing

@Suite("Snippets of Writing a source")
struct WritingASource {
    @Test("a plugin next to the built-in ones is chosen by name")
    func chosen() async throws {
        // snippet: plugin set
        let plugins = PluginSet.builtIn.adding(sources: [.staff])
        let configuration = try GatewayConfiguration(
            plugins: plugins,
            flags: [
                .init("source", "staff", name: "my program"), .init("storage", "memory", name: "my program"),
            ],
            environment: ["PATCHBAY_SOURCE_FLOOR": "7"])
        // end
        let gateway = try await Gateway(configuration: configuration)
        var ids: [Int64] = []
        for await answer in try gateway.list("people") {
            ids = answer.value?.items.compactMap { $0.integer("id") } ?? []
        }
        #expect(ids == [701])
        for await answer in try gateway.list("people") where answer.outcome.isEnding {
            guard case .unchanged = answer.outcome else {
                Issue.record("a second question is not answered by the validator: \(answer.outcome)")
                continue
            }
        }
        try await gateway.close()
    }
}
