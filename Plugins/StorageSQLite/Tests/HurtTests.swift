import CPlatform
import PatchbayCore
import PatchbayTestKit
import StorageSQLite
import Testing

@Suite("a full or locked disk", .enabled(if: SmallDisk.isPossible, "needs root, to mount a small disk"))
struct HurtTests {
    @Test(
        "a write without room throws storage full, keeps acknowledged rows, and works again once there is room"
    )
    func fullDisk() async throws {
        let disk = try SmallDisk(kilobytes: 16 << 10)
        let storage = SQLiteStorage(path: disk.database)
        try await storage.open(TestCollections.schema)
        try await storage.putUsers(0..<100, bytes: 1_000)
        try disk.fill(leavingKiB: 200)
        var next: Int64 = 100
        let error = await fault {
            while true {
                try await storage.putUsers(next..<next + 10, bytes: 1_000)
                next += 10
            }
        }
        #expect(error?.code == .storageFull)
        #expect(error?.message == "the disk is full and nothing of this write is kept; free some space")
        #expect(try await storage.userCounts() == [Int(next)])
        #expect(await fault { try await storage.compact { _ in } }?.code == .storageFull)
        let names = disk.names
        let backup = await fault { try await storage.backup(to: disk.path + "/copy") { _ in } }
        #expect(backup?.code == .storageFull)
        #expect(disk.names == names)
        disk.free()
        try await storage.putUsers(next..<next + 10, bytes: 1_000)
        try await storage.compact { _ in }
        try await storage.backup(to: disk.path + "/copy") { _ in }
        #expect(try await storage.userCounts() == [Int(next) + 10])
        #expect(try await storage.verifyFiles { _ in } == [])
        try await storage.close()
    }

    @Test("a database that does not fit on the disk is not created", arguments: 1...60)
    func fullDiskCreation(_ blocks: Int) async throws {
        let disk = try SmallDisk(kilobytes: 1 << 10)
        try disk.fill(leavingKiB: blocks * 4)
        let storage = SQLiteStorage(path: disk.database)
        let error = await fault { try await storage.open(TestCollections.schema) }
        if let error {
            #expect(error.code == .storageFull)
            #expect(disk.names == ["filler"])
        }
        disk.free()
        try await storage.close()
        try await storage.open(TestCollections.schema)
        #expect(try await storage.verifyFiles { _ in } == [])
        try await storage.close()
    }

    @Test("stored rows can be read on a full disk, and the log is moved once there is room")
    func readOnFullDisk() async throws {
        let disk = try SmallDisk(kilobytes: 1 << 10)
        let storage = SQLiteStorage(path: disk.database)
        try await storage.open(TestCollections.schema)
        var next: Int64 = 0
        let error = await fault {
            while true {
                try await storage.putUsers(next..<next + 10, bytes: 1_000)
                next += 10
            }
        }
        #expect(error?.code == .storageFull && next > 0)
        try disk.fill()
        for _ in 1...2 {
            try await storage.close()
            try await storage.open(TestCollections.schema)
            #expect(try await storage.userCounts() == [Int(next)])
        }
        #expect(disk.names.contains { $0.hasSuffix("-wal") })
        disk.free()
    }

    @Test("an upgrade without room keeps the old state and leaves no copy")
    func fullDiskUpgrade() async throws {
        let disk = try SmallDisk(kilobytes: 16 << 10)
        let bare = CollectionSchema("users", key: 0, fields: TestCollections.users.fields)
        let storage = SQLiteStorage(path: disk.database)
        try await storage.open(Schema(version: 1, [bare]))
        try await storage.write { writer in
            for id in 0..<6_000 {
                try writer.put(
                    [.integer(Int64(id)), .text("user\(id)"), .null, .null, .null, .null], in: bare)
            }
        }
        try await storage.close()
        let new = Schema(version: 2, [TestCollections.users])
        // Room for nothing, then for the copy but not for the indexes.
        let copied = disk.databaseBytes / 1_024
        for room in [40, copied + 100] {
            try disk.fill(leavingKiB: room)
            #expect(await fault { try await storage.open(new) }?.code == .storageFull)
            disk.free()
            #expect(disk.names.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") } == ["test.sqlite"])
        }
        try await storage.open(new)
        #expect(try await storage.userCounts() == [6_000])
        try await storage.close()
    }

    @Test("creating a database on a full disk throws storage full and leaves no file")
    func newOnFullDisk() async throws {
        let disk = try SmallDisk(kilobytes: 1 << 10)
        try disk.fill()
        let names = disk.names
        let storage = SQLiteStorage(path: disk.database)
        #expect(await fault { try await storage.open(TestCollections.schema) }?.code == .storageFull)
        #expect(disk.names == names)
        disk.free()
        try await storage.open(TestCollections.schema)
        try await storage.putUsers(0..<10)
        try await storage.close()
    }

    @Test("an intact database on a full disk can be read, and a write reports that the disk is full")
    func opensOnFullDisk() async throws {
        let disk = try SmallDisk(kilobytes: 1 << 10)
        let storage = SQLiteStorage(path: disk.database)
        try await storage.open(TestCollections.schema)
        try await storage.putUsers(0..<100)
        try await storage.close()
        try disk.fill()
        for access in StorageAccess.allCases {
            try await storage.open(StorageOpening(TestCollections.schema, access))
            #expect(try await storage.userCounts() == [100])
            let error = await fault { try await storage.putUsers(100..<101) }
            #expect(error?.code == (access == .reading ? .permissionDenied : .storageFull))
            #expect(try await storage.verifyFiles { _ in } == [])
            try await storage.close()
        }
        disk.free()
        try await storage.open(TestCollections.schema)
        try await storage.putUsers(100..<101)
        try await storage.close()
    }

    @Test(
        "a database on a read-only disk can be read, with or without a log, and written once the disk is writable"
    )
    func readOnlyDisk() async throws {
        let disk = try SmallDisk(kilobytes: 4 << 10)
        let storage = SQLiteStorage(path: disk.database)
        try await storage.open(TestCollections.schema)
        try await storage.putUsers(0..<10)
        for name in ["copy.sqlite", "copy.sqlite-wal"] {
            let from = "\(disk.database)\(name.dropFirst("copy.sqlite".count))"
            _ = TestFolder.shell("cp '\(from)' '\(disk.path)/\(name)'")
        }
        try await storage.close()
        let cover = try ReadOnlyFolder(disk.path)
        for path in [disk.database, disk.path + "/copy.sqlite"] {
            for access in StorageAccess.allCases {
                let storage = SQLiteStorage(path: path)
                try await storage.open(StorageOpening(nil, access))
                #expect(try await storage.userCounts() == [10])
                #expect(await fault { try await storage.putUsers(10..<11) }?.code == .permissionDenied)
                #expect(try await storage.verifyFiles { _ in } == [])
                try await storage.close()
            }
        }
        let new = SQLiteStorage(path: disk.path + "/new.sqlite")
        #expect(await fault { try await new.open(TestCollections.schema) }?.code == .permissionDenied)
        cover.end()
        try await storage.open(TestCollections.schema)
        try await storage.putUsers(10..<11)
        #expect(try await storage.userCounts() == [11])
        try await storage.close()
    }

    @Test("a read-only file can be read, and the error of a write names it")
    func readOnlyFile() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.putUsers(0..<10)
        try await storage.close()
        let file = folder.database
        let made = TestFolder.shell(
            "mount --bind '\(file)' '\(file)' 2>&1 && mount -o remount,bind,ro '\(file)' 2>&1")
        defer { _ = TestFolder.shell("umount -l '\(file)'") }
        #expect(made == "")
        try await storage.open(TestCollections.schema)
        #expect(try await storage.userCounts() == [10])
        let error = await fault { try await storage.putUsers(10..<11) }
        #expect(error?.code == .permissionDenied)
        #expect(error?.message == "the file can be read but not written; check its permissions")
        #expect(error?.file == file)
        try await storage.close()
    }
}

@Suite("locks and permissions")
struct LockTests {
    @Test("a file that cannot be read", .enabled(if: geteuid() != 0, "root reads every file"))
    func unreadable() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        try await storage.close()
        unsafe chmod(folder.database, 0)
        #expect(await fault { try await storage.open(TestCollections.schema) }?.code == .permissionDenied)
        unsafe chmod(folder.database, 0o600)
        try await storage.open(TestCollections.schema)
        try await storage.close()
    }

    @Test("opening is busy while another program has exclusive access to the file")
    func exclusive() async throws {
        let folder = try TestFolder()
        try await folder.storage().close()
        let other = try RawConnection(folder.database)
        try other.run("PRAGMA locking_mode = EXCLUSIVE; INSERT INTO tags VALUES ('a')")
        let storage = SQLiteStorage(path: folder.database, busyTimeoutMilliseconds: 10)
        #expect(await fault { try await storage.open(TestCollections.schema) }?.code == .busy)
        other.close()
        try await storage.open(TestCollections.schema)
        #expect(try await storage.read { try $0.count(Query(TestCollections.tags)) } == 1)
        try await storage.close()
    }

    @Test("a write is busy while another program writes; reads continue")
    func held() async throws {
        let folder = try TestFolder()
        let storage = SQLiteStorage(path: folder.database, busyTimeoutMilliseconds: 10)
        try await storage.open(TestCollections.schema)
        let other = try RawConnection(folder.database)
        try other.run("BEGIN EXCLUSIVE; INSERT INTO tags VALUES ('a')")
        let error = await fault { try await storage.putUsers(0..<1) }
        #expect(error?.code == .busy)
        #expect(
            error?.message
                == "another connection holds the database; try again, or set a longer storage.busy-timeout-ms"
        )
        #expect(try await storage.userCounts() == [0])
        other.close()
        try await storage.putUsers(0..<1)
        #expect(try await storage.userCounts() == [1])
        try await storage.close()
    }
}
