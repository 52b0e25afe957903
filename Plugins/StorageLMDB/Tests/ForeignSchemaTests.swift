import CLMDB
import PatchbayCore
import PatchbayTestKit
@testable import StorageLMDB
import Testing

@Suite("Schema changes by another process while a storage is open")
struct ForeignSchemaTests {
    private static let other = CollectionSchema("other", key: 0, fields: [Field("id", .integer)])

    /// Checks an opened schema against the one stored now, as a write does.
    private func check(_ opened: Schema, stored: Schema) async throws -> [UInt8] {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path, stored) { _ in }
            let environment = try Environment(
                path: path, flags: 0, bytesMax: 1 << 20, busyTimeoutMilliseconds: 1_000)
            defer { environment.close() }
            let transaction = try Transaction(environment, isWriting: true)
            defer { transaction.abort() }
            return try StoredSchema(opened).checked(for: opened, in: transaction).record
        }
    }

    @Test("another process may add collections")
    func added() async throws {
        let grown = Notes.schema.adding([Self.other])
        let record = try await check(Notes.schema, stored: grown)
        #expect(record == StoredSchema(grown).record)
        #expect(try await check(grown, stored: grown) == record)
    }

    @Test("another process may not change the indexes, fields or version of an open schema")
    func changed() async throws {
        let indexed = CollectionSchema(
            "wide", key: 0, indexes: [Index("by_title", .exact(1))], fields: Notes.wide.fields)
        for stored in [
            Schema(version: 1, [Notes.first, indexed]), Notes.laterSchema,
            Schema(version: 2, Notes.schema.collections),
            Schema(version: 1, [Notes.first, Self.other]),
        ] {
            let error = await #expect(throws: PatchbayError.self) {
                try await check(Notes.schema, stored: stored)
            }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("another process has changed the schema") == true)
        }
    }
}
