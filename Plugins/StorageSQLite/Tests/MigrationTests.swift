import PatchbayTestKit
import PatchbayCore
import StorageSQLite
import Testing

@Suite(
    "an older database is migrated to the schema",
    .enabled(if: TestFolder.hasSQLiteShell, "needs the sqlite3 shell"))
struct MigrationTests {
    private let old = CollectionSchema(
        "users", key: 0, indexes: [Index("by_login", .exact(1)), Index("by_old", .exact(1), .exact(0))],
        fields: [Field("id", .integer), Field("login", .text)])
    private let new = CollectionSchema(
        "users", key: 0, indexes: [Index("by_login", .caseFolded(1)), Index("by_name", .exact(2))],
        fields: [Field("id", .integer), Field("login", .text), Field("name", .text, isOptional: true)])

    @Test("added fields read as null, changed indexes are built again, removed ones are dropped")
    func additive() async throws {
        let folder = try await filled()
        let storage = try await folder.storage(Schema(version: 2, [new]))
        let new = new
        let found = try await storage.read { reader in
            var isNull = false
            _ = try reader.get(1, in: new) { isNull = $0.isNull(2) }
            return (isNull, try reader.keys(Query(new, by: new.index(named: "by_login"), .equal("ADA"))))
        }
        #expect(found.0)
        #expect(found.1 == [1])
        try await storage.close()
        let indexes = folder.sqlite3("select group_concat(name) from sqlite_schema where sql like '%INDEX%'")
        #expect(indexes == "users_by_login,users_by_name")
        #expect(folder.sqlite3("pragma user_version") == "2")
    }

    @Test("a newer schema, or one without a stored field, is refused and nothing is changed")
    func refused() async throws {
        let folder = try await filled()
        let before = folder.bytes()
        let fewer = CollectionSchema("users", key: 0, fields: [Field("id", .integer)])
        for schema in [Schema(version: 0, [old]), Schema(version: 5, [fewer])] {
            let error = await fault { _ = try await folder.storage(schema) }
            #expect(error?.code == .unsupported)
            #expect(error?.file == folder.database)
        }
        #expect(folder.bytes() == before)
    }

    @Test("the same schema opens without a write")
    func same() async throws {
        let folder = try await filled()
        let before = folder.bytes()
        try await folder.storage(Schema(version: 1, [old])).close()
        #expect(folder.bytes() == before)
    }

    @Test(
        "names that SQLite cannot store are unsupported, and no file is left",
        arguments: ["patchbay_schema"])
    func impossibleName(name: String) async throws {
        let folder = try TestFolder()
        let collection = CollectionSchema(name, key: 0, fields: [Field("id", .integer)])
        let error = await fault { _ = try await folder.storage(Schema(version: 1, [collection])) }
        #expect(error?.code == .unsupported)
        #expect(folder.bytes().isEmpty)
    }

    @Test("an index that would have the same name as another is unsupported")
    func nameTwice() async throws {
        let folder = try TestFolder()
        let field = Field("id", .integer)
        let schema = Schema(
            version: 1,
            [
                CollectionSchema("a", key: 0, indexes: [Index("b_c", .exact(0))], fields: [field]),
                CollectionSchema("a_b", key: 0, indexes: [Index("c", .exact(0))], fields: [field]),
            ])
        let error = await fault { _ = try await folder.storage(schema) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("a_b_c") == true)
    }

    private func filled() async throws -> TestFolder {
        let folder = try TestFolder()
        let storage = try await folder.storage(Schema(version: 1, [old]))
        let old = old
        try await storage.write { try $0.put([.integer(1), .text("ada")], in: old) }
        try await storage.close()
        return folder
    }
}
