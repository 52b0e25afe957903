import CLMDB
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("The entries of an LMDB environment")
struct LMDBFormatTests {
    private struct Entry: Equatable {
        var tree: String
        var key: [UInt8]
        var value: [UInt8]

        /// The value without its seal.
        var payload: [UInt8] { Array(value.dropLast(4)) }
        var seal: [UInt8] { Array(value.suffix(4)) }
    }

    @Test("an LMDB environment has the entries that the article shows, each with its seal")
    func entries() async throws {
        let folder = try TemporaryDirectory()
        let path = folder.path + "/users.lmdb"
        try await FileFormats.fill(LMDBStorage(path: path))
        let entries = try entries(path)
        #expect(entries.map(\.tree) == ["_schema", "users", "users.by_login"])
        for entry in entries {
            let sealed = Array("patchbay.lmdb/\(entry.tree)".utf8) + entry.key + entry.payload
            #expect(entry.seal == crc32c(sealed).littleBytes, "\(entry.tree)")
        }
        let row = entries[1], index = entries[2]
        #expect(row.key == (1 | UInt64(1) << 63).littleBytes)
        #expect(index.key == Array("ada".utf8) + [0] + index.payload)
        #expect(index.payload == (1 | UInt64(1) << 63).bigBytes)
        try FileFormats.expect(text(entries), as: "lmdb")
    }

    private func text(_ entries: [Entry]) -> String {
        let schema = String(decoding: entries[0].payload, as: UTF8.self)
        var lines = ["_schema, key \"\(String(decoding: entries[0].key, as: UTF8.self))\", value:"]
        lines += schema.split(separator: "\n").map { "  \($0)" } + ["  and a seal of 4 bytes"]
        for entry in entries.dropFirst() {
            var key = HexDump(entry.key)
            if entry.tree == "users" {
                key.take(8) { _ in "1, its sign bit flipped, as the machine keeps it" }
            } else {
                key.take(entry.key.count - 9) { "the login, folded: \(String(decoding: $0, as: UTF8.self))" }
                key.take(1) { _ in "the end of the text" }
                key.take(8) { _ in "the primary key: 1, its sign bit flipped, big-endian" }
            }
            var value = HexDump(entry.value)
            value.take(entry.payload.count) { _ in
                entry.tree == "users" ? "the packed row" : "the primary key"
            }
            value.take(4) { _ in "the seal" }
            lines += ["", "\(entry.tree), key:"] + key.lines + ["value:"] + value.lines
        }
        return lines.joined(separator: "\n")
    }

    /// Returns every entry of every tree, read with LMDB itself.
    private func entries(_ path: String) throws -> [Entry] {
        var environment: OpaquePointer?
        try unsafe check(mdb_env_create(&environment))
        defer { unsafe mdb_env_close(environment) }
        try unsafe check(mdb_env_set_maxdbs(environment, 8))
        try unsafe check(mdb_env_open(environment, path, UInt32(MDB_RDONLY | MDB_NOLOCK), 0o600))
        var transaction: OpaquePointer?
        try unsafe check(mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &transaction))
        defer { unsafe mdb_txn_abort(transaction) }
        let names = try unsafe pairs(nil, transaction).map { String(decoding: $0.key, as: UTF8.self) }
        return try names.flatMap { name in
            try unsafe pairs(name, transaction).map { Entry(tree: name, key: $0.key, value: $0.value) }
        }
    }

    private func pairs(
        _ tree: String?, _ transaction: OpaquePointer?
    ) throws -> [(key: [UInt8], value: [UInt8])] {
        var handle: MDB_dbi = 0
        try unsafe check(mdb_dbi_open(transaction, tree, 0, &handle))
        var cursor: OpaquePointer?
        try unsafe check(mdb_cursor_open(transaction, handle, &cursor))
        defer { unsafe mdb_cursor_close(cursor) }
        var pairs: [(key: [UInt8], value: [UInt8])] = []
        var key = unsafe MDB_val(), value = unsafe MDB_val()
        while unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
            unsafe pairs.append((key.bytes, value.bytes))
        }
        return pairs
    }

    private func check(_ status: Int32) throws {
        try #require(status == 0, "\(unsafe String(cString: mdb_strerror(status)))")
    }
}

extension MDB_val {
    fileprivate var bytes: [UInt8] { unsafe Array(UnsafeRawBufferPointer(start: mv_data, count: mv_size)) }
}
