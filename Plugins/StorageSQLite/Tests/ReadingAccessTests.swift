import PatchbayTestKit
import CPlatform
import PatchbayCore
import StorageSQLite
import Synchronization
import Testing

@Suite("a database that is opened for reading")
struct ReadingAccessTests {
    private func reader(_ folder: TestFolder) async throws -> SQLiteStorage {
        let storage = SQLiteStorage(path: folder.database)
        try await storage.open(StorageOpening(nil, .reading))
        return storage
    }

    @Test("switches to locks when a writer opens it later, and sees its commits")
    func writerComes() async throws {
        let folder = try TestFolder()
        let writer = try await folder.storage()
        try await writer.putUsers(0..<10)
        try await writer.close()
        let reader = try await reader(folder)
        #expect(try await reader.userCounts() == [10])
        var revisions = [try await reader.revision()]
        for count in 11...13 as ClosedRange<Int64> {
            if count == 11 { try await writer.open(TestCollections.schema) }
            try await writer.putUsers(count - 1..<count)
            revisions.append(try await reader.revision())
            #expect(try await reader.userCounts() == [Int(count)])
        }
        try await writer.close()
        #expect(try await reader.userCounts() == [13])
        #expect(Set(revisions).count == revisions.count)
        try await reader.close()
    }

    @Test("reads when a writer was killed before the first page of its log, and left its index")
    func onlyHeader() async throws {
        let folder = try TestFolder()
        let writer = try await folder.storage()
        try await writer.putUsers(0..<10)
        let header = Array(folder.bytes(of: "test.sqlite-wal").prefix(32))
        try await writer.close()
        folder.write(header, to: "test.sqlite-wal")
        folder.write([UInt8](repeating: 0, count: 32_768), to: "test.sqlite-shm")
        let reader = try await reader(folder)
        #expect(header.count == 32)
        #expect(try await reader.userCounts() == [10])
        try await reader.close()
        try await folder.storage().close()
    }

    @Test("a read keeps its snapshot while another process writes and ends; the next read sees the rows")
    func changedMeanwhile() async throws {
        let folder = try TestFolder()
        try await folder.storage().close()
        let reader = try await reader(folder)
        let counts = try await reader.read { reading in
            let before = try reading.count(Query(TestCollections.tags))
            let other = try RawConnection(folder.database)
            try other.run("INSERT INTO tags VALUES ('a')")
            other.close()
            return [before, try reading.count(Query(TestCollections.tags))]
        }
        #expect(counts == [0, 0])
        #expect(try await reader.read { try $0.count(Query(TestCollections.tags)) } == 1)
        try await reader.close()
    }

    @Test(
        "a read is busy if another process changes the database itself meanwhile; the next read succeeds")
    func movedMeanwhile() async throws {
        let folder = try TestFolder()
        try await folder.storage().close()
        let reader = try await reader(folder)
        let other = try RawConnection(folder.database)
        let error = await fault {
            try await reader.read { reading in
                _ = try reading.count(Query(TestCollections.tags))
                try other.run(ReadingAccessTests.largeChange)
            }
        }
        #expect(error?.code == .busy)
        #expect(try await reader.read { try $0.count(Query(TestCollections.tags)) } == 1)
        other.close()
        try await reader.close()
    }

    /// Makes the database itself longer, while a log is usually moved only when it is long or its last user ends.
    private static let largeChange =
        "INSERT INTO tags VALUES (hex(zeroblob(100000))); PRAGMA wal_checkpoint"

    @Test("a backup is begun again when another process changes the files meanwhile")
    func changedDuringBackup() async throws {
        let folder = try TestFolder()
        try await folder.storage().close()
        let reader = try await reader(folder)
        let other = try RawConnection(folder.database)
        let hasWritten = Mutex(false)
        try await reader.backup(to: folder.path + "/copy") { _ in
            let isFirst = hasWritten.withLock { old in
                defer { old = true }
                return !old
            }
            // A failure shows in the number of rows.
            if isFirst { try? other.run(ReadingAccessTests.largeChange) }
        }
        other.close()
        try await reader.close()
        let copy = SQLiteStorage(path: folder.path + "/copy")
        try await copy.open(StorageOpening(nil, .reading))
        #expect(try await copy.read { try $0.count(Query(TestCollections.tags)) } == 1)
        try await copy.close()
    }

    @Test("reading the revision detects that the file was removed or replaced")
    func removed() async throws {
        for access in StorageAccess.allCases {
            let folder = try TestFolder()
            let first = try await folder.storage()
            try await first.close()
            let storage = SQLiteStorage(path: folder.database)
            try await storage.open(StorageOpening(nil, access))
            _ = try await storage.revision()
            unsafe #expect(rename(folder.database, folder.path + "/away") == 0)
            let other = try await folder.storage()
            let error = await fault { _ = try await storage.revision() }
            #expect(error?.code == .notFound)
            #expect(error?.message.contains("was removed or replaced") == true)
            #expect(await fault { _ = try await storage.userCounts() }?.code == .notFound)
            try await other.close()
            try await storage.close()
        }
    }

    @Test("new files are accessible only to their owner, and existing files keep their mode")
    func modes() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.putUsers(0..<10)
        try await storage.backup(to: folder.path + "/copy") { _ in }
        for name in folder.names { #expect(mode(folder.path + "/" + name) == 0o600, "\(name)") }
        try await storage.close()
        unsafe chmod(folder.database, 0o640)
        try await storage.open(TestCollections.schema)
        try await storage.putUsers(0..<10)
        for name in folder.names where name.hasPrefix("test.sqlite") {
            #expect(mode(folder.path + "/" + name) == 0o640, "\(name)")
        }
        unsafe chmod(folder.database, 0o440)
        try await storage.backup(to: folder.path + "/second") { _ in }
        #expect(mode(folder.path + "/second") == 0o640, "the copy is being written")
        try await storage.close()
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("a symbolic or hard link where SQLite would write is refused, and its target stays unchanged")
    func links() async throws {
        for suffix in ["-wal", "-shm", "-journal"] {
            for makeLink in ["ln -s", "ln"] {
                let folder = try TestFolder()
                try await folder.storage().close()
                folder.write(Array("precious".utf8), to: "victim")
                _ = TestFolder.shell("\(makeLink) '\(folder.path)/victim' '\(folder.database)\(suffix)'")
                let error = await fault { _ = try await folder.storage() }
                #expect(error?.code == .invalidConfiguration, "\(makeLink) \(suffix)")
                #expect(folder.bytes(of: "victim") == Array("precious".utf8))
            }
        }
    }

    @Test("a dangling link and a name that is too long create no file")
    func unusablePaths() async throws {
        let folder = try TestFolder()
        _ = TestFolder.shell("ln -s nowhere '\(folder.database)'")
        let long = folder.path + "/" + String(repeating: "a", count: 250)
        for path in [folder.database, long, long + "aaaaaaaaaa"] {
            let error = await fault {
                try await SQLiteStorage(path: path).open(StorageOpening(TestCollections.schema))
            }
            #expect(error?.code == .invalidConfiguration, "\(path)")
        }
        #expect(folder.names == ["test.sqlite"])
    }
}
