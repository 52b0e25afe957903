import PatchbayCore
import StorageSQLite
import Testing

@testable import StorageSQLite

@Suite("the memory map of the file")
struct MapUseTests {
    private let users = TestCollections.users

    @Test("is left during a long walk in the order of the rows, and used again for look-ups")
    func changes() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        let options = ConnectionOptions(path: folder.database, durability: .off, busyTimeoutMilliseconds: 0)
        try options.connect().execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) "
                + "INSERT INTO users (id, login) SELECT i, 'user' || i FROM n")
        let reader = try Reader([users], options)
        let transaction = reader.transaction
        for _ in 0..<2 {
            try reader.read { reading in
                #expect(try walk(reading, 0..<4_000) == 4_000 * 4_001 / 2)
                #expect(transaction.mapUse.isMapped)
                #expect(try walk(reading, 4_000..<9_000) == 9_000 * 9_001 / 2 - 4_000 * 4_001 / 2)
                #expect(!transaction.mapUse.isMapped)
                for id in 1..<10 { try expect(reading, id) }
                #expect(!transaction.mapUse.isMapped)
                for id in 9_000..<9_020 { try expect(reading, id) }
                #expect(transaction.mapUse.isMapped)
                // A few look-ups between long walks do not bring the map back.
                for start in stride(from: 0, to: 10_000, by: 1_000) {
                    _ = try walk(reading, start..<start + 1_000)
                    try expect(reading, start + 1)
                }
                #expect(!transaction.mapUse.isMapped)
                for id in 1..<40 { try expect(reading, id) }
            }
        }
        // While another walk has a row of the map, the map stays.
        try reader.read { reading in
            _ = try walk(reading, 0..<4_500)
            for id in 1..<40 { try expect(reading, id) }
            try reading.scan(Query(users)) { row in
                #expect(row.integer(0) == 1)
                _ = try walk(reading, 0..<10_000)
                #expect(try walk(reading, 0..<10_000) == 10_000 * 10_001 / 2)
                #expect(row.integer(0) == 1)
                return .stop
            }
        }
        // A count of many rows is repeated without the map.
        try reader.read { reading in
            for _ in 0..<2 {
                let count = try reading.count(Query(users))
                #expect(count == 10_000)
            }
            #expect(!transaction.mapUse.isMapped)
        }
        try await storage.close()
    }

    /// Walks over rows in batches of 500, and returns the sum of their ids, which begin after the start.
    private func walk(_ reader: any StorageReader, _ ids: Range<Int>) throws -> Int64 {
        var sum: Int64 = 0
        for start in stride(from: ids.lowerBound, to: ids.upperBound, by: 500) {
            let query = Query(users, .between(.excluding(.integer(Int64(start))), nil), limit: 500)
            try reader.scan(query) { row in
                sum += row.integer(0)
                return .next
            }
        }
        return sum
    }

    private func expect(_ reader: any StorageReader, _ id: Int) throws {
        let isFound = try reader.get(.integer(Int64(id)), in: users) { row in
            #expect(row.text(1) == "user\(id)")
        }
        #expect(isFound)
    }
}
