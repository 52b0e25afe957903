import PatchbayCore
import PatchbayTestKit
import Synchronization
import Testing

@testable import StorageFlatFile

@Suite("failing disk")
struct FailingDiskTests {
    /// Makes the n-th operation fail, and, if `isLasting`, all later ones too.
    final class Fault: Sendable {
        private let left: Mutex<Int>
        private let isLasting: Bool
        private let error: PatchbayError

        init(_ number: Int, lasting isLasting: Bool, _ error: PatchbayError) {
            left = Mutex(number)
            self.isLasting = isLasting
            self.error = error
        }

        var hasHit: Bool { left.withLock { $0 <= 0 } }

        var disk: Disk {
            Disk { [self] _, _ in
                let isHit = left.withLock { left in
                    left -= 1
                    return isLasting ? left <= 0 : left == 0
                }
                if isHit { throw error }
            }
        }
    }

    static let full = PatchbayError(.storageFull, "the disk is full")
    static let dead = PatchbayError(.internalError, "the disk is dead")

    /// Writes until an operation fails. Returns the last committed step and the last attempted one.
    private static func work(
        _ path: String, _ disk: Disk, _ durability: Durability = .full
    ) async -> (committed: Int64, tried: Int64) {
        var committed: Int64 = 0, tried: Int64 = 0
        let options = FlatFileStorage.Options(
            durability: durability, compactAtPercent: 20, compactBytesMin: 3000, changesMax: 4)
        let storage = FlatFileStorage(path, options, disk)
        do {
            let store = try await Store(storage, schema: Notes.schema)
            while tried < 6 {
                tried += 1
                try await step(store, tried)
                await storage.workEnds()
                committed = tried
            }
            try await store.close()
        } catch {}
        // A running rewrite or merge would keep the folder open.
        await storage.workEnds()
        return (committed, tried)
    }

    /// Commits one transaction over both collections, which stores its number in note 1 and in the tag "step". Files
    /// are soon rewritten.
    private static func step(_ store: Store, _ number: Int64) async throws {
        try await store.write { writing in
            try writing.put(Notes.Note(1, "step \(number)"))
            try writing.put(Notes.Note(number + 10, blob: [UInt8](repeating: 1, count: 1500)))
            try writing.delete(Notes.Note.self, .integer(number + 9))
            try writing.put(Notes.Tag("step", number))
        }
    }

    private static func stored(_ path: String) async throws -> Int64 {
        let store = try await Store(FlatFileStorage(path: path, durability: .off), schema: Notes.schema)
        let content = try await store.content()
        try await store.close()
        let number = content.tags.first?.count ?? 0
        #expect(content.notes.first?.title == (number == 0 ? nil : "step \(number)"))
        #expect(content.notes.map(\.id) == (number == 0 ? [] : [1, number + 10]))
        #expect(content.byTitle.count == content.notes.count)
        return number
    }

    @Test(
        "a disk that dies at any operation keeps every committed transaction, and no partial one",
        arguments: [Durability.full, .normal, .off])
    func crashPoints(_ durability: Durability) async throws {
        for number in 1... {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/store"
            let fault = Fault(number, lasting: true, FailingDiskTests.dead)
            let (committed, tried) = await FailingDiskTests.work(path, fault.disk, durability)
            if !fault.hasHit { break }
            let stored = try await FailingDiskTests.stored(path)
            #expect(
                (committed...tried).contains(stored), "operation \(number): \(committed), \(stored), \(tried)"
            )
            try #require(number < 1000)
        }
    }

    @Test("a disk that is full for one operation loses nothing, and the storage stays usable")
    func fullOnce() async throws {
        for number in 1... {
            let directory = try TemporaryDirectory()
            let path = directory.path + "/store"
            let fault = Fault(number, lasting: false, FailingDiskTests.full)
            let options = FlatFileStorage.Options(
                compactAtPercent: 20, compactBytesMin: 3000, changesMax: 4)
            var last: Int64 = 0
            let storage = FlatFileStorage(path, options, fault.disk)
            // The storage is open for reading only when the fault hit the opening.
            func isForReading() -> Bool { storage.features.contains(.sharedBetweenProcesses) }
            if let store = try? await Store(storage, schema: Notes.schema), !isForReading() {
                for step in 1...5 as ClosedRange<Int64> {
                    do {
                        try await FailingDiskTests.step(store, step)
                    } catch let error as PatchbayError {
                        #expect(error.code == .storageFull)
                        #expect(try await store.content().tags.first?.count ?? 0 == last)
                        try await FailingDiskTests.step(store, step)
                    }
                    await storage.workEnds()
                    last = step
                }
                try? await store.close()
            }
            let stored = try await FailingDiskTests.stored(path)
            #expect(stored == last, "operation \(number)")
            if !fault.hasHit { break }
        }
    }
}
