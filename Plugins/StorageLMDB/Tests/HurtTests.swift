import Foundation
import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import StorageLMDB
import TestSupport
import Testing

@Suite("Full and read-only disks, and other processes", .mayBlock, .serialized)
struct HurtTests {
    private static let isRoot = geteuid() == 0
    /// Runs a command with the rights of another user. `setpriv` itself would start it with those of root.
    private static let stranger = "setpriv --reuid 65534 --regid 65534 --clear-groups env"

    @Test(
        "on a full disk each write fails without other harm, and succeeds once there is space",
        .enabled(if: SmallDisk.isPossible, "needs root, to mount a small disk"))
    func fullDisk() async throws {
        try await withSmallDisk { disk in
            let path = disk + "/store", filler = disk + "/filler"
            try await Notes.open(path) { storage in
                try await Notes.putBodies(storage, Array(0..<1000), length: 500)
                try fill(filler)
                let code = await Notes.code {
                    try await Notes.putBodies(storage, Array(1000..<4000), length: 500)
                }
                #expect(code == .storageFull)
                #expect(try await Notes.titles(storage, in: Notes.wide).count == 1000)
                let copyCode = await Notes.code { try await storage.backup(to: disk + "/copy") { _ in } }
                #expect(copyCode == .storageFull)
                let error = await fault { try await storage.compact { _ in } }
                #expect(error?.code == .storageFull)
                #expect(
                    error?.message
                        == "the disk is full while compacting the storage \"\(path)\"; free some space")
                #expect(Disk.names(disk) == ["filler", "store"])
                #expect(Disk.names(path) == ["data.mdb", "lock.mdb"])
                #expect(try await Notes.titles(storage, in: Notes.wide).count == 1000)
            }
            #expect(
                await Notes.code { try await Notes.open(path, Notes.laterSchema) { _ in } } == .storageFull)
            #expect(Disk.names(disk) == ["filler", "store"])
            Disk.remove(filler)
            try await Notes.open(path) { storage in
                try await Notes.putBodies(storage, Array(1000..<1500), length: 500)
                try await storage.compact { _ in }
                try await storage.backup(to: disk + "/copy") { _ in }
                #expect(try await storage.verifyFiles { _ in } == [])
                #expect(try await Notes.titles(storage, in: Notes.wide).count == 1500)
            }
        }
    }

    @Test(
        "a full disk is reported in one line, with advice",
        .enabled(if: SmallDisk.isPossible, "needs root, to mount a small disk"))
    func fullDiskMessage() async throws {
        try await withSmallDisk { disk in
            let path = disk + "/store"
            try fill(disk + "/filler")
            let error = try #require(await fault { try await Notes.open(path) { _ in } })
            #expect(error.code == .storageFull)
            #expect(error.message.contains("the disk is full") && error.message.contains("free some space"))
            #expect(!error.message.contains("\n"))
            Disk.remove(disk + "/filler")
            #expect(try await Notes.open(path) { try await Notes.titles($0) } == [])
        }
    }

    @Test(
        "a storage on a read-only disk can be read, a write reports its path, and works once it is writable",
        .enabled(if: SmallDisk.isPossible, "needs root, to mount a disk read-only"))
    func readOnly() async throws {
        try await withSmallDisk { disk in
            let path = disk + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "a")]) }
            for file in ["lock.mdb", ""] {
                let cover = try ReadOnlyFolder(disk)
                for access in StorageAccess.allCases {
                    let storage = LMDBStorage(path: path)
                    try await storage.open(StorageOpening(Notes.schema, access))
                    #expect(try await Notes.titles(storage) == ["a"])
                    #expect(try await storage.verifyFiles { _ in } == [])
                    let error = await fault { try await Notes.put(storage, [(2, "b")]) }
                    #expect(error?.code == .permissionDenied)
                    #expect(error?.message.contains("\"\(path)") == true)
                    try await storage.close()
                }
                let new = await fault { try await Notes.open(disk + "/new") { _ in } }
                #expect(new?.code == .permissionDenied)
                #expect(new?.message.contains("\"\(disk)/new") == true)
                cover.end()
                // The second time without the file that lists the readers.
                if !file.isEmpty { Disk.remove(path + "/" + file) }
            }
            #expect(try await Notes.open(path) { try await Notes.titles($0) } == ["a"])
        }
    }

    @Test(
        "a sound storage on a full disk can be read, and a write reports that the disk is full",
        .enabled(if: SmallDisk.isPossible, "needs root, to mount a small disk"))
    func opensOnFullDisk() async throws {
        try await withSmallDisk { disk in
            let path = disk + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "a")]) }
            Disk.remove(path + "/lock.mdb")
            try fill(disk + "/filler")
            let names = Disk.names(path)
            for access in StorageAccess.allCases {
                let storage = LMDBStorage(path: path)
                try await storage.open(StorageOpening(Notes.schema, access))
                #expect(try await Notes.titles(storage) == ["a"])
                let code = await Notes.code { try await Notes.put(storage, [(2, "b")]) }
                #expect(code == (access == .reading ? .permissionDenied : .storageFull))
                try await storage.close()
                if access == .reading { #expect(Disk.names(path) == names) }
            }
        }
    }

    @Test(
        "a file without read permission is refused and named",
        .enabled(
            if: isRoot && Disk.run("\(stranger) '\(Command.executable.path)' --version").status == 0,
            "needs root, setpriv and a command that another user can run"))
    func unreadable() async throws {
        try await TemporaryDirectory.with { directory in
            let command = Command(in: directory.path), store = "lmdb:\(directory.path)"
            #expect(try command.run("selftest", "write", "--store", store, "--count", "3").status == 0)
            try #require(Disk.run("chmod -R a+rwX '\(directory.path)'").status == 0)
            let stranger =
                "\(HurtTests.stranger) HOME='\(directory.path)' '\(Command.executable.path)' "
                + "selftest verify --store '\(store)'"
            try #require(Disk.run(stranger).status == 0)
            let data = directory.path + "/store.lmdb/data.mdb"
            try #require(unsafe chmod(data, 0) == 0)
            let outcome = Disk.run(stranger)
            #expect(outcome.status != 0)
            #expect(outcome.output.contains("permission denied") && outcome.output.contains("store.lmdb"))
            #expect(outcome.output.split(separator: "\n").count == 1, "\(outcome.output)")
            try #require(unsafe chmod(data, 0o600) == 0)
            #expect(try command.run("selftest", "verify", "--store", store).status == 0)
        }
    }

    // MARK: Another process

    @Test("reading through an index that another process has removed is an error, not an empty answer")
    func removedIndex() async throws {
        try await TemporaryDirectory.with { directory in
            let command = Command(in: directory.path), store = "lmdb:\(directory.path)"
            #expect(try command.run("selftest", "write", "--store", store, "--count", "3").status == 0)
            let storage = LMDBStorage(path: directory.path + "/store.lmdb")
            let stored = try await storage.open(StorageOpening(nil, .reading))
            try await storage.close()
            let plain = try #require(stored.collections.first { $0.name == "github_users" })
            let position = try #require(plain.fields.firstIndex { $0.name == "name" })
            let index = Index("by_extra", .exact(position))
            let grown = CollectionSchema(
                plain.name, keyPositions: plain.primaryKey.parts.map(\.position),
                indexes: plain.indexes + [index], fields: plain.fields)
            try await storage.open(Schema(version: stored.version, [grown]))
            let query = Query(grown, by: index)
            #expect(try await storage.read { try $0.count(query) } == 3)
            #expect(
                try command.run("selftest", "write", "--store", store, "--start", "10", "--count", "1").status
                    == 0)
            let error = await #expect(throws: PatchbayError.self) {
                try await storage.read { try $0.count(query) }
            }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("another process has changed the schema") == true)
            #expect(try await storage.read { try $0.count(Query(grown)) } == 4)
            try await storage.close()
        }
    }

    @Test("the revision shows commits of another process, which must end before the file can be compacted")
    func otherProcess() async throws {
        try await TemporaryDirectory.with { directory in
            let command = Command(in: directory.path), store = "lmdb:\(directory.path)"
            let storage = LMDBStorage(path: directory.path + "/store.lmdb")
            try await storage.open(.patchbay)
            let first = try await storage.revision()
            #expect(try command.run("selftest", "write", "--store", store, "--count", "2").status == 0)
            let second = try await storage.revision()
            // The command adds one collection, which is another commit.
            #expect(second >= first + 2)
            let other = try command.start(
                ["selftest", "write", "--store", store, "--start", "10"],
                output: FileHandle.nullDevice, errors: FileHandle.nullDevice)
            while try await storage.revision() == second {
                try await Task.sleep(for: .milliseconds(1))
            }
            let error = await fault { try await storage.compact { _ in } }
            #expect(error?.code == .busy)
            #expect(error?.message.contains("another process has the storage") == true)
            let kept = try command.run("selftest", "verify", "--store", store).output.split(separator: "\n")
            #expect(kept.count >= 3)
            kill(other.processIdentifier, SIGKILL)
            other.waitUntilExit()
            try await storage.compact { _ in }
            #expect(try await storage.verifyFiles { _ in } == [])
            #expect(try command.run("selftest", "verify", "--store", store).status == 0)
            try await storage.close()
        }
    }

    @Test("the snapshot of a reader that was killed does not keep the file growing")
    func staleReader() async throws {
        try await TemporaryDirectory.with { directory in
            let command = Command(in: directory.path), store = "lmdb:\(directory.path)"
            let write = ["selftest", "write", "--store", store, "--count", "4000", "--batch", "1000"]
            #expect(try command.run(write).status == 0)
            // It prints the rows that it reads. The pipe is not read, so it blocks within its snapshot.
            let pipe = Pipe()
            let reader = try command.start(
                ["selftest", "verify", "--store", store], output: pipe, errors: FileHandle.nullDevice)
            #expect(try pipe.fileHandleForReading.read(upToCount: 1)?.count == 1)
            let storage = LMDBStorage(path: directory.path + "/store.lmdb", durability: .off)
            try await storage.open(.patchbay)
            kill(reader.processIdentifier, SIGKILL)
            reader.waitUntilExit()
            try await rewrite(storage, 300)
            let pages = try await pageCount(storage)
            try await rewrite(storage, 600)
            let grown = try await pageCount(storage) - pages
            #expect(grown < 50, "the file grew by \(grown) pages")
            try await storage.close()
        }
    }

    private func rewrite(_ storage: LMDBStorage, _ count: Int) async throws {
        for round in 0..<count {
            try await storage.write { writer in
                let clearing = StoredClearing(
                    list: "again", count: Int64(round), clearedAt: Timestamp(milliseconds: 0))
                var builder = RowBuilder()
                builder.begin(StoredClearing.collection)
                clearing.write(to: &builder)
                try writer.put(builder.finish(), in: StoredClearing.collection)
            }
        }
    }

    private func pageCount(_ storage: LMDBStorage) async throws -> Int {
        let settings = try await storage.describe().settings
        return try #require(settings.first { $0.name == "pages" }.flatMap { Int($0.value) })
    }

    // MARK: A small disk

    /// Runs `body` with 8 MiB of memory mounted as a disk.
    private func withSmallDisk(_ body: (String) async throws -> Void) async throws {
        let disk = try SmallDisk(kilobytes: 8 << 10)
        try await body(disk.path)
        withExtendedLifetime(disk) {}
    }

    /// Uses up all free space.
    private func fill(_ path: String) throws {
        _ = Disk.run("cat /dev/zero > '\(path)'")
        try #require(Disk.exists(path))
    }
}
