import CPlatform
import PatchbayCore
import PatchbaySystem
import PatchbayTestKit
import StorageSQLite
import Testing

@Suite("a backup is a complete database at one point in time")
struct BackupTests {
    @Test("a backup opens like the original, needs no other files, and is as private as the original")
    func opens() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        unsafe chmod(folder.database, 0o600)
        try await storage.putUsers(0..<3_000, bytes: 300)
        let log = ProgressLog()
        try await storage.backup(to: folder.path + "/copy.sqlite") { log.append($0) }
        let last = try #require(log.all.last)
        #expect(last.done == last.total)
        #expect(folder.names.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
        var status = stat()
        #expect(unsafe stat(folder.path + "/copy.sqlite", &status) == 0 && status.st_mode & 0o777 == 0o600)
        try await storage.close()
        let copy = SQLiteStorage(path: folder.path + "/copy.sqlite")
        try await copy.open(TestCollections.schema)
        #expect(try await copy.userCounts() == [3_000])
        #expect(try await copy.verifyFiles { _ in } == [])
        try await copy.close()
    }

    @Test("a backup does not contain commits made while it runs, by any process")
    func oneMoment() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.putUsers(0..<1_000, bytes: 8_000)
        let other = try RawConnection(folder.database)
        let isFirst = Flag()
        try await storage.backup(to: folder.path + "/copy.sqlite") { _ in
            guard isFirst.take() else { return }
            // The handler runs between two batches of pages.
            do { try other.run("DELETE FROM users WHERE id % 2 = 0") } catch { Issue.record(error) }
        }
        #expect(try await storage.userCounts() == [500])
        try await storage.close()
        let copy = SQLiteStorage(path: folder.path + "/copy.sqlite")
        try await copy.open(TestCollections.schema)
        #expect(try await copy.userCounts() == [1_000])
        try await copy.close()
    }

    @Test("an unusable path is refused")
    func impossible() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        for path in ["", folder.path + "/none/copy", folder.database + "/copy"] {
            let error = await fault { try await storage.backup(to: path) { _ in } }
            #expect(error?.code == .invalidConfiguration, "\(path)")
        }
        let taken = await fault { try await storage.backup(to: folder.database) { _ in } }
        #expect(
            taken?.message == "\"\(folder.database)\" already exists; choose another path or move it away")
        try await storage.close()
        let error = await fault { try await storage.backup(to: folder.path + "/copy") { _ in } }
        #expect(error?.code == .unsupported)
    }

    @Test(
        "a backup beside a log, its index or a journal of another file is refused",
        arguments: ["wal", "shm", "journal"])
    func leftBeside(_ suffix: String) async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        folder.write([1, 2, 3], to: "copy.sqlite-" + suffix)
        let names = folder.names
        let error = await fault { try await storage.backup(to: folder.path + "/copy.sqlite") { _ in } }
        #expect(error?.code == .conflict)
        #expect(error?.file == folder.path + "/copy.sqlite-" + suffix)
        #expect(folder.names == names)
        try await storage.close()
    }

    @Test("of several backups to one path at once, one is complete and the others are refused")
    func atOnce() async throws {
        let folder = try TestFolder(), copy = folder.path + "/copy.sqlite"
        let storage = try await folder.storage()
        try await storage.putUsers(0..<1_000, bytes: 300)
        let errors = await withTaskGroup(of: PatchbayError?.self) { group in
            for _ in 0..<8 { group.addTask { await fault { try await storage.backup(to: copy) { _ in } } } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(errors.filter { $0 == nil }.count == 1)
        #expect(errors.allSatisfy { $0 == nil || $0?.code == .conflict }, "\(errors)")
        #expect(folder.names.filter { $0.hasPrefix("copy") } == ["copy.sqlite"])
        try await storage.close()
    }

    @Test("a cancelled backup leaves no file")
    func cancelled() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.putUsers(0..<1_000, bytes: 8_000)
        let names = folder.names
        let copying = Task {
            try await storage.backup(to: folder.path + "/copy") { _ in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await copying.value }
        #expect(folder.names == names)
        try await storage.close()
    }
}
