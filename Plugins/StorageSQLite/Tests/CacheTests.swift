import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageSQLite

@Suite("the page cache of the connection that writes")
struct CacheTests {
    private let folder: TestFolder
    private let connection: Connection
    private let transaction: WriteTransaction

    init() async throws {
        folder = try TestFolder()
        try await folder.storage().close()
        connection = try ConnectionOptions(
            path: folder.database, durability: .off, busyTimeoutMilliseconds: 0
        ).connectForWriting()
        transaction = try WriteTransaction(
            TestCollections.schema.collections, on: connection, StorageIdentity(place: "test"))
    }

    @Test("stays small over many small transactions")
    func small() throws {
        for first in stride(from: 0, to: 3_000, by: 20) {
            try transaction.begin()
            try put(Int64(first)..<Int64(first + 20))
            try transaction.commit()
        }
        // The rows are 6 times as large as the limit.
        #expect(try connection.integer("PRAGMA page_count") > 3_000)
        #expect(connection.cachedBytes > 1 << 20)
        #expect(connection.cachedBytes < 3 << 20)
    }

    @Test("is large for large transactions, until a small one")
    func large() throws {
        for first: Int64 in [0, 2_000] {
            try transaction.begin()
            try put(first..<first + 2_000)
            #expect(connection.cachedBytes > 6 << 20)
            try transaction.commit()
            #expect(connection.cachedBytes > 6 << 20)
        }
        try transaction.begin()
        try put(0..<1)
        try transaction.commit()
        #expect(connection.cachedBytes < 3 << 20)
    }

    @Test("shrinks after a large transaction that was rolled back")
    func undone() throws {
        try transaction.begin()
        try put(0..<2_000)
        try transaction.rollBack()
        try transaction.begin()
        try transaction.commit()
        #expect(connection.cachedBytes < 3 << 20)
        #expect(try connection.text("PRAGMA cache_size") == "-2048")
    }

    /// Puts rows that take about one page each.
    private func put(_ ids: Range<Int64>) throws {
        let avatar = Array(repeating: 7 as UInt8, count: 3_500)
        for id in ids {
            try transaction.put(
                [.integer(id), .text("user\(id)"), .null, .null, .null, .bytes(avatar)],
                in: TestCollections.users)
        }
    }
}
