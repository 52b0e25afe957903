import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

@Suite("file checks")
struct VerificationTests {
    /// A storage whose index pages are in the file and in memory.
    private static func filled(_ path: String) async throws -> (FlatFileStorage, Store) {
        let options = FlatFileStorage.Options(durability: .off, changesMax: 4)
        let storage = FlatFileStorage(path, options, Disk())
        let store = try await Store(storage, schema: Notes.schema)
        for number in 1...7 as ClosedRange<Int64> {
            try await store.put(Notes.Note(number, "note \(number)"), Notes.Note(number + 100))
        }
        try await store.write { writing in
            try writing.delete(Notes.Note.self, 3)
            try writing.put(Notes.Tag("a", 1))
        }
        try await store.write { try $0.deleteAll(Notes.Tag.self) }
        try await store.put(Notes.Note(1, "again"))
        return (storage, store)
    }

    /// Returns the faults of a state that differs from the stored one.
    private static func faults(
        _ storage: FlatFileStorage, _ change: (inout [TableState]) throws -> Void
    ) throws -> [StorageFault] {
        let snapshot = try storage.shared.snapshot()
        var tables = snapshot.tables
        try change(&tables)
        return try Verification(snapshot: snapshot.with(tables)).run { _ in }
    }

    private static func entry(_ id: Int64) throws -> [UInt8] {
        var key: [UInt8] = []
        try Notes.notes.appendKey(.integer(id), in: Notes.notes.primaryKey, to: &key)
        return key
    }

    @Test("a sound storage has no faults, and the check reports its progress")
    func sound() async throws {
        try await TemporaryDirectory.with { directory in
            let (storage, store) = try await VerificationTests.filled(directory.path)
            let log = ProgressLog()
            #expect(try await storage.verifyFiles { log.append($0) } == [])
            #expect(log.tasks.contains("checking notes.jsonl"))
            #expect(log.tasks.contains("checking the index by_slug of notes"))
            try await store.close()
        }
    }

    @Test("a changed line is reported with its file, line and byte, and later lines are still checked")
    func changedLines() async throws {
        try await TemporaryDirectory.with { directory in
            let (storage, store) = try await VerificationTests.filled(directory.path)
            let file = directory.path + "/notes.jsonl"
            var bytes = try Files.read(file)
            let starts = bytes.indices.filter { $0 == 0 || bytes[$0 - 1] == 0x0A }
            for line in [2, 9] { bytes[starts[line] + 6] ^= 1 }
            // Overwritten in place, because the storage has the file open.
            try Files.overwrite(bytes, file)
            let faults = try await storage.verifyFiles { _ in }
            for line in [2, 9] {
                let place = "line \(line + 1), byte \(starts[line])"
                #expect(faults.contains { $0.file == file && $0.place == place })
            }
            #expect(!faults.contains { $0.place?.hasPrefix("line 5,") == true })
            try await store.close()
        }
    }

    @Test("at most 100 faults are reported")
    func limit() async throws {
        try await TemporaryDirectory.with { directory in
            let storage = FlatFileStorage(path: directory.path, durability: .off)
            let store = try await Store(storage, schema: Notes.schema)
            let notes = (1...300).map { Notes.Note($0) }
            try await store.write { writing in for note in notes { try writing.put(note) } }
            let file = directory.path + "/notes.jsonl"
            var bytes = try Files.read(file)
            for at in bytes.indices where at > 200 && bytes[at - 1] == 0x0A { bytes[at] = 0x20 }
            try Files.overwrite(bytes, file)
            #expect(try await storage.verifyFiles { _ in }.count == 100)
            try await store.close()
        }
    }

    @Test("a changed page of an index file is reported with its byte")
    func changedPage() async throws {
        try await TemporaryDirectory.with { directory in
            let (storage, store) = try await VerificationTests.filled(directory.path)
            // Closing moves all pages to the file.
            try await store.close()
            try await storage.open(Notes.schema)
            let index = try storage.shared.snapshot().tables[0].indexes[1]
            let path = try #require(index.file?.path), page = try #require(index.root?.reference?.number)
            let start = page * Page.byteCount
            try Files.overwrite([Files.read(path)[start + 200] ^ 4], path, at: start + 200)
            let faults = try await storage.verifyFiles { _ in }
            #expect(faults.map(\.file) == [path])
            #expect(faults.first?.place == "page \(page), byte \(start)")
            try await store.close()
        }
    }

    @Test("a row without an entry and an entry to another line are reported")
    func disagreement() async throws {
        try await TemporaryDirectory.with { directory in
            let (storage, store) = try await VerificationTests.filled(directory.path)
            let one = try VerificationTests.entry(1)
            let place = try #require(
                try unsafe one.withUnsafeBytes {
                    try unsafe storage.shared.snapshot().tables[0].indexes[0].find($0)
                })
            let lost = try VerificationTests.faults(storage) { tables in
                try unsafe one.withUnsafeBytes { try unsafe tables[0].indexes[0].remove($0) }
            }
            #expect(lost.contains { $0.message.hasPrefix("holds 12 rows") })
            let dropped = try VerificationTests.faults(storage) { tables in
                var walk = try tables[0].indexes[2].walk()
                _ = try walk.next()
                let key = unsafe Array(walk.key)
                try unsafe key.withUnsafeBytes { try unsafe tables[0].indexes[2].remove($0) }
            }
            #expect(dropped.contains { $0.message == "the index by_slug does not lead to this row" })
            let older = try VerificationTests.faults(storage) { tables in
                let old = Place(offset: tables[0].log.headerBytes, length: place.length)
                try unsafe one.withUnsafeBytes { try unsafe tables[0].indexes[0].set($0, old) }
            }
            #expect(older.contains { $0.message.contains("an older version of this row") })
            let miscounted = try VerificationTests.faults(storage) { $0[0].rowCount += 1 }
            #expect(miscounted.contains { $0.message.contains("the storage counts 14") })
            try await store.close()
        }
    }

    @Test("a check of a whole store reports an entry without a row")
    func additionalEntry() async throws {
        try await TemporaryDirectory.with { directory in
            let (storage, store) = try await VerificationTests.filled(directory.path)
            let sound = try storage.shared.snapshot()
            var tables = sound.tables, walk = try tables[0].indexes[1].walk()
            let place = try #require(try walk.next())
            try unsafe Array("zzz".utf8).withUnsafeBytes { try unsafe tables[0].indexes[1].set($0, place) }
            storage.shared.publish(sound.with(tables))
            let faults = try await store.verify().faults
            #expect(faults.contains { $0.message.hasPrefix("the index by_title has the row") })
            storage.shared.publish(sound)
            #expect(try await store.verify().faults == [])
            try await store.close()
        }
    }

    @Test("commit marks that are missing or differ between files are reported")
    func marks() async throws {
        try await TemporaryDirectory.with { directory in
            let (storage, store) = try await VerificationTests.filled(directory.path + "/a")
            let (other, otherStore) = try await VerificationTests.filled(directory.path + "/b")
            try await otherStore.write { writing in
                try writing.put(Notes.Tag("b", 1))
                try writing.put(Notes.Note(50))
            }
            let mixed = try VerificationTests.faults(storage) { tables in
                tables[1] = try other.shared.snapshot().tables[1]
            }
            #expect(mixed.contains { $0.message.contains("name different transactions") })
            let ahead = try VerificationTests.faults(storage) { $0[0].lastCommit += 1 }
            #expect(ahead.contains { $0.message.contains("the file ends at transaction") })
            try await store.close()
            try await otherStore.close()
        }
    }

    @Test("checking, copying and rewriting run during writes, and each finds a sound state")
    func besideWriter() async throws {
        try await TemporaryDirectory.with { directory in
            let (storage, store) = try await VerificationTests.filled(directory.path + "/store")
            let done = Flag()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for number in 0..<600 as Range<Int64> {
                        try await store.put(Notes.Note(number % 40, "write \(number)"))
                    }
                    done.set()
                }
                group.addTask {
                    repeat {
                        let faults = try await storage.verifyFiles { _ in }
                        #expect(faults == [])
                    } while !done.isSet
                }
                group.addTask { for _ in 0..<3 { try await storage.compact { _ in } } }
                group.addTask {
                    for number in 0..<3 {
                        try await storage.backup(to: "\(directory.path)/copy-\(number)") { _ in }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await storage.verifyFiles { _ in } == [])
            try await store.close()
            for number in 0..<3 {
                let copy = FlatFileStorage(path: "\(directory.path)/copy-\(number)", durability: .off)
                try await copy.open(Notes.schema)
                #expect(try await copy.verifyFiles { _ in } == [])
                try await copy.close()
            }
        }
    }
}
