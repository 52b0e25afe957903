import PatchbayCore
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("The storage's path")
struct FolderTests {
    @Test("nothing is touched before the storage is opened")
    func plugin() async throws {
        try await TemporaryDirectory.with { directory in
            let settings = Settings("storage", ["path": directory.path + "/store"])
            let storage = try await Plugin<any Storage>.lmdb.open(settings)
            #expect(!Disk.exists(directory.path + "/store"))
            try await storage.close()
        }
    }

    @Test("an empty folder becomes a storage, and the rest of a killed creation is removed")
    func empty() async throws {
        try await TemporaryDirectory.with { directory in
            try Disk.makeFolder(directory.path + "/creating")
            try Disk.write([1, 2, 3], to: directory.path + "/creating/data.mdb")
            try await Notes.open(directory.path) { try await Notes.put($0, [(1, "a")]) }
            #expect(!Disk.exists(directory.path + "/creating"))
            #expect(try await Notes.open(directory.path) { try await Notes.titles($0) } == ["a"])
        }
    }

    @Test("a missing parent folder is named")
    func missingParent() async throws {
        try await TemporaryDirectory.with { directory in
            let parent = directory.path + "/none"
            let error = await fault { try await Notes.open(parent + "/store") { _ in } }
            #expect(error?.code == .invalidConfiguration)
            #expect(
                error?.message == "the folder \"\(parent)\" does not exist; create it or set another path")
            #expect(!Disk.exists(parent))
        }
    }

    @Test("a file, and a folder with other files, are refused and not changed")
    func foreign() async throws {
        try await TemporaryDirectory.with { directory in
            let file = directory.path + "/file"
            try Disk.write([1, 2, 3], to: file)
            #expect(await Notes.code { try await Notes.open(file) { _ in } } == .invalidConfiguration)
            #expect(
                await Notes.code { try await Notes.open(directory.path) { _ in } } == .invalidConfiguration)
            #expect(try Disk.read(file) == [1, 2, 3])
            #expect(!Disk.exists(directory.path + "/data.mdb"))
        }
    }

    @Test("an empty, missing or foreign data.mdb is damage")
    func lost() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", data = path + "/data.mdb"
            try await Notes.open(path) { try await Notes.put($0, [(1, "a")]) }
            for bytes in [[], Array(repeating: UInt8(7), count: 9000)] {
                try Disk.write(bytes, to: data)
                #expect(await Notes.code { try await Notes.open(path) { _ in } } == .corrupted)
                #expect(try Disk.read(data) == bytes)
            }
            Disk.remove(data)
            #expect(await Notes.code { try await Notes.open(path) { _ in } } == .corrupted)
        }
    }

    @Test("a storage can be open only once in a process, by any path")
    func openedTwice() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { storage in
                #expect(
                    await Notes.code { try await Notes.open(directory.path + "/./store") { _ in } } == .busy)
                #expect(await Notes.code { try await storage.open(Notes.schema) } == .busy)
                try await Notes.put(storage, [(1, "a")])
            }
            let titles = try await Notes.open(path) { try await Notes.titles($0) }
            #expect(titles == ["a"])
        }
    }
}
