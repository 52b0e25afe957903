import PatchbayCore
import PatchbayTestKit
import Synchronization
import Testing

@testable import StorageFlatFile

@Suite("readers during writes")
struct ReaderTests {
    private static func writer(_ path: String) async throws -> (FlatFileStorage, Store) {
        let options = FlatFileStorage.Options(
            durability: .off, compactAtPercent: 20, compactBytesMin: 3000, changesMax: 4)
        let storage = FlatFileStorage(path, options, Disk())
        return (storage, try await Store(storage, schema: Notes.schema))
    }

    private static func reader(_ path: String) async throws -> (FlatFileStorage, Store) {
        let storage = FlatFileStorage(path: path)
        return (storage, try await Store(storage, schema: nil, access: .reading))
    }

    /// Commits one transaction over both collections, which stores its number in note 1 and in the tag "step".
    private static func step(_ store: Store, _ number: Int64) async throws {
        try await store.write { writing in
            try writing.put(Notes.Note(1, "step \(number)"))
            try writing.put(Notes.Note(number % 50 + 10, "other \(number)"))
            try writing.delete(Notes.Note.self, .integer((number + 7) % 50 + 10))
            try writing.put(Notes.Tag("step", number))
        }
    }

    @Test("an open reader sees each commit and its revision")
    func live() async throws {
        try await TemporaryDirectory.with { directory in
            let (_, store) = try await ReaderTests.writer(directory.path)
            let (reading, readStore) = try await ReaderTests.reader(directory.path)
            #expect(reading.features.contains(.sharedBetweenProcesses))
            for number in 1...60 as ClosedRange<Int64> {
                let before = try await reading.revision()
                try await ReaderTests.step(store, number)
                #expect(try await reading.revision() > before)
                #expect(try await readStore.content() == store.content())
            }
            try await store.write { try $0.deleteAll(Notes.Note.self) }
            #expect(try await readStore.content().notes == [])
            try await store.close()
            #expect(try await reading.verifyFiles { _ in } == [])
            let (_, next) = try await ReaderTests.writer(directory.path)
            try await ReaderTests.step(next, 99)
            #expect(try await readStore.content() == next.content())
            try await next.close()
            try await readStore.close()
        }
    }

    @Test("a read keeps its snapshot while the file is rewritten and index files are removed")
    func moment() async throws {
        try await TemporaryDirectory.with { directory in
            let (storage, store) = try await ReaderTests.writer(directory.path)
            for number in 1...40 as ClosedRange<Int64> { try await ReaderTests.step(store, number) }
            let (reading, readStore) = try await ReaderTests.reader(directory.path)
            let expected = try await store.content(), snapshot = try await reading.snapshot()
            let transaction = ReadTransaction(snapshot, reading.shared.pool)
            for number in 41...80 as ClosedRange<Int64> { try await ReaderTests.step(store, number) }
            try await storage.compact { _ in }
            var ids: [Int64] = []
            try transaction.scan(Query(Notes.notes)) {
                ids.append($0.integer(0))
                return .next
            }
            #expect(ids == expected.notes.map(\.id))
            #expect(try await readStore.content() == store.content())
            try await readStore.close()
            try await store.close()
        }
    }

    @Test("a reader never sees rolled back or unfinished writes")
    func unfinished() async throws {
        struct Refusal: Error {}
        try await TemporaryDirectory.with { directory in
            let (_, store) = try await ReaderTests.writer(directory.path)
            try await ReaderTests.step(store, 1)
            let (_, readStore) = try await ReaderTests.reader(directory.path)
            let before = try await readStore.content()
            let file = directory.path + "/notes.jsonl"
            // More than fits in memory, so that the file grows before the end of the transaction.
            await #expect(throws: Refusal.self) {
                try await store.write { writing in
                    for number in 100..<140 as Range<Int64> {
                        try writing.put(Notes.Note(number, blob: [UInt8](repeating: 1, count: 20_000)))
                    }
                    #expect(try Files.read(file).count > 300_000)
                    throw Refusal()
                }
            }
            let bytes = try Files.read(file)
            #expect(try await readStore.content() == before)
            try Files.write(bytes + Array("{\"id\":3,\"slug\":\"half".utf8), file)
            #expect(try await readStore.content() == before)
            try Files.write(bytes, file)
            try await ReaderTests.step(store, 2)
            #expect(try await readStore.content() == store.content())
            try await readStore.close()
            try await store.close()
        }
    }

    @Test(
        "readers that open and read while a writer commits, rewrites and merges see only whole transactions")
    func busyWriter() async throws {
        try await TemporaryDirectory.with { directory in
            let (storage, store) = try await ReaderTests.writer(directory.path)
            try await ReaderTests.step(store, 1)
            let done = Flag()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { done.set() }
                    for number in 2...1500 as ClosedRange<Int64> { try await ReaderTests.step(store, number) }
                }
                group.addTask { while !done.isSet { try await storage.compact { _ in } } }
                for isLong in [true, false] {
                    group.addTask {
                        try await ReaderTests.follow(directory.path, until: done, staying: isLong)
                    }
                }
                try await group.waitForAll()
            }
            await storage.workEnds()
            try await store.close()
        }
    }

    /// Reads repeatedly, opening once or each time.
    private static func follow(_ path: String, until done: Flag, staying isLong: Bool) async throws {
        var (reading, store) = try await reader(path), last: Int64 = 0
        repeat {
            let content = try await store.content(), number = try #require(content.tags.first?.count)
            #expect(content.notes.first?.title == "step \(number)")
            #expect(
                content.byTitle.count == content.notes.count
                    && content.bySlug
                        == content.notes.sorted {
                            $0.slug < $1.slug
                        }
            )
            #expect(number >= last)
            last = number
            if isLong { continue }
            try await store.close()
            (reading, store) = try await reader(path)
        } while !done.isSet
        #expect(try await reading.verifyFiles { _ in } == [])
        try await store.close()
    }

    @Test("real damage is also reported while a writer is open")
    func damage() async throws {
        try await TemporaryDirectory.with { directory in
            // Only missing transactions that were synced count as damage.
            let store = try await Store(FlatFileStorage(path: directory.path), schema: Notes.schema)
            for number in 1...9 as ClosedRange<Int64> { try await ReaderTests.step(store, number) }
            let file = directory.path + "/notes.jsonl", bytes = try Files.read(file)
            try Files.overwrite([bytes[200] ^ 1], file, at: 200)
            try Files.removeAll(directory.path + "/index")
            let error = await fault { _ = try await ReaderTests.reader(directory.path) }
            #expect(error?.code == .corrupted)
            #expect(error?.file == file)
            // Closing may fail, because the index folder was removed.
            try? await store.close()
        }
    }

    @Test("after a storage is removed, the next read reports that it is not found")
    func removed() async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        _ = try await AccessTests.make(path, .closed)
        let (_, store) = try await ReaderTests.reader(path)
        try Files.removeAll(path)
        #expect(await fault { _ = try await store.content() }?.code == .notFound)
        try await store.close()
    }

    @Test("an index file that a read found damaged is not used again")
    func damagedIndex() async throws {
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        let content = try await AccessTests.make(path, .damagedIndex), before = try Files.picture(path)
        let options = FlatFileStorage.Options(wholeCheckBytesMax: 0)
        let storage = FlatFileStorage(path, options, Disk())
        let store = try await Store(storage, schema: Notes.schema, access: .reading)
        #expect(await fault { _ = try await store.content() }?.code == .corrupted)
        #expect(try await store.content() == content)
        try await store.close()
        #expect(try Files.picture(path) == before)
    }
}
