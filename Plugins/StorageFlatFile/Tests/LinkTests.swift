import CPlatform
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

/// A folder from another person may contain anything under the names of a storage's files.
@Suite("links, pipes and folders in place of files")
struct LinkTests {
    enum Obstacle: CaseIterable { case linkToFile, linkToNothing, linkToFolder, hardLink, pipe, folder }

    static let names = [
        "lock", "schema.json", "schema.json.new", "notes.jsonl", "notes.jsonl.new", "index",
        "index/checkpoint.json", "index/checkpoint.json.new", "index/1.pages", "index/2.pages",
        "index/9.pages",
    ]

    /// Makes a folder outside the storage, with files of every name that a storage removes or replaces.
    private static func makeOutside(_ path: String) throws {
        try Files.makeFolder(path)
        for name in ["victim", "checkpoint.json", "checkpoint.json.new", "1.pages", "notes.jsonl"] {
            try Files.write(Array("precious \(name)".utf8), "\(path)/\(name)")
        }
    }

    private static func content(_ folder: String) throws -> [String: [UInt8]] {
        var content: [String: [UInt8]] = [:]
        for name in try Files.names(folder) { content[name] = try Files.read("\(folder)/\(name)") }
        return content
    }

    private static func put(_ obstacle: Obstacle, _ path: String, _ outside: String) throws {
        if Files.isFolder(path) { try Files.removeAll(path) } else { unsafe unlink(path) }
        let result =
            switch obstacle {
            case .linkToFile: unsafe symlink(outside + "/victim", path)
            case .linkToNothing: unsafe symlink(outside + "/new", path)
            case .linkToFolder: unsafe symlink(outside, path)
            case .hardLink: unsafe link(outside + "/victim", path)
            case .pipe: unsafe mkfifo(path, 0o600)
            case .folder: unsafe mkdir(path, 0o700)
            }
        try #require(result == 0, "\(path)")
    }

    /// Runs every operation that touches files, until one fails.
    private static func work(_ path: String, _ access: StorageAccess) async -> PatchbayError? {
        let options = FlatFileStorage.Options(busyTimeout: .zero, changesMax: 4)
        let storage = FlatFileStorage(path, options, Disk())
        let error = await fault {
            let store = try await Store(storage, schema: Notes.schema, access: access)
            for number in 1...8 as ClosedRange<Int64> { try await store.put(Notes.Note(number, "work")) }
            try await storage.compact { _ in }
            try await store.write { try $0.deleteAll(Notes.Note.self) }
        }
        // The first error is returned.
        try? await storage.close()
        return error
    }

    @Test(
        "nothing outside the folder is written or removed, and no pipe is waited for",
        .timeLimit(.minutes(5)), arguments: Obstacle.allCases, names)
    func outside(_ obstacle: Obstacle, _ name: String) async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        let outside = directory.path + "/outside"
        try LinkTests.makeOutside(outside)
        _ = try await AccessTests.make(path, .crashed)
        try LinkTests.put(obstacle, "\(path)/\(name)", outside)
        let before = try LinkTests.content(outside)
        for access in StorageAccess.allCases {
            let picture = try Files.picture(path)
            let error = await LinkTests.work(path, access)
            #expect(try LinkTests.content(outside) == before)
            let codes: [PatchbayError.Code?] = [nil, .invalidConfiguration, .corrupted, .permissionDenied]
            #expect(codes.contains(error?.code), "\(access): \(String(describing: error))")
            if access == .reading { #expect(try Files.picture(path) == picture) }
        }
    }

    @Test(
        "a link in place of a file to be written is refused and named",
        arguments: [Obstacle.linkToFile, .linkToNothing, .linkToFolder],
        ["lock", "schema.json", "notes.jsonl", "index"])
    func refused(_ obstacle: Obstacle, _ name: String) async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        try LinkTests.makeOutside(directory.path + "/outside")
        _ = try await AccessTests.make(path, .closed)
        try LinkTests.put(obstacle, "\(path)/\(name)", directory.path + "/outside")
        let error = await LinkTests.work(path, .writing)
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("\(path)/\(name)") == true, "\(String(describing: error))")
    }

    @Test("a file to be written is refused when it has a second name", arguments: ["lock", "notes.jsonl"])
    func hardLinks(_ name: String) async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        let content = try await AccessTests.make(path, .closed), other = directory.path + "/other"
        try #require(unsafe link("\(path)/\(name)", other) == 0)
        let before = try Files.read(other)
        let error = await LinkTests.work(path, .writing)
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("hard link") == true)
        #expect(try Files.read(other) == before)
        let reading = try await Store(FlatFileStorage(path: path), schema: nil, access: .reading)
        #expect(try await reading.content() == content)
        try await reading.close()
    }

    @Test("a copy follows no link at its name", arguments: Obstacle.allCases)
    func copies(_ obstacle: Obstacle) async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        let outside = directory.path + "/outside"
        try LinkTests.makeOutside(outside)
        let content = try await AccessTests.make(path, .closed), before = try LinkTests.content(outside)
        try LinkTests.put(obstacle, "\(directory.path)/copy", outside)
        let store = try await Store(FlatFileStorage(path: path), schema: Notes.schema)
        let error = await fault {
            try await store.storage.backup(to: directory.path + "/copy") { _ in }
        }
        #expect(error?.code == .conflict)
        #expect(try LinkTests.content(outside) == before)
        #expect(try await store.content() == content)
        try await store.close()
    }

    @Test(
        "a copy before a migration follows no link",
        arguments: [Obstacle.linkToFile, .linkToFolder, .linkToNothing],
        ["store.before-schema-2", "store.before-schema-2.unfinished"])
    func migration(_ obstacle: Obstacle, _ name: String) async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        let outside = directory.path + "/outside"
        try LinkTests.makeOutside(outside)
        _ = try await AccessTests.make(path, .closed)
        try LinkTests.put(obstacle, "\(directory.path)/\(name)", outside)
        let before = try LinkTests.content(outside), schema = Schema(version: 2, Notes.schema.collections)
        let error = await fault { try await FlatFileStorage(path: path).open(schema) }
        #expect(error?.code == .conflict)
        #expect(try LinkTests.content(outside) == before)
    }
}
