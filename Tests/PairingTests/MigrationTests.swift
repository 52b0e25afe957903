import Patchbay
import PatchbayCore
import PatchbayDomain
@testable import PatchbayGateway
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("A storage of the first schema")
struct MigrationTests {
    private let folder = Result { try StorageFolder() }
    private let clock = ManualClock()
    private let feed = ScriptedFeed(people: 1...40, projects: 1...10)

    private func gateway(_ storage: any Storage, _ access: StorageAccess = .creating) async throws -> Gateway
    {
        try await Gateway(storage: storage, source: feed.source(), access: access, now: clock.now)
    }

    /// Fills a storage with the rows of a gateway that has synced, edited, cleared and searched, as version 1 of the
    /// schema stored them. Returns the first schema's digests.
    private func fill(_ storage: any Storage) async throws -> [UInt128] {
        let today = MemoryStorage(), gateway = try await gateway(today)
        _ = try await gateway.sync(gateway.octocatsProjects()).run()
        try await gateway.clear(gateway.projects)
        _ = try await gateway.sync(gateway.people()).run()
        _ = try await gateway.sync(gateway.octocatsProjects()).run()
        try await gateway.edit(gateway.people, "user-3", "name", to: "Mine")
        try await gateway.markGone(7, of: "people", at: clock.now())
        try await gateway.addFavourite(gateway.people, "user-4")
        let first = gateway.store.schema.first
        var digests: [UInt128] = []
        try await storage.open(first)
        for collection in first.collections {
            let stored = try #require(gateway.store.schema.collections.first { $0.name == collection.name })
            let rows = try await today.read { reader in
                var batch = RowBatch(of: collection, rowsMax: 1_000), builder = RowBuilder()
                try reader.scan(Query(stored)) { row in
                    builder.begin(collection)
                    for (position, field) in collection.fields.enumerated() where !row.isNull(position) {
                        switch field.type {
                        case .integer, .real: builder.set(position, row.integer(position))
                        case .text, .bytes: builder.set(position, bytes: row.bytes(position))
                        }
                    }
                    batch.append(try builder.finish())
                    return .next
                }
                return batch
            }
            try await storage.write { writer in
                for place in 0..<rows.count { try writer.put(rows.row(place), in: collection) }
            }
            digests.append(try await storage.digest(of: collection).value)
        }
        try await gateway.close()
        try await storage.close()
        return digests
    }

    @Test("is opened, migrated and verified, and keeps everything", arguments: StorageFolder.durable)
    func keeps(_ plugin: String) async throws {
        let folder = try folder.get()
        let digests = try await fill(try await folder.storage(plugin, "store"))
        await #expect(throws: PatchbayError.self) {
            try await self.gateway(try await folder.storage(plugin, "store"), .reading)
        }
        var gateway = try await self.gateway(try await folder.storage(plugin, "store"))
        let schema = gateway.store.schema
        #expect(schema.version == 2)
        for (collection, digest) in zip(schema.first.collections, digests) {
            #expect(try await gateway.store.digestOfFirstSchema(collection) == digest, "\(collection.name)")
        }
        #expect(try await gateway.store.verify().faults.isEmpty)
        #expect(try await gateway.stored("people").allSatisfy { $0.changeNumber == 0 })
        #expect(try await gateway.store.read { try $0.incarnation() } == nil)
        let listed = try await gateway.listPeople(limit: 10, policy: .localOnly).ending.value
        #expect(listed?.ids == [1, 2, 3, 4, 5, 6, 8, 9, 10, 11])
        #expect(listed?.items[2].shownName == "Mine")

        // A sync confirms the rows; those that have not changed get no number.
        clock.advance(by: .seconds(3_600))
        feed.change("people") { $0[9]["login"] = .text("renamed") }
        _ = try await gateway.sync(gateway.people(), from: .theBeginning).run()
        let numbered = try await gateway.stored("people").filter { $0.changeNumber != 0 }
        #expect(numbered.map(\.id) == [7, 10], "listed again, and changed")
        let incarnation = try #require(try await gateway.store.read { try $0.incarnation() })
        #expect(incarnation.first == 1)
        try await gateway.close()

        gateway = try await self.gateway(try await folder.storage(plugin, "store"), .reading)
        #expect(try await gateway.store.read { try $0.incarnation() } == incarnation)
        try await gateway.close()
    }

    @Test("is copied after its migration, with equal digests", arguments: StorageFolder.pairs)
    func copies(_ from: String, _ to: String) async throws {
        let folder = try folder.get()
        _ = try await fill(try await folder.storage(from, "store"))
        let source = try await gateway(try await folder.storage(from, "store"))
        try await source.edit(source.people, "user-5", "name", to: "Numbered")
        let transferable = source.store.schema.transferable
        var digests: [UInt128] = []
        for collection in transferable.collections {
            digests.append(try await source.store.storage.digest(of: collection).value)
        }
        try await source.close()
        let copy = CopyStorage(from: "source", try await folder.storage(from, "store")) {
            try await folder.storage(to, "copy")
        }
        _ = try await copy.run(isVerified: true)
        let target = try await gateway(try await folder.storage(to, "copy"))
        for (collection, digest) in zip(transferable.collections, digests) {
            #expect(
                try await target.store.storage.digest(of: collection).value == digest, "\(collection.name)")
        }
        #expect(try await target.stored("people").allSatisfy { $0.changeNumber == 0 }, "a copy has its own")
        #expect(try await target.store.read { try $0.incarnation() } == nil)
        try await target.close()
    }
}

extension Schema {
    /// The same collections as the first version of the schema had them.
    fileprivate var first: Schema {
        let added: [String: Int] = ["clearings": 1, "list_pages": 2, "list_runs": 7, "list_stretches": 3]
        return Schema(
            version: 1,
            collections.filter { $0.name != Incarnation.collection.name }.map { collection in
                let isOfResource = collection.fields.starts(with: ItemState.fields)
                let count = isOfResource ? 2 : added[collection.name] ?? 0
                return CollectionSchema(
                    collection.name, keyPositions: collection.primaryKey.parts.map(\.position),
                    indexes: collection.indexes.filter { $0.name != "by_change" },
                    fields: Array(collection.fields.dropLast(count)))
            })
    }
}

extension Store {
    /// The digest of the fields that the first version of the schema had.
    fileprivate func digestOfFirstSchema(_ collection: CollectionSchema) async throws -> UInt128 {
        let stored = schema.collections.first { $0.name == collection.name }!
        return try await storage.read { reader in
            var digest = ContentDigest(of: collection)
            try reader.scan(Query(stored)) {
                digest.combine($0)
                return .next
            }
            return digest.value
        }
    }
}
