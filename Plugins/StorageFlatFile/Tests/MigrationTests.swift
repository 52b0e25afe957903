import PatchbayCore
import PatchbayTestKit
import Synchronization
import Testing

@testable import StorageFlatFile

@Suite("schema changes")
struct MigrationTests {
    /// The notes before they had a weight, a blob and indexes.
    private static let oldNotes = CollectionSchema(
        "notes", key: 0, fields: Array(Notes.notes.fields.prefix(3)))
    private static let oldSchema = Schema(version: 1, [oldNotes])
    private static let newSchema = Schema(version: 2, [Notes.notes, Notes.tags])

    /// Writes notes with the old declaration.
    private static func fill(_ path: String) async throws {
        let storage = FlatFileStorage(path: path, durability: .off)
        try await storage.open(oldSchema)
        let rows = (1...50).map { [.integer($0), .text("title \($0)"), .text("slug-\($0)")] as Values }
        try await storage.put(rows, in: oldNotes)
        try await storage.close()
    }

    /// Every file of a folder with its bytes, except the lock and other names.
    private static func files(_ path: String, without others: String...) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try Files.names(path) where name != "lock" && !others.contains(name) {
            if Files.isFolder("\(path)/\(name)") {
                for (inner, bytes) in try self.files("\(path)/\(name)") { files["\(name)/\(inner)"] = bytes }
            } else {
                files[name] = try Files.read("\(path)/\(name)")
            }
        }
        return files
    }

    private static func open(_ path: String, _ schema: Schema) async throws {
        let storage = FlatFileStorage(path: path, durability: .off)
        try await storage.open(schema)
        #expect(try await storage.verifyFiles { _ in } == [])
        try await storage.close()
    }

    @Test("before an older version is migrated, an exact copy of its data is kept next to it")
    func backup() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", kept = path + ".before-schema-2"
            try await MigrationTests.fill(path)
            let before = try MigrationTests.files(path, without: "index")
            try await MigrationTests.open(path, MigrationTests.newSchema)
            #expect(try MigrationTests.files(kept, without: "index") == before)
            try await MigrationTests.open(kept, MigrationTests.oldSchema)
            let keptFiles = try MigrationTests.files(kept)
            try await MigrationTests.open(path, MigrationTests.newSchema)
            #expect(try MigrationTests.files(kept) == keptFiles, "the copy now belongs to the user")
            #expect(try Files.names(directory.path) == ["store", "store.before-schema-2"])
        }
    }

    @Test("a migration that stops at any operation is finished by the next opening, with one copy")
    func killed() async throws {
        for number in 1... {
            let directory = try TemporaryDirectory(), path = directory.path + "/store"
            try await MigrationTests.fill(path)
            let before = try MigrationTests.files(path, without: "index"), left = Mutex(number)
            let disk = Disk { _, _ in
                let isHit = left.withLock { left in
                    left -= 1
                    return left <= 0
                }
                if isHit { throw PatchbayError(.internalError, "the disk is dead") }
            }
            let storage = FlatFileStorage(path, FlatFileStorage.Options(durability: .off), disk)
            let isOpen = (try? await storage.open(MigrationTests.newSchema)) != nil
            let isClosed = (try? await storage.close()) != nil
            let isDone = isOpen && isClosed && left.withLock { $0 > 0 }
            try await MigrationTests.open(path, MigrationTests.newSchema)
            let kept = try MigrationTests.files(path + ".before-schema-2", without: "index")
            #expect(kept == before, "operation \(number)")
            #expect(try Files.names(directory.path) == ["store", "store.before-schema-2"])
            let store = try await Store(
                FlatFileStorage(path: path, durability: .off), schema: MigrationTests.newSchema)
            #expect(try await store.content().bySlug.count == 50)
            try await store.close()
            if isDone { break }
            try #require(number < 1000)
        }
    }

    @Test("an obstacle at the path of the copy is reported, and nothing is migrated")
    func inTheWay() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", kept = path + ".before-schema-2"
            try await MigrationTests.fill(path)
            let before = try MigrationTests.files(path)
            try Files.makeFolder(kept)
            try Files.write([1], kept + "/letter.txt")
            let error = await fault { try await MigrationTests.open(path, MigrationTests.newSchema) }
            #expect(error?.code == .conflict)
            #expect(try MigrationTests.files(path) == before)
            #expect(try Files.read(kept + "/letter.txt") == [1])
        }
    }

    @Test("a newer version is refused and no file changes")
    func newer() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await MigrationTests.fill(path)
            try await MigrationTests.open(path, MigrationTests.newSchema)
            let before = try MigrationTests.files(directory.path)
            let error = await fault { try await MigrationTests.open(path, MigrationTests.oldSchema) }
            #expect(error?.code == .unsupported)
            #expect(try MigrationTests.files(directory.path) == before)
        }
    }

    @Test("indexes are added and removed at the same version without a copy, and report progress")
    func indexesLast() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            let bare = CollectionSchema("notes", key: 0, fields: Notes.notes.fields)
            for schema in [
                Schema(version: 1, [bare]), Notes.schema, Schema(version: 1, [bare]), Notes.schema,
            ] {
                let storage = FlatFileStorage(path: path, durability: .off), log = ProgressLog()
                try await storage.open(schema) { log.append($0) }
                let count = try await storage.revision()
                let rows = (count * 100..<count * 100 + 100).map { id in
                    [.integer(Int64(id)), "n", .text("slug-\(id)"), nil, nil] as Values
                }
                try await storage.put(rows, in: schema.collections[0])
                let read = log.all.last { $0.task == "reading notes.jsonl" }
                #expect((read != nil) == (schema.collections[0].indexes.count == 2))
                #expect(read?.done == read?.total)
                #expect(try await storage.verifyFiles { _ in } == [])
                try await storage.close()
            }
            #expect(try Files.names(directory.path) == ["store"])
        }
    }
}
