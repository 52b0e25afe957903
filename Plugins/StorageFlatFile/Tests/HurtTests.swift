import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

@Suite("a disk that is full or read-only, and files that cannot be read")
struct HurtTests {
    private static func error(_ body: () async throws -> Void) async -> PatchbayError? {
        do {
            try await body()
            return nil
        } catch { return error as? PatchbayError }
    }

    /// Says why a test looks at nothing on this machine.
    private static func skip(_ reason: String) { print("skipped: \(reason)") }

    @Test("a full disk refuses the write and keeps what was there; with room again, writing goes on")
    func full() async throws {
        let directory = try TemporaryDirectory()
        guard let disk = TinyDisk(directory.path + "/disk", kilobytes: 600) else {
            return HurtTests.skip("mounting needs root")
        }
        let path = disk.path + "/store"
        let store = try await Store(FlatFileStorage(path: path), schema: Notes.schema)
        let filler = [UInt8](repeating: 3, count: 20_000), other = disk.path + "/other"
        try Files.write([UInt8](repeating: 1, count: 150_000), other)
        var number: Int64 = 0
        let refused = await HurtTests.error {
            while number < 100 {
                try await store.put(Notes.Note(number + 1, "n", blob: filler))
                number += 1
            }
        }
        #expect(refused?.code == .storageFull)
        #expect(refused?.message.contains("notes.jsonl") == true)
        #expect(try await store.content().notes.count == Int(number))
        let copied = await HurtTests.error {
            try await store.storage.backup(to: disk.path + "/copy") { _ in }
        }
        #expect(copied?.code == .storageFull)
        #expect(try Files.names(disk.path) == ["other", "store"])
        #expect(await HurtTests.error { try await store.storage.compact { _ in } }?.code == .storageFull)
        #expect(try await store.storage.verifyFiles { _ in } == [])
        try Disk().remove(other)
        try await store.put(Notes.Note(1000, "room again", blob: filler))
        let content = try await store.content()
        try await store.close()
        let again = try await Store(FlatFileStorage(path: path), schema: Notes.schema)
        #expect(try await again.content() == content)
        try await again.close()
    }

    @Test("a read-only disk is told when the storage is opened, and does no harm")
    func readOnly() async throws {
        let directory = try TemporaryDirectory()
        guard let disk = TinyDisk(directory.path + "/disk", kilobytes: 600) else {
            return HurtTests.skip("mounting needs root")
        }
        let path = disk.path + "/store"
        let store = try await Store(FlatFileStorage(path: path), schema: Notes.schema)
        try await store.put(Notes.Note(1, "one"))
        try await store.close()
        try #require(disk.setReadOnly(true))
        for place in [path, disk.path + "/new"] {
            let error = await HurtTests.error { try await FlatFileStorage(path: place).open(Notes.schema) }
            #expect(error?.code == .permissionDenied)
            #expect(error?.message.contains(place) == true)
        }
        try #require(disk.setReadOnly(false))
        let again = try await Store(FlatFileStorage(path: path), schema: Notes.schema)
        #expect(try await again.content().notes == [Notes.Note(1, "one")])
        try await again.close()
    }
}
