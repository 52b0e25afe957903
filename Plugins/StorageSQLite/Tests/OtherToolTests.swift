import PatchbayTestKit
import CSQLite
import PatchbayCore
import StorageSQLite
import Testing

@Suite(
    "the sqlite3 shell alongside Patchbay", .enabled(if: TestFolder.hasSQLiteShell, "needs the sqlite3 shell")
)
struct OtherToolTests {
    let users = TestCollections.users

    @Test("it reads rows while the storage is open")
    func shellReads() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.putUser(1, "ada", name: "Ada")
        #expect(folder.sqlite3("select login, name from users") == "ada|Ada")
        #expect(folder.sqlite3("select typeof(avatar) from users") == "null")
        try await storage.close()
        #expect(folder.names == ["test.sqlite"])
    }

    @Test("a row that it writes can be read and changes the revision")
    func shellWrites() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        let before = try await storage.revision()
        #expect(try await storage.userCounts() == [0])
        #expect(folder.sqlite3("insert into users (id, login, score) values (9, 'Grace', 1)") == "")
        #expect(try await storage.revision() != before)
        let users = users
        let found = try await storage.read { reader -> [String] in
            var found: [String] = []
            try reader.scan(Query(users, by: users.index(named: "by_login"), .equal("GRACE"))) {
                found = [$0.text(1), "\($0.real(4))", "\($0.isNull(5))"]
                return .next
            }
            return found
        }
        #expect(found == ["Grace", "1.0", "true"])
        #expect(try await storage.userCounts() == [1])
        try await storage.close()
    }

    @Test("U+0000 that it writes is returned unchanged")
    func nulCharacter() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        _ = folder.sqlite3("insert into users (id, login) values (1, 'a' || char(0) || 'b')")
        let users = users
        let login = try await storage.read { reader in
            var login = ""
            _ = try reader.get(1, in: users) { login = $0.text(1) }
            return login
        }
        #expect(login == "a\0b")
        try await storage.close()
    }

    @Test("a value that a column must not contain is corrupted, with table, key and field")
    func wrongType() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.putUser(7, "ada", name: "Ada")
        try await storage.close()
        let loosen = "update sqlite_schema set sql = replace(replace(sql, ' STRICT', ''), ' NOT NULL', '')"
        _ = folder.sqlite3("pragma writable_schema = on; \(loosen) where type = 'table'")
        for value in ["null", "x'00'"] {
            #expect(folder.sqlite3("update users set login = \(value)") == "")
            let error = await fault { try await read(folder) }
            #expect(error?.code == .corrupted)
            #expect(error?.collection == "users")
            #expect(error?.key == "7")
            #expect(error?.field == "login")
        }
    }

    @Test("a column that it dropped is corrupted, with the column's name")
    func droppedColumn() async throws {
        let folder = try TestFolder()
        try await folder.storage().close()
        #expect(folder.sqlite3("alter table users drop column score") == "")
        let error = await fault { try await read(folder) }
        #expect(error?.code == .corrupted)
        #expect(error?.message.contains("score") == true)
    }

    private func read(_ folder: TestFolder) async throws {
        let storage = try await folder.storage()
        let users = users
        do {
            _ = try await storage.read { try $0.keys(Query(users)) }
        } catch {
            try await storage.close()
            throw error
        }
        try await storage.close()
    }

    @Test("a write is busy while it holds a lock, and succeeds afterwards")
    func busy() async throws {
        let folder = try TestFolder()
        let storage = SQLiteStorage(path: folder.database, busyTimeoutMilliseconds: 10)
        try await storage.open(TestCollections.schema)
        let lock = try Lock(folder.database)
        let error = await fault { try await storage.putUser(1, "ada") }
        #expect(error?.code == .busy)
        #expect(error?.code.isRetryable == true)
        lock.release()
        try await storage.putUser(1, "ada")
        try await storage.close()
    }
}

/// An open write transaction of another program. Safe, because it is released once, after its last use.
@safe private final class Lock {
    private var handle: OpaquePointer?

    init(_ path: String) throws {
        try #require(unsafe sqlite3_open(path, &handle) == SQLITE_OK)
        try #require(unsafe sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
    }

    func release() { unsafe sqlite3_close(handle) }
}
