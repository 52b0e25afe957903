import PatchbayTestKit
import PatchbayCore
import StorageSQLite
import Testing

@Suite("an upgrade keeps the old state until it is complete")
struct UpgradeTests {
    private static let fields = TestCollections.users.fields
    private static let bare = CollectionSchema("users", key: 0, fields: fields)
    private static let full = TestCollections.users
    /// The schemas of the older and the newer program.
    private let old = Schema(version: 1, [bare])
    private let new = Schema(version: 2, [full])

    @Test("a database of an older version is first copied next to itself")
    func copies() async throws {
        let folder = try await filled(100)
        let storage = SQLiteStorage(path: folder.database)
        try await storage.open(new)
        #expect(try await storage.userCounts() == [100])
        try await storage.close()
        #expect(folder.names == ["test.sqlite", "test.sqlite.before-schema-2"])
        let copy = SQLiteStorage(path: folder.database + ".before-schema-2")
        try await copy.open(old)
        #expect(try await count(copy) == 100)
        try await copy.close()
    }

    @Test("indexes are added and dropped within a version, without a copy")
    func indexesLast() async throws {
        let folder = try await filled(100)
        for (schema, indexCount) in [
            (Schema(version: 1, [Self.full]), 3), (old, 0), (Schema(version: 1, [Self.full]), 3),
        ] {
            let log = ProgressLog()
            let storage = SQLiteStorage(path: folder.database)
            try await storage.open(schema) { log.append($0) }
            #expect(try await count(storage, schema.collections[0]) == 100)
            try await storage.close()
            #expect(log.tasks.filter { $0.hasPrefix("building the index") }.count == indexCount)
            #expect(folder.names == ["test.sqlite"])
        }
    }

    @Test("an interrupted upgrade leaves the old state, and the next opening completes it")
    func ended() async throws {
        let folder = try await filled(30_000), remains = try TestFolder()
        let log = ProgressLog(), isFirst = Flag()
        let storage = SQLiteStorage(path: folder.database)
        try await storage.open(new) { progress in
            log.append(progress)
            // The files in the middle of the upgrade are those that a killed process leaves.
            if progress.task == "building the index by_login of users", progress.done > 0, isFirst.take() {
                _ = TestFolder.shell(
                    "cp '\(folder.path)'/test.sqlite* '\(remains.path)'; rm -f '\(remains.path)'/*-shm")
            }
        }
        try await storage.close()
        #expect(log.tasks.contains("building the index by_name_and_age of users"))
        #expect(remains.names == ["test.sqlite", "test.sqlite-wal", "test.sqlite.before-schema-2"])
        let older = SQLiteStorage(path: remains.database)
        try await older.open(old)
        #expect(try await count(older) == 30_000)
        #expect(try await older.verifyFiles { _ in } == [])
        try await older.close()
        // A copy of an interrupted migration is replaced.
        remains.write([1, 2, 3], to: "test.sqlite.before-schema-2")
        let newer = SQLiteStorage(path: remains.database)
        try await newer.open(new)
        #expect(try await newer.userCounts() == [30_000])
        try await newer.close()
        #expect(remains.size(of: "test.sqlite.before-schema-2") > 100_000)
        #expect(remains.names == ["test.sqlite", "test.sqlite.before-schema-2"])
    }

    @Test("the copy of a completed migration is not touched again")
    func keepsTheCopy() async throws {
        let folder = try await filled(10)
        for _ in 0..<2 {
            let storage = SQLiteStorage(path: folder.database)
            try await storage.open(new)
            try await storage.close()
            folder.write([1, 2, 3], to: "test.sqlite.before-schema-2")
        }
        #expect(folder.bytes(of: "test.sqlite.before-schema-2") == [1, 2, 3])
    }

    @Test("a failed upgrade leaves no copy")
    func fails() async throws {
        let folder = try await filled(10)
        let writing = SQLiteStorage(path: folder.database)
        try await writing.open(old)
        try await writing.write {
            try $0.put([.integer(99), .text("USER1"), .null, .null, .null, .null], in: Self.bare)
        }
        try await writing.close()
        let before = folder.bytes()
        let storage = SQLiteStorage(path: folder.database)
        let error = await fault { try await storage.open(new) }
        #expect(error?.code == .conflict)
        #expect(folder.bytes() == before)
        #expect(folder.names == ["test.sqlite"])
    }

    @Test("an upgrade is busy while another program writes, and nothing changes")
    func busy() async throws {
        let folder = try await filled(10)
        let storage = SQLiteStorage(path: folder.database, busyTimeoutMilliseconds: 10)
        let other = try RawConnection(folder.database)
        try other.run("BEGIN EXCLUSIVE")
        #expect(await fault { try await storage.open(new) }?.code == .busy)
        #expect(!folder.names.contains("test.sqlite.before-schema-2"))
        other.close()
        try await storage.open(new)
        #expect(try await storage.userCounts() == [10])
        try await storage.close()
    }

    @Test("a newer database is refused and stays unchanged, byte for byte")
    func newer() async throws {
        let folder = try await filled(10)
        let storage = SQLiteStorage(path: folder.database)
        try await storage.open(new)
        try await storage.close()
        let before = folder.bytes(), names = folder.names
        #expect(
            await fault { try await SQLiteStorage(path: folder.database).open(old) }?.code == .unsupported)
        #expect(folder.bytes() == before)
        #expect(folder.names == names)
    }

    private func filled(_ count: Int) async throws -> TestFolder {
        let folder = try TestFolder()
        let storage = SQLiteStorage(path: folder.database)
        try await storage.open(old)
        try await storage.write { writer in
            for id in 0..<count {
                try writer.put(
                    [.integer(Int64(id)), .text("user\(id)"), .null, .null, .null, .null], in: Self.bare)
            }
        }
        try await storage.close()
        return folder
    }

    private func count(_ storage: SQLiteStorage, _ collection: CollectionSchema = bare) async throws -> Int {
        try await storage.read { try $0.count(Query(collection)) }
    }
}
