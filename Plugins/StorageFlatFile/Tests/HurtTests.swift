import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

@Suite("full and read-only disks")
struct HurtTests {
    @Test(
        "a full disk refuses a write and loses nothing, and once there is space writes succeed again",
        .enabled(if: SmallDisk.isPossible, "mounting needs root"))
    func full() async throws {
        let disk = try SmallDisk(kilobytes: 600), path = disk.path + "/store"
        let store = try await Store(FlatFileStorage(path: path), schema: Notes.schema)
        let filler = [UInt8](repeating: 3, count: 20_000), other = disk.path + "/other"
        try Files.write([UInt8](repeating: 1, count: 150_000), other)
        var number: Int64 = 0
        let refused = await fault {
            while number < 100 {
                try await store.put(Notes.Note(number + 1, "n", blob: filler))
                number += 1
            }
        }
        #expect(refused?.code == .storageFull)
        #expect(refused?.message.contains("notes.jsonl") == true)
        #expect(try await store.content().notes.count == Int(number))
        let copied = await fault {
            try await store.storage.backup(to: disk.path + "/copy") { _ in }
        }
        #expect(copied?.code == .storageFull)
        #expect(try Files.names(disk.path) == ["other", "store"])
        #expect(await fault { try await store.storage.compact { _ in } }?.code == .storageFull)
        #expect(try await store.storage.verifyFiles { _ in } == [])
        try Files.remove(other)
        try await store.put(Notes.Note(1000, "room again", blob: filler))
        let content = try await store.content()
        try await store.close()
        let again = try await Store(FlatFileStorage(path: path), schema: Notes.schema)
        #expect(try await again.content() == content)
        try await again.close()
    }

    @Test(
        "on a full disk a storage that a crash left can be opened, read, checked and copied to another disk",
        .enabled(if: SmallDisk.isPossible, "mounting needs root"), arguments: AccessTests.State.allCases)
    func fullAtOpening(_ state: AccessTests.State) async throws {
        let directory = try TemporaryDirectory()
        let disk = try SmallDisk(kilobytes: 600), path = disk.path + "/store"
        let content = try await AccessTests.make(directory.path + "/made", state)
        try Files.copy(directory.path + "/made", to: path)
        try disk.fill()
        let store = try await Store(FlatFileStorage(path: path), schema: Notes.schema, access: .writing)
        #expect(try await store.content() == content)
        #expect(try await store.storage.verifyFiles { _ in } == [])
        let refused = await fault {
            try await store.put(Notes.Note(1, blob: [UInt8](repeating: 1, count: 40_000)))
        }
        #expect(refused?.code == .storageFull)
        #expect(refused?.message.contains(path) == true)
        #expect(try await store.content() == content)
        try await store.storage.backup(to: directory.path + "/copy") { _ in }
        try await store.close()
        let copy = try await Store(FlatFileStorage(path: directory.path + "/copy"), schema: nil)
        #expect(try await copy.content() == content)
        try await copy.close()
    }

    @Test(
        "on a read-only disk a storage can be read, and each write reports why it fails",
        .enabled(if: SmallDisk.isPossible, "mounting needs root"), arguments: AccessTests.State.allCases)
    func readOnly(_ state: AccessTests.State) async throws {
        let directory = try TemporaryDirectory()
        let disk = try SmallDisk(kilobytes: 600), path = disk.path + "/store"
        let content = try await AccessTests.make(directory.path + "/made", state)
        try Files.copy(directory.path + "/made", to: path)
        let before = try Files.picture(path)
        let cover = try ReadOnlyFolder(disk.path)
        for access in StorageAccess.allCases {
            let store = try await Store(FlatFileStorage(path: path), schema: Notes.schema, access: access)
            #expect(try await store.content() == content)
            let refused = await fault { try await store.put(Notes.Note(1)) }
            #expect(refused?.code == .permissionDenied)
            #expect(refused?.message.contains(path) == true)
            try await store.close()
        }
        let error = await fault {
            try await FlatFileStorage(path: disk.path + "/new").open(Notes.schema)
        }
        #expect(error?.code == .permissionDenied)
        #expect(error?.message.contains(disk.path + "/new") == true)
        #expect(try Files.picture(path) == before)
        cover.end()
        let again = try await Store(FlatFileStorage(path: path), schema: Notes.schema)
        try await again.put(Notes.Note(1, "one"))
        try await again.close()
    }
}
