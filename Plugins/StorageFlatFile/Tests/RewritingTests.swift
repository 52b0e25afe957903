import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

@Suite("rewriting during writes")
struct RewritingTests {
    /// Makes a storage with waste, whose next rewrite on demand stops at the gate.
    private static func held(_ path: String, at gate: Gate, _ operation: Disk.Operation, _ end: String)
        async throws -> (FlatFileStorage, Store)
    {
        let disk = Disk { if $0 == operation, $1.hasSuffix(end) { gate.pass() } }
        let options = FlatFileStorage.Options(
            durability: .off, compactBytesMin: .max, changesMax: 4)
        let storage = FlatFileStorage(path, options, disk)
        let store = try await Store(storage, schema: Notes.schema)
        try await makeWaste(store)
        gate.close()
        return (storage, store)
    }

    private static func makeWaste(_ store: Store) async throws {
        for round in 0..<8 {
            let notes = (1...10).map {
                Notes.Note($0, "round \(round)", blob: [UInt8](repeating: 1, count: 90))
            }
            try await store.write { writing in for note in notes { try writing.put(note) } }
        }
    }

    @Test("commits continue while rows are copied, and their changes are in the new file")
    func commitsDuring() async throws {
        try await TemporaryDirectory.with { directory in
            let gate = Gate()
            let (storage, store) = try await RewritingTests.held(
                directory.path, at: gate, .create, "notes.jsonl.new")
            async let rewritten: Void = storage.compact { _ in }
            await gate.isReached()
            let before = try await storage.generation()
            try await store.put(Notes.Note(3, "changed"), Notes.Note(77, "new"))
            try await store.write { writing in
                try writing.delete(Notes.Note.self, 4)
                try writing.put(Notes.Tag("a", 1))
            }
            try await store.write { try $0.deleteAll(Notes.Tag.self) }
            let content = try await store.content()
            gate.open()
            try await rewritten
            #expect(try await storage.generation() != before)
            #expect(try await store.content() == content)
            #expect(try await storage.verifyFiles { _ in } == [])
            try await store.put(Notes.Note(78, "after"))
            try await store.close()
            try Files.removeAll(directory.path + "/index")
            let again = try await Store(FlatFileStorage(path: directory.path), schema: Notes.schema)
            #expect(try await again.content().notes.count == content.notes.count + 1)
            #expect(try await again.storage.verifyFiles { _ in } == [])
            try await again.close()
        }
    }

    @Test("compacting also frees the index pages of the files that it replaced")
    func indexPages() async throws {
        try await TemporaryDirectory.with { directory in
            let options = FlatFileStorage.Options(durability: .off, compactBytesMin: .max)
            let storage = FlatFileStorage(directory.path, options, Disk())
            let store = try await Store(storage, schema: Notes.schema)
            try await store.write { writing in
                for id in 1...5_000 { try writing.put(Notes.Note(Int64(id), "note \(id)")) }
            }
            var sizes: [Int] = []
            for round in 0..<4 {
                for id in 1...20 { try await store.put(Notes.Note(Int64(id), "round \(round)")) }
                try await storage.compact { _ in }
                let index = directory.path + "/index"
                sizes.append(try Files.names(index).reduce(0) { try $0 + Files.read("\(index)/\($1)").count })
            }
            #expect(sizes.last! < sizes[0] * 5 / 4, "\(sizes)")
            #expect(try await storage.verifyFiles { _ in } == [])
            try await store.close()
        }
    }

    @Test("a collection that is emptied while its rows are copied is also emptied in the new file")
    func clearedDuring() async throws {
        try await TemporaryDirectory.with { directory in
            let gate = Gate()
            let (storage, store) = try await RewritingTests.held(
                directory.path, at: gate, .create, "notes.jsonl.new")
            async let rewritten: Void = storage.compact { _ in }
            await gate.isReached()
            try await store.write { try $0.deleteAll(Notes.Note.self) }
            try await store.put(Notes.Note(5, "five"))
            gate.open()
            try await rewritten
            #expect(try await store.content().notes == [Notes.Note(5, "five")])
            #expect(try await storage.verifyFiles { _ in } == [])
            try await store.close()
        }
    }

    @Test("closing does not wait for the copy, and leaves no trace of it")
    func closedDuring() async throws {
        try await TemporaryDirectory.with { directory in
            let gate = Gate()
            let (storage, store) = try await RewritingTests.held(
                directory.path, at: gate, .create, "notes.jsonl.new")
            async let rewritten: Void = storage.compact { _ in }
            await gate.isReached()
            let content = try await store.content(), before = try await storage.generation()
            async let closed: Void = store.close()
            // The flag is set on the writer's thread, so ask there until it is.
            while try await storage.isOpenForRewriting() {
                try Task.checkCancellation()
                await Task.yield()
            }
            gate.open()
            try await closed
            do {
                try await rewritten
                Issue.record("the rewrite continued")
            } catch { #expect((error as? PatchbayError)?.code == .busy) }
            #expect(try Files.names(directory.path).allSatisfy { !$0.hasSuffix(".new") })
            let again = FlatFileStorage(path: directory.path)
            let reopened = try await Store(again, schema: Notes.schema)
            #expect(try await reopened.content() == content)
            #expect(try await again.generation() == before)
            try await reopened.close()
        }
    }

    @Test("the unfinished files of a process that ends during a rewrite are removed on opening")
    func killedDuring() async throws {
        try await TemporaryDirectory.with { directory in
            let gate = Gate(), path = directory.path + "/store", copy = directory.path + "/copy"
            let (storage, store) = try await RewritingTests.held(path, at: gate, .rename, "notes.jsonl")
            async let rewritten: Void = storage.compact { _ in }
            await gate.isReached()
            try Files.copy(path, to: copy)
            let content = try await store.content()
            gate.open()
            try await rewritten
            #expect(try Files.names(copy).contains("notes.jsonl.new"))
            let again = FlatFileStorage(path: copy)
            let reopened = try await Store(again, schema: Notes.schema)
            #expect(try await reopened.content() == content)
            #expect(try Files.names(copy) == ["index", "lock", "notes.jsonl", "schema.json", "tags.jsonl"])
            #expect(try Files.names(copy + "/index").filter { $0.hasSuffix(".pages") }.count == 1)
            #expect(try await again.verifyFiles { _ in } == [])
            try await reopened.close()
            try await store.close()
        }
    }

    @Test("a storage that was closed and opened again can be rewritten")
    func reopened() async throws {
        try await TemporaryDirectory.with { directory in
            let storage = FlatFileStorage(path: directory.path, durability: .off)
            let store = try await Store(storage, schema: Notes.schema)
            try await RewritingTests.makeWaste(store)
            let content = try await store.content()
            try await store.close()
            let again = try await Store(storage, schema: Notes.schema)
            let generation = try await storage.generation()
            try await storage.compact { _ in }
            #expect(try await storage.generation() != generation)
            #expect(try await again.content() == content)
            try await again.close()
        }
    }

    @Test("compacting rewrites every file with waste, and a second time none")
    func onDemand() async throws {
        try await TemporaryDirectory.with { directory in
            let storage = FlatFileStorage(path: directory.path, durability: .off)
            let store = try await Store(storage, schema: Notes.schema)
            try await RewritingTests.makeWaste(store)
            let content = try await store.content(), log = ProgressLog()
            let waste = try storage.shared.snapshot().tables[0].waste
            try await storage.compact { log.append($0) }
            #expect(try storage.shared.snapshot().tables[0].waste < waste / 10)
            #expect(try await store.content() == content)
            #expect(log.all.last == WorkProgress("rewriting notes", done: 10, of: 10))
            let generation = try await storage.generation()
            try await storage.compact { _ in }
            #expect(try await storage.generation() == generation)
            #expect(try await storage.verifyFiles { _ in } == [])
            try await store.close()
        }
    }
}

extension FlatFileStorage {
    fileprivate func generation() async throws -> UInt64 { try shared.snapshot().tables[0].log.generation }

    /// Whether closing has not begun.
    fileprivate func isOpenForRewriting() async throws -> Bool { await !writer.isClosing }
}
