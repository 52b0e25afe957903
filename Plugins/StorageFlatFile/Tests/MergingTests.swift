import PatchbayCore
import PatchbayTestKit
import Synchronization
import Testing

@testable import StorageFlatFile

@Suite("merging index files during writes")
struct MergingTests {
    /// Runs a body at the first operation of a merge. After a checkpoint, while no write is running, only a merge
    /// touches index files.
    private final class Ambush: Sendable {
        private let isSet = Atomic<Bool>(false)
        private let isArmed = Atomic<Bool>(false)
        private let operation: Disk.Operation
        private let body: @Sendable () throws -> Void

        init(_ operation: Disk.Operation, _ body: @escaping @Sendable () throws -> Void) {
            (self.operation, self.body) = (operation, body)
        }

        /// Waits for the next checkpoint; the body runs at the first operation on an index file after it.
        func set() { isSet.store(true, ordering: .sequentiallyConsistent) }

        func before(_ operation: Disk.Operation, _ path: String) throws {
            if operation == .rename, path.hasSuffix("checkpoint.json") {
                let wasSet = isSet.exchange(false, ordering: .sequentiallyConsistent)
                if wasSet { isArmed.store(true, ordering: .sequentiallyConsistent) }
            }
            guard operation == self.operation, path.hasSuffix(".run") else { return }
            if isArmed.exchange(false, ordering: .sequentiallyConsistent) { try body() }
        }
    }

    private static func storage(_ path: String, _ ambush: Ambush) -> FlatFileStorage {
        let options = FlatFileStorage.Options(
            durability: .off, compactBytesMin: .max, deltaCountMax: 4)
        return FlatFileStorage(path, options, Disk { try ambush.before($0, $1) })
    }

    /// Commits one note after another. Of five new ones, the fifth moves their index entries to files.
    private static func fill(_ store: Store, _ numbers: ClosedRange<Int64>, _ title: String) async throws {
        for number in numbers { try await store.put(Notes.Note(number, "\(title) \(number)")) }
    }

    /// Makes two runs of the same size in each index; a merge of the first index's runs waits at the gate.
    private static func held(_ path: String, _ gate: Gate) async throws
        -> (FlatFileStorage, Store)
    {
        let ambush = Ambush(.create) { gate.pass() }, storage = storage(path, ambush)
        let store = try await Store(storage, schema: Notes.schema)
        try await fill(store, 1...5, "round 1")
        gate.close()
        ambush.set()
        try await fill(store, 6...10, "round 2")
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

    @Test("commits and reads continue during a merge, and its result has all entries")
    func commitsDuring() async throws {
        try await TemporaryDirectory.with { directory in
            let gate = Gate(), (storage, store) = try await MergingTests.held(directory.path, gate)
            try await MergingTests.fill(store, 8...20, "later")
            try await store.write { writing in _ = try writing.delete(Notes.Note.self, 2) }
            let content = try await store.content(), before = try storage.runCount()
            gate.open()
            await storage.workEnds()
            #expect(try storage.runCount() < before)
            #expect(try await store.content() == content)
            #expect(try await storage.verifyFiles { _ in } == [])
            try await store.close()
            #expect(try await MergingTests.reopened(directory.path) == content)
        }
    }

    @Test(
        "a process that ends during a merge, or before the next checkpoint, loses nothing",
        arguments: [true, false])
    func killed(_ isDuring: Bool) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", copy = directory.path + "/copy"
            let gate = Gate(), (storage, store) = try await MergingTests.held(path, gate)
            try await store.put(Notes.Note(77, "after the checkpoint"))
            let content = try await store.content()
            if isDuring { try Files.copy(path, to: copy) }
            gate.open()
            await storage.workEnds()
            if !isDuring { try Files.copy(path, to: copy) }
            try await store.close()
            #expect(try await MergingTests.reopened(copy) == content)
            let names = try Files.names(copy + "/index").filter { $0.hasSuffix(".run") }
            let again = FlatFileStorage(path: copy)
            try await again.open(Notes.schema)
            let runs = try again.shared.snapshot().tables.flatMap(\.indexes).flatMap(\.runs)
            #expect(names.count == runs.count)
            try await again.close()
        }
    }

    @Test("a merge of runs that were emptied meanwhile is dropped")
    func emptiedDuring() async throws {
        try await TemporaryDirectory.with { directory in
            let gate = Gate(), (storage, store) = try await MergingTests.held(directory.path, gate)
            try await store.write { try $0.deleteAll(Notes.Note.self) }
            try await store.put(Notes.Note(5, "five"))
            let content = try await store.content()
            gate.open()
            await storage.workEnds()
            #expect(try await store.content() == content)
            #expect(try await storage.verifyFiles { _ in } == [])
            try await store.close()
            #expect(try await MergingTests.reopened(directory.path) == content)
        }
    }

    @Test("a rewrite on demand begins when a merge has ended")
    func rewriteAfter() async throws {
        try await TemporaryDirectory.with { directory in
            let gate = Gate(), (storage, store) = try await MergingTests.held(directory.path, gate)
            let told = Mutex(0)
            async let rewritten: Void = storage.compact { _ in told.withLock { $0 += 1 } }
            for number in 11...30 as ClosedRange<Int64> { try await store.put(Notes.Note(number)) }
            #expect(told.withLock { $0 } == 0)
            let content = try await store.content()
            gate.open()
            try await rewritten
            #expect(told.withLock { $0 } > 0)
            #expect(try await store.content() == content)
            #expect(try await storage.verifyFiles { _ in } == [])
            try await store.close()
            #expect(try await MergingTests.reopened(directory.path) == content)
        }
    }

    @Test("closing does not wait for a merge")
    func closedDuring() async throws {
        try await TemporaryDirectory.with { directory in
            let gate = Gate(), (storage, store) = try await MergingTests.held(directory.path, gate)
            let content = try await store.content()
            async let closed: Void = store.close()
            while await !storage.writer.isClosing { await Task.yield() }
            gate.open()
            try await closed
            #expect(try await MergingTests.reopened(directory.path) == content)
        }
    }

    @Test("a failed merge changes nothing and leaves no file")
    func failing() async throws {
        try await TemporaryDirectory.with { directory in
            let ambush = Ambush(.write) { throw PatchbayError(.storageFull, "the disk is full") }
            let storage = MergingTests.storage(directory.path, ambush)
            let store = try await Store(storage, schema: Notes.schema)
            try await MergingTests.fill(store, 1...5, "round 1")
            ambush.set()
            try await MergingTests.fill(store, 6...10, "round 2")
            await storage.workEnds()
            let runs = try storage.shared.snapshot().tables.flatMap(\.indexes).flatMap(\.runs)
            #expect(try storage.runCount() > 1)
            let names = try Files.names(directory.path + "/index").filter { $0.hasSuffix(".run") }
            #expect(names.count == runs.count)
            let content = try await store.content()
            try await store.close()
            #expect(try await MergingTests.reopened(directory.path) == content)
        }
    }
}

extension FlatFileStorage {
    /// The number of runs in the index that has most.
    fileprivate func runCount() throws -> Int {
        try shared.snapshot().tables.flatMap(\.indexes).map(\.runs.count).max() ?? 0
    }
}
