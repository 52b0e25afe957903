import PatchbayCore
import PatchbayTestKit
import StorageSQLite

/// The collections that these tests share.
enum TestCollections {
    /// An integer key; a unique, a folded, an optional and a compound index.
    static let users = CollectionSchema(
        "users", key: 0,
        indexes: [
            Index("by_login", .caseFolded(1), unique: true),
            Index("by_name", .exact(2)),
            Index("by_name_and_age", .caseFolded(2), .exact(3)),
        ],
        fields: [
            Field("id", .integer), Field("login", .text), Field("name", .text, isOptional: true),
            Field("age", .integer, isOptional: true), Field("score", .real, isOptional: true),
            Field("avatar", .bytes, isOptional: true),
        ])

    /// A compound key, so the table has no rowids; the names are SQL keywords.
    static let orders = CollectionSchema(
        "order", key: 0, 1,
        indexes: [
            Index("group", .exact(2), .exact(1)), Index("by_table", .exact(0)),
            Index("folded", .caseFolded(0)),
        ],
        fields: [Field("table", .text), Field("select", .integer), Field("from", .text, isOptional: true)])

    /// A collection that has only a key.
    static let tags = CollectionSchema("tags", key: 0, fields: [Field("tag", .text)])

    static let schema = Schema(version: 1, [users, orders, tags])
}

extension StorageReader {
    /// Returns the keys of the rows that a query finds, in walking order.
    func keys(_ query: Query) throws -> [Key] {
        var keys: [Key] = []
        try scan(query) {
            keys.append(query.collection.key(of: $0))
            return .next
        }
        return keys
    }
}

extension SQLiteStorage {
    /// Puts users with these ids in one transaction, each with the given number of bytes.
    func putUsers(_ ids: Range<Int64>, bytes: Int = 0) async throws {
        try await write { writer in
            for id in ids {
                try writer.put(
                    [
                        .integer(id), .text("user\(id)"), .text("name \(id % 7)"), .integer(id % 50), .null,
                        .bytes(Array(repeating: UInt8(truncatingIfNeeded: id), count: bytes)),
                    ], in: TestCollections.users)
            }
        }
    }

    /// Returns the number of users as counted by each index.
    func userCounts() async throws -> Set<Int> {
        let users = TestCollections.users
        return try await read { reader in
            Set(try ([users.primaryKey] + users.indexes).map { try reader.count(Query(users, by: $0)) })
        }
    }

    func putUser(_ id: Int64, _ login: String, name: String? = nil) async throws {
        try await write {
            try $0.put(
                [.integer(id), .text(login), name.map { .text($0) } ?? .null, .null, .null, .null],
                in: TestCollections.users)
        }
    }
}
