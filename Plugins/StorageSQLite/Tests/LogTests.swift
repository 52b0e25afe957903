import PatchbayCore
import StorageSQLite
import Testing

@testable import StorageSQLite

@Suite("the log")
struct LogTests {
    @Test("a commit appends to it without moving pages; a checkpoint moves them")
    func commitsMoveNothing() async throws {
        let folder = try TestFolder()
        try await folder.storage().close()
        let connection = try ConnectionOptions(
            path: folder.database, durability: .off, busyTimeoutMilliseconds: 0
        ).connect()
        let empty = folder.size(of: "test.sqlite")
        try connection.execute("insert into users (id, login, avatar) values (1, 'a', zeroblob(8000000))")
        #expect(connection.logPages > 1_900)
        #expect(folder.size(of: "test.sqlite") == empty)
        try connection.checkpoint()
        #expect(folder.size(of: "test.sqlite") > 8_000_000)
    }

    @Test("stays bounded under constant writing")
    func bounded() async throws {
        let folder = try TestFolder()
        let storage = SQLiteStorage(path: folder.database, durability: .off)
        try await storage.open(TestCollections.schema)
        var largest = 0
        for round in 0..<100 {
            try await storage.putUsers(0..<10, bytes: 100_000 + round)
            largest = max(largest, folder.size(of: "test.sqlite-wal"))
        }
        #expect(largest < 80 << 20)
        #expect(folder.size(of: "test.sqlite") > 1_000_000)
        try await storage.close()
        #expect(folder.names == ["test.sqlite"])
    }

    @Test("is moved early when its commits are small", .timeLimit(.minutes(2)))
    func smallCommits() async throws {
        let folder = try TestFolder()
        let storage = SQLiteStorage(path: folder.database, durability: .off)
        try await storage.open(TestCollections.schema)
        let empty = folder.size(of: "test.sqlite")
        for id in 0..<Int64(Checkpointer.logPagesMin) { try await storage.putUsers(id..<id + 1) }
        while folder.size(of: "test.sqlite") == empty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(folder.size(of: "test.sqlite-wal") < Checkpointer.logPages * 4_096)
        try await storage.close()
    }

    @Test("a process killed while it moves the log leaves a database that opens")
    func killedCheckpoint() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.putUsers(0..<200, bytes: 2_000)
        let log = folder.bytes(of: "test.sqlite-wal"), before = folder.bytes()
        try await storage.close()
        // Only the first page was written, with the new page count.
        let moved = folder.bytes()
        #expect(moved.count > before.count && !log.isEmpty)
        folder.write(Array(moved[..<4_096]) + before.dropFirst(4_096))
        folder.write(log, to: "test.sqlite-wal")
        let reopened = try await folder.storage()
        #expect(try await reopened.read { try $0.count(Query(TestCollections.users)) } == 200)
        #expect(try await reopened.verifyFiles { _ in }.isEmpty)
        try await reopened.close()
    }

    @Test("is left by a writer that ends while the database is read alone, and moved by the next one")
    func readAlone() async throws {
        let folder = try TestFolder()
        try await folder.storage().close()
        let reader = try ConnectionOptions(
            path: folder.database, durability: .full, busyTimeoutMilliseconds: 0, reach: .alone
        ).connect()
        let empty = folder.size(of: "test.sqlite")
        let storage = try await folder.storage()
        try await storage.putUsers(0..<1_000, bytes: 300)
        try await storage.close()
        #expect(folder.size(of: "test.sqlite") == empty)
        #expect(try reader.integer("SELECT count(*) FROM users") == 0)
        reader.releaseFile()
        let next = try await folder.storage()
        #expect(try await next.userCounts() == [1_000])
        try await next.close()
        #expect(folder.names == ["test.sqlite"])
    }

    @Test("shrinks again after a long read has made it large")
    func shrinks() async throws {
        let folder = try TestFolder()
        let storage = SQLiteStorage(path: folder.database, durability: .off)
        try await storage.open(TestCollections.schema)
        try await storage.putUsers(0..<1)
        let reader = try RawConnection(folder.database)
        try reader.run("BEGIN; SELECT * FROM users")
        for round in 0..<80 { try await storage.putUsers(0..<10, bytes: 100_000 + round) }
        #expect(folder.size(of: "test.sqlite-wal") > 72 << 20)
        reader.close()
        for round in 0..<10 { try await storage.putUsers(0..<10, bytes: 100_000 + round) }
        #expect(folder.size(of: "test.sqlite-wal") <= 64 << 20)
        try await storage.close()
    }
}
