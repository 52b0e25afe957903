import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// Definitions whose fields have another type than the stored columns.
@Suite("Changed fields over every storage", .timeLimit(.minutes(5)))
struct ChangedFieldTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    private func gateway(_ plugin: String, _ type: ValueType) async throws -> Gateway {
        let declarations = ScriptedFeed.declarations.map { declaration in
            var declaration = declaration
            declaration.fields = declaration.fields.map {
                $0.name == "followers" ? FieldDeclaration("followers", type, isDetail: true) : $0
            }
            return declaration
        }
        return try await Gateway(
            storage: folder.storage(plugin, "store"),
            source: ScriptedFeed(people: 1...3).source(declarations), now: ManualClock().now)
    }

    private func refusal(_ plugin: String) async throws -> PatchbayError? {
        await #expect(throws: PatchbayError.self) { try await gateway(plugin, .text) }
    }

    @Test(
        "a field with another type is refused, and the error states whether rows are stored",
        arguments: StorageFolder.durable)
    func refused(_ plugin: String) async throws {
        let problem =
            "source_people has changed: the field \"followers\" is stored as integer, not text; "
            + "rename the resource, or sync it into a new storage"
        try await gateway(plugin, .integer).close()
        #expect(
            try await refusal(plugin)?.message == problem
                + "; it has no rows, so you can also remove the storage if it holds nothing else")
        let filled = try await gateway(plugin, .integer)
        _ = try await filled.listPeople().ending
        try await filled.close()
        #expect(try await refusal(plugin)?.message == problem)
    }
}
