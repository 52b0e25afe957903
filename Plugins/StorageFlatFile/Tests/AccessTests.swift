import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

@Suite("opening a storage to read, write or create it")
struct AccessTests {
    private static func open(_ path: String, _ access: StorageAccess, _ schema: Schema? = Notes.schema)
        async throws -> Store
    {
        try await Store(FlatFileStorage(path: path), schema: schema, access: access)
    }

    /// The state of a folder when a reader opens it.
    enum State: CaseIterable { case closed, crashed, withoutIndex, damagedIndex }

    /// Makes a storage in a state and returns its content.
    static func make(_ path: String, _ state: State) async throws -> Notes.Content {
        let original = path + "-original"
        let options = FlatFileStorage.Options(durability: .off, changesMax: 30)
        let store = try await Store(FlatFileStorage(original, options, Disk()), schema: Notes.schema)
        for round in 0..<4 as Range<Int64> {
            try await store.write { writing in
                for number in 1...25 as ClosedRange<Int64> {
                    try writing.put(Notes.Note(number + round * 10, "note \(number) \(round)"))
                }
                try writing.put(Notes.Tag("round", round))
            }
        }
        let content = try await store.content()
        // Copied while it is open, as a crash leaves it.
        if state == .crashed { try Files.copy(original, to: path) }
        try await store.close()
        if state != .crashed { try Files.copy(original, to: path) }
        switch state {
        case .closed: break
        case .crashed:
            let file = path + "/notes.jsonl", bytes = try Files.read(file)
            try Files.write(bytes + Array("{\"id\":1,\"tit".utf8), file)
            try Files.write([1], path + "/notes.jsonl.new")
            try Files.write([1], path + "/index/900.pages")
        case .withoutIndex: try Files.removeAll(path + "/index")
        case .damagedIndex:
            for name in try Files.names(path + "/index") where name.hasSuffix(".pages") {
                try Files.overwrite([0xAA, 0xAA], path + "/index/" + name, at: 100)
            }
        }
        return content
    }

    @Test(
        "a reader changes no name, byte or time of the folder, whatever a crash left",
        arguments: State.allCases)
    func reading(_ state: State) async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        let content = try await AccessTests.make(path, state), before = try Files.picture(path)
        let store = try await AccessTests.open(path, .reading)
        #expect(try await store.content() == content)
        #expect(try await store.storage.verifyFiles { _ in } == [])
        _ = try await store.storage.describe()
        let refused = await fault { try await store.put(Notes.Note(1)) }
        #expect(refused?.code == .permissionDenied)
        let compacted = await fault { try await store.storage.compact { _ in } }
        #expect(compacted?.code == .permissionDenied)
        try await store.storage.backup(to: directory.path + "/copy") { _ in }
        try await store.close()
        #expect(try Files.picture(path) == before)
        let copy = try await AccessTests.open(directory.path + "/copy", .writing)
        #expect(try await copy.content() == content)
        try await copy.close()
    }

    @Test("a missing storage is not found, and nothing is created", arguments: StorageAccess.allCases)
    func missing(_ access: StorageAccess) async throws {
        let directory = try TemporaryDirectory()
        let schema = access == .creating ? nil : Notes.schema
        try Files.makeFolder(directory.path + "/empty")
        for name in ["missing", "empty", "missing/deep"] {
            let error = await fault {
                _ = try await AccessTests.open("\(directory.path)/\(name)", access, schema)
            }
            #expect(error?.code == .notFound, "\(name)")
        }
        #expect(try Files.names(directory.path) == ["empty"])
        #expect(try Files.names(directory.path + "/empty") == [])
    }

    @Test(
        "a folder that contains anything else is refused and not changed", arguments: StorageAccess.allCases)
    func foreign(_ access: StorageAccess) async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        _ = try await AccessTests.make(path, .closed)
        try Files.remove(path + "/schema.json")
        let before = try Files.picture(path)
        let error = await fault { _ = try await AccessTests.open(path, access) }
        #expect(error?.code == .invalidConfiguration)
        #expect(try Files.picture(path) == before)
    }

    @Test("a reader does not migrate")
    func migration() async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        try await AccessTests.open(path, .creating, Schema(version: 1, [Notes.notes])).close()
        let before = try Files.picture(directory.path)
        for schema in [Schema(version: 2, [Notes.notes]), Notes.schema] {
            try await AccessTests.open(path, .reading, schema).close()
        }
        let error = await fault {
            _ = try await AccessTests.open(path, .reading, Schema(version: 0, [Notes.notes]))
        }
        #expect(error?.code == .unsupported)
        #expect(try Files.picture(directory.path) == before)
    }

    @Test("a reader refuses a schema with an index that is not stored")
    func missingIndex() async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        try await AccessTests.open(path, .creating, Notes.schema.withoutIndexes).close()
        let error = await fault {
            try await FlatFileStorage(path: path).open(StorageOpening(Notes.schema, .reading))
        }
        #expect(
            error?.message == "the collection \"notes\" has to be migrated before it can be read; "
                + "migrate the storage, or open it for writing once")
    }

    @Test(
        "without write permission or space, a storage opened for writing can be read, and each write states its fault",
        arguments: State.allCases, [PatchbayError.Code.storageFull, .permissionDenied])
    func unwritable(_ state: State, _ code: PatchbayError.Code) async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        let content = try await AccessTests.make(path, state)
        let disk = Disk { operation, path in
            if operation != .open { throw PatchbayError(code, "could not write \"\(path)\"") }
        }
        let storage = FlatFileStorage(path, FlatFileStorage.Options(), disk)
        let store = try await Store(storage, schema: Notes.schema, access: .writing)
        #expect(try await store.content() == content)
        #expect(try await storage.verifyFiles { _ in } == [])
        let refused = await fault { try await store.put(Notes.Note(1)) }
        #expect(refused?.code == code)
        #expect(refused?.message.contains(path) == true)
        try await store.close()
    }

    @Test("files and folders are created for their owner alone, and existing modes are kept")
    func modes() async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        let store = try await AccessTests.open(path, .creating)
        try await store.put(Notes.Note(1))
        try await store.storage.backup(to: directory.path + "/copy") { _ in }
        try await store.close()
        for folder in [path, directory.path + "/copy"] {
            for name in ["", "/index"] { #expect(Files.mode(folder + name) == 0o700) }
            for name in ["schema.json", "notes.jsonl", "index/checkpoint.json", "index/1.pages"] {
                #expect(Files.mode("\(folder)/\(name)") == 0o600, "\(name)")
            }
        }
        #expect(Files.output(of: "chmod 755 '\(path)'; chmod 644 '\(path)/notes.jsonl'") != nil)
        let again = try await AccessTests.open(path, .writing)
        try await again.put(Notes.Note(2))
        try await again.close()
        #expect(Files.mode(path) == 0o755)
        #expect(Files.mode(path + "/notes.jsonl") == 0o644)
    }
}
