import PatchbayCore
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("Walks over rows that the same write has changed")
struct ChangedWalkTests {
    @Test("each row is visited once, although the visitor deletes it", arguments: [false, true], [1, 300])
    func deletes(isDescending: Bool, _ count: Int64) async throws {
        try await TemporaryDirectory.with { directory in
            try await Notes.open(directory.path + "/store") { storage in
                try await Notes.put(storage, (-count...count).map { ($0, "title \($0)") })
                let order: Query.Order = isDescending ? .descending : .ascending
                let (ids, left) = try await storage.write { writer in
                    // The first deletion changes the rows, so that the walk begins in a changed tree.
                    _ = try writer.delete(.integer(0), in: Notes.first)
                    var ids: [Int64] = []
                    try writer.scan(Query(Notes.first, order: order)) { row in
                        ids.append(row.integer(0))
                        _ = try writer.delete(.integer(row.integer(0)), in: Notes.first)
                        return .next
                    }
                    return (ids, try writer.count(Query(Notes.first)))
                }
                let expected = (-count...count).filter { $0 != 0 }
                #expect(ids == (isDescending ? expected.reversed() : expected))
                #expect(left == 0)
                #expect(try await storage.verifyFiles { _ in } == [])
            }
        }
    }

    @Test("an index shows the changes", arguments: [false, true])
    func index(isDescending: Bool) async throws {
        try await TemporaryDirectory.with { directory in
            try await Notes.open(directory.path + "/store") { storage in
                try await Notes.put(storage, (1...9).map { ($0, "title \($0)") })
                let order: Query.Order = isDescending ? .descending : .ascending
                let titles = try await storage.write { writer in
                    _ = try writer.delete(5, in: Notes.first)
                    var titles: [String] = []
                    try writer.scan(Query(Notes.first, by: Notes.byTitle, order: order)) { row in
                        titles.append(row.text(1))
                        return .next
                    }
                    return titles
                }
                let expected = [1, 2, 3, 4, 6, 7, 8, 9].map { "title \($0)" }
                #expect(titles == (isDescending ? expected.reversed() : expected))
            }
        }
    }
}
