import PatchbayCore
import PatchbayTestKit
import Synchronization
import Testing

@testable import StorageFlatFile

@Suite("backup and description")
struct BackupTests {
    private static func filled(_ path: String, _ disk: Disk = Disk()) async throws -> Store {
        let options = FlatFileStorage.Options(durability: .off, changesMax: 6)
        let store = try await Store(FlatFileStorage(path, options, disk), schema: Notes.schema)
        for number in 1...9 as ClosedRange<Int64> { try await store.put(Notes.Note(number, "n\(number)")) }
        try await store.write { writing in
            try writing.delete(Notes.Note.self, 3)
            try writing.put(Notes.Tag("a", 1))
        }
        return store
    }

    @Test("a copy has the content of its moment, is sound, and opens with its indexes")
    func copy() async throws {
        try await TemporaryDirectory.with { directory in
            let store = try await BackupTests.filled(directory.path + "/store")
            let content = try await store.content(), copy = directory.path + "/copy"
            let log = ProgressLog()
            try await store.storage.backup(to: copy + "/") { log.append($0) }
            #expect(log.tasks.contains("copying notes.jsonl"))
            try await store.put(Notes.Note(99, "later"))
            let lines = Mutex(0)
            let disk = Disk { operation, path in
                if operation == .create, path.hasSuffix(".pages") { lines.withLock { $0 += 1 } }
            }
            let copied = FlatFileStorage(copy, FlatFileStorage.Options(), disk)
            let opened = try await Store(copied, schema: Notes.schema)
            #expect(lines.withLock { $0 } == 0, "an index was rebuilt")
            #expect(try await opened.content() == content)
            #expect(try await copied.verifyFiles { _ in } == [])
            try await opened.put(Notes.Note(100))
            try await opened.close()
            try await store.close()
            #expect(
                try Files.names(directory.path) == ["copy", "store"], "nothing else is left next to the copy")
        }
    }

    private static func error(_ store: Store, _ path: String) async -> PatchbayError? {
        await fault { try await store.storage.backup(to: path) { _ in } }
    }

    @Test("a copy that fails at any operation leaves nothing, and the next attempt succeeds")
    func failing() async throws {
        for number in 1... {
            let directory = try TemporaryDirectory(), left = Mutex<Int?>(nil)
            let disk = Disk { _, _ in
                let isHit = left.withLock { left in
                    guard let now = left else { return false }
                    left = now - 1
                    return now == 1
                }
                if isHit { throw PatchbayError(.storageFull, "the disk is full") }
            }
            let store = try await BackupTests.filled(directory.path + "/store", disk)
            left.withLock { $0 = number }
            let error = await BackupTests.error(store, directory.path + "/copy")
            let hasHit = left.withLock { $0! <= 0 }
            left.withLock { $0 = nil }
            if error != nil {
                #expect(error?.code == .storageFull)
                let names = try Files.names(directory.path)
                // After the rename only the sync of the new name can fail, and the copy is complete then.
                #expect(names == ["store"] || names == ["copy", "store"], "operation \(number)")
                #expect(await BackupTests.error(store, directory.path + "/second") == nil)
            }
            try await store.close()
            if !hasHit { break }
            try #require(number < 1000)
        }
    }

    @Test("a damaged line or page is reported, and no copy is made")
    func damaged() async throws {
        try await TemporaryDirectory.with { directory in
            let store = try await BackupTests.filled(directory.path + "/store")
            let file = directory.path + "/store/notes.jsonl"
            try Files.overwrite([0x20], file, at: 150)
            let error = await BackupTests.error(store, directory.path + "/copy")
            #expect(error?.code == .corrupted)
            #expect(error?.file == file)
            #expect(try Files.names(directory.path) == ["store"])
            try await store.close()
        }
    }

    @Test("a copy removes nothing that it did not make, whatever its name")
    func otherFolders() async throws {
        try await TemporaryDirectory.with { directory in
            let store = try await BackupTests.filled(directory.path + "/store")
            let others = ["copy.new", "copy.unfinished"].map { directory.path + "/" + $0 }
            for other in others { try Files.copy(directory.path + "/store", to: other) }
            #expect(await BackupTests.error(store, directory.path + "/copy") == nil)
            #expect(try Files.names(directory.path) == ["copy", "copy.new", "copy.unfinished", "store"])
            for other in others {
                #expect(
                    try Files.read(other + "/notes.jsonl")
                        == Files.read(directory.path + "/store/notes.jsonl"))
            }
            try await store.close()
        }
    }

    @Test("of several copies to one path at once, one is complete and the others are refused")
    func atOnce() async throws {
        try await TemporaryDirectory.with { directory in
            let store = try await BackupTests.filled(directory.path + "/store")
            let content = try await store.content(), copy = directory.path + "/copy"
            let errors = await withTaskGroup(of: PatchbayError?.self) { group in
                for _ in 0..<8 { group.addTask { await BackupTests.error(store, copy) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(errors.filter { $0 == nil }.count == 1)
            #expect(errors.allSatisfy { $0 == nil || $0?.code == .conflict }, "\(errors)")
            #expect(try Files.names(directory.path) == ["copy", "store"])
            let copied = try await Store(FlatFileStorage(path: copy), schema: Notes.schema)
            #expect(try await copied.content() == content)
            try await copied.close()
            try await store.close()
        }
    }

    @Test("a storage describes its files and settings")
    func describe() async throws {
        try await TemporaryDirectory.with { directory in
            let store = try await BackupTests.filled(directory.path)
            let description = try await store.storage.describe()
            #expect(description.engine == "flat files, format 1")
            let names = description.files.map { $0.path.dropFirst(directory.path.utf8.count + 1) }
            #expect(names.contains("notes.jsonl") && names.contains("index/checkpoint.json"))
            #expect(description.files.allSatisfy { $0.bytes > 0 })
            let settings = description.settings.map { "\($0.name)=\($0.value)" }
            for expected in ["durability=off", "compact-at-percent=60", "sequence=10", "notes.live_lines=8"] {
                #expect(settings.contains(expected), "\(settings)")
            }
            try await store.close()
            await #expect(throws: PatchbayError.self) { try await store.storage.describe() }
        }
    }
}
