import PatchbayCore
import PatchbayTestKit
import Synchronization
import Testing

@testable import StorageFlatFile

@Suite("copying the index file during writes")
struct IndexCopyTests {
    /// A storage that copies its index file as soon as half of the pages are not in use.
    private static func storage(
        _ path: String, _ before: @escaping @Sendable (Disk.Operation, String) throws -> Void
    ) -> FlatFileStorage {
        let options = FlatFileStorage.Options(
            durability: .off, compactBytesMin: .max, changesMax: 4, unusedPagesMin: 0)
        return FlatFileStorage(path, options, Disk(before: before))
    }

    /// Commits one note after another.
    private static func fill(_ store: Store, _ numbers: ClosedRange<Int64>, _ title: String) async throws {
        for number in numbers { try await store.put(Notes.Note(number, "\(title) \(number)")) }
    }

    /// Makes a storage whose first copy of the index file waits at the gate.
    private static func held(_ path: String, _ gate: Gate) async throws -> (FlatFileStorage, Store) {
        let storage = storage(path) { operation, path in
            if operation == .write, path.hasSuffix("/2.pages") { gate.pass() }
        }
        let store = try await Store(storage, schema: Notes.schema)
        gate.close()
        try await fill(store, 1...20, "round")
        await gate.isReached()
        return (storage, store)
    }

    private static func reopened(_ path: String) async throws -> Notes.Content {
        let storage = FlatFileStorage(path: path)
        let store = try await Store(storage, schema: Notes.schema)
        let content = try await store.content()
        #expect(try await storage.verifyFiles { _ in } == [])
        try await store.close()
        return content
    }

    /// Expects the content now and after the storage was closed and opened again, without a fault in the files.
    private static func expect(
        _ content: Notes.Content, in storage: FlatFileStorage, _ store: Store, _ path: String
    ) async throws {
        #expect(try await store.content() == content)
        #expect(try await storage.verifyFiles { _ in } == [])
        try await store.close()
        #expect(try await reopened(path) == content)
    }

    @Test("commits and reads continue during a copy, and its result has all entries")
    func commitsDuring() async throws {
        try await TemporaryDirectory.with { directory in
            let gate = Gate(), (storage, store) = try await IndexCopyTests.held(directory.path, gate)
            try await IndexCopyTests.fill(store, 8...20, "later")
            try await store.write { writing in _ = try writing.delete(Notes.Note.self, 2) }
            let content = try await store.content(), before = try storage.pageCount()
            gate.open()
            await storage.workEnds()
            #expect(try storage.pageCount() < before)
            try await IndexCopyTests.expect(content, in: storage, store, directory.path)
        }
    }

    @Test(
        "a process that ends during a copy, or before the next checkpoint, loses nothing",
        arguments: [true, false])
    func killed(_ isDuring: Bool) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", copy = directory.path + "/copy"
            let gate = Gate(), (storage, store) = try await IndexCopyTests.held(path, gate)
            try await store.put(Notes.Note(77, "after the checkpoint"))
            let content = try await store.content()
            if isDuring { try Files.copy(path, to: copy) }
            gate.open()
            await storage.workEnds()
            if !isDuring { try Files.copy(path, to: copy) }
            try await store.close()
            #expect(try await IndexCopyTests.reopened(copy) == content)
            let again = FlatFileStorage(path: copy)
            try await again.open(Notes.schema)
            #expect(try Files.names(copy + "/index").filter { $0.hasSuffix(".pages") }.count == 1)
            try await again.close()
        }
    }

    @Test("an index that is emptied during a copy stays empty")
    func emptiedDuring() async throws {
        try await TemporaryDirectory.with { directory in
            let gate = Gate(), (storage, store) = try await IndexCopyTests.held(directory.path, gate)
            try await store.write { try $0.deleteAll(Notes.Note.self) }
            try await store.put(Notes.Note(5, "five"))
            let content = try await store.content()
            gate.open()
            await storage.workEnds()
            try await IndexCopyTests.expect(content, in: storage, store, directory.path)
        }
    }

    @Test("a rewrite on demand begins when a copy has ended")
    func rewriteAfter() async throws {
        try await TemporaryDirectory.with { directory in
            let gate = Gate(), (storage, store) = try await IndexCopyTests.held(directory.path, gate)
            let reports = Mutex(0)
            async let rewritten: Void = storage.compact { _ in reports.withLock { $0 += 1 } }
            for number in 11...30 as ClosedRange<Int64> { try await store.put(Notes.Note(number)) }
            #expect(reports.withLock { $0 } == 0)
            let content = try await store.content()
            gate.open()
            try await rewritten
            #expect(reports.withLock { $0 } > 0)
            try await IndexCopyTests.expect(content, in: storage, store, directory.path)
        }
    }

    @Test("closing does not wait for a copy")
    func closedDuring() async throws {
        try await TemporaryDirectory.with { directory in
            let gate = Gate(), (storage, store) = try await IndexCopyTests.held(directory.path, gate)
            let content = try await store.content()
            async let closed: Void = store.close()
            while await !storage.writer.isClosing { await Task.yield() }
            gate.open()
            try await closed
            #expect(try await IndexCopyTests.reopened(directory.path) == content)
        }
    }

    @Test("a failed copy changes nothing and leaves no file")
    func failing() async throws {
        try await TemporaryDirectory.with { directory in
            let hasFailed = Atomic<Bool>(false)
            let storage = IndexCopyTests.storage(directory.path) { operation, path in
                guard operation == .write, path.hasSuffix("/2.pages") else { return }
                hasFailed.store(true, ordering: .sequentiallyConsistent)
                throw PatchbayError(.storageFull, "the disk is full")
            }
            let store = try await Store(storage, schema: Notes.schema)
            try await IndexCopyTests.fill(store, 1...20, "round")
            await storage.workEnds()
            let isHit = hasFailed.load(ordering: .sequentiallyConsistent)
            #expect(isHit)
            #expect(try Files.names(directory.path + "/index") == ["1.pages", "checkpoint.json"])
            let content = try await store.content()
            try await store.close()
            #expect(try await IndexCopyTests.reopened(directory.path) == content)
        }
    }
}

extension FlatFileStorage {
    /// The number of pages in the index file.
    fileprivate func pageCount() throws -> Int {
        try shared.snapshot().tables[0].indexes[0].file?.pageCount ?? 0
    }
}
