import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

@Suite("folder")
struct FolderTests {
    private static func code(_ path: String) async -> PatchbayError? {
        await fault {
            let storage = FlatFileStorage(path: path, busyTimeoutMilliseconds: 0)
            try await storage.open(Notes.schema)
            try await storage.close()
        }
    }

    @Test("a second opening reports the process that has the folder open")
    func busy() async throws {
        try await TemporaryDirectory.with { directory in
            let storage = FlatFileStorage(path: directory.path)
            try await storage.open(Notes.schema)
            let error = await FolderTests.code(directory.path)
            #expect(error?.code == .busy)
            #expect(error?.note("pid") == String(Disk.processIdentifier))
            try await storage.close()
            #expect(await FolderTests.code(directory.path) == nil)
        }
    }

    @Test("a folder that is not a storage is refused and not changed")
    func foreign() async throws {
        try await TemporaryDirectory.with { directory in
            let missing = await FolderTests.code(directory.path + "/a/b")
            #expect(missing?.code == .invalidConfiguration)
            #expect(missing?.message.contains("\(directory.path)/a\" does not exist") == true)
            try Files.write([1], directory.path + "/file")
            #expect(await FolderTests.code(directory.path + "/file")?.code == .invalidConfiguration)
            #expect(await FolderTests.code(directory.path)?.code == .invalidConfiguration)
            try Files.write([], directory.path + "/notes.jsonl")
            #expect(try Files.names(directory.path) == ["file", "notes.jsonl"])
        }
    }

    @Test(
        "a path that cannot be a folder is an invalid setting, and nothing is created",
        arguments: StorageAccess.allCases)
    func impossible(_ access: StorageAccess) async throws {
        let directory = try TemporaryDirectory()
        #expect(Files.output(of: "ln -s nowhere '\(directory.path)/link'") != nil)
        try Files.write([1], directory.path + "/file")
        for name in ["link", "file", "file/store", String(repeating: "n", count: 300)] {
            let error = await fault {
                let storage = FlatFileStorage(path: "\(directory.path)/\(name)")
                try await storage.open(StorageOpening(Notes.schema, access))
            }
            #expect(error?.code == .invalidConfiguration, "\(name)")
        }
        let names = try Files.names(directory.path)
        #expect(names == ["file", "link"])
    }

    @Test("an unfinished storage is completed by the next opening that may create it")
    func unfinished() async throws {
        for number in 1... {
            let directory = try TemporaryDirectory(), path = directory.path + "/store"
            let failing = FailingDiskTests.Fault(number, lasting: true, FailingDiskTests.dead)
            let storage = FlatFileStorage(path, FlatFileStorage.Options(), failing.disk)
            let isMade = (try? await storage.open(Notes.schema)) != nil
            // A storage that could not be opened has nothing to close.
            try? await storage.close()
            // A schema without collections is written first, and does not count as a storage yet.
            let isThere =
                try Files.status(path + "/schema.json") != nil
                && !SchemaFile.read(in: Folder(path, Disk())).collections.isEmpty
            let reading = await fault {
                let storage = FlatFileStorage(path: path)
                try await storage.open(StorageOpening(nil, .reading))
                try await storage.close()
            }
            #expect(reading?.code == (isThere ? nil : .notFound), "operation \(number)")
            #expect(await FolderTests.code(path) == nil, "operation \(number)")
            if isMade, !failing.hasHit { break }
            try #require(number < 200)
        }
    }

    @Test("a rewritten file contains only current rows, and a reader of the old one continues")
    func compaction() async throws {
        try await TemporaryDirectory.with { directory in
            let storage = FlatFileStorage(path: directory.path, durability: .normal, compactAtPercent: 30)
            let store = try await Store(storage, schema: Notes.schema)
            let filler = [UInt8](repeating: 7, count: 20_000)
            for number in 1...100 as ClosedRange<Int64> {
                try await store.put(Notes.Note(number, blob: filler))
            }
            let file = directory.path + "/notes.jsonl"
            let bytesBefore = try Files.read(file).count
            let reader = ReadTransaction(try storage.shared.snapshot(), storage.shared.pool)
            try await store.write { writing in
                for number in 1...90 as ClosedRange<Int64> {
                    try writing.delete(Notes.Note.self, .integer(number))
                }
            }
            var snapshot: [Int64] = []
            try reader.scan(Query(Notes.notes)) {
                snapshot.append($0.integer(0))
                return .next
            }
            #expect(snapshot == Array(1...100))
            try await store.put(Notes.Note(500, "new"))
            await storage.workEnds()
            #expect(try Files.read(file).count < bytesBefore / 5)
            #expect(try await store.content().notes.map(\.id) == Array(91...100) + [500])
            #expect(try await storage.verifyFiles { _ in }.isEmpty)
            try await store.close()
            try Files.removeAll(directory.path + "/index")
            let again = try await Store(FlatFileStorage(path: directory.path), schema: Notes.schema)
            #expect(try await again.content().bySlug.count == 11)
            try await again.close()
        }
    }
}
