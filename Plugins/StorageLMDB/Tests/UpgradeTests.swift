import PatchbayCore
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("Changing the schema")
struct UpgradeTests {
    @Test("a field, an index and a collection are added, an index is removed")
    func adds() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "b"), (2, "a"), (-3, "c")]) }
            try await Notes.open(path, Notes.laterSchema) { storage in
                let titles = try await Notes.titles(storage, by: Notes.byTitleOnly, in: Notes.second)
                #expect(titles == ["a", "b", "c"])
                try await storage.read { reader in
                    var isNull = false
                    _ = try reader.get(1, in: Notes.second) { isNull = $0.isNull(2) }
                    #expect(isNull)
                    let tagCount = try reader.count(Query(Notes.tags))
                    #expect(tagCount == 0)
                }
            }
            #expect(await Notes.code { try await Notes.open(path) { _ in } } == .unsupported)
        }
    }

    @Test("a unique index over rows that are not unique is refused, and nothing has changed")
    func conflict() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "same"), (2, "same")]) }
            let before = try Disk.read(path + "/data.mdb")
            #expect(await Notes.code { try await Notes.open(path, Notes.laterSchema) { _ in } } == .conflict)
            #expect(try Disk.read(path + "/data.mdb") == before)
            let titles = try await Notes.open(path) { try await Notes.titles($0, by: Notes.byTitle) }
            #expect(titles == ["same", "same"])
        }
    }

    @Test("a collection that the program does not know stays")
    func keeps() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "a")]) }
            try await Notes.open(path, Schema(version: 1, [Notes.tags])) { _ in }
            let titles = try await Notes.open(path) { try await Notes.titles($0) }
            #expect(titles == ["a"])
        }
    }
}
