import PatchbayCore
import PatchbayTestKit
import Synchronization
import Testing

@testable import StorageFlatFile

@Suite("writes of opening and closing")
struct SyncingTests {
    /// Records the operations that change the disk, such as "sync notes.jsonl".
    private final class Record: Sendable {
        private let operations = Mutex<[String]>([])

        var disk: Disk {
            Disk { [self] operation, path in
                let name = path.split(separator: "/").last ?? ""
                // The lock contains the name of the process that has it, so it always changes.
                if operation == .open || name == "lock" { return }
                operations.withLock { $0.append("\(operation) \(name)") }
            }
        }

        /// The operations since the last call.
        func take() -> [String] {
            operations.withLock { operations in
                defer { operations = [] }
                return operations
            }
        }
    }

    private static func open(_ path: String, _ record: Record, _ durability: Durability = .full) async throws
        -> Store
    {
        let options = FlatFileStorage.Options(durability: durability)
        return try await Store(FlatFileStorage(path, options, record.disk), schema: Notes.schema)
    }

    @Test(
        "opening and closing a storage without a write changes nothing",
        arguments: [Durability.full, .off])
    func unchanged(_ durability: Durability) async throws {
        try await TemporaryDirectory.with { directory in
            let record = Record(), store = try await SyncingTests.open(directory.path, record, durability)
            for number in 1...9 as ClosedRange<Int64> { try await store.put(Notes.Note(number)) }
            let content = try await store.content()
            try await store.close()
            #expect(!record.take().isEmpty)
            for _ in 1...2 {
                let again = try await SyncingTests.open(directory.path, record, durability)
                #expect(try await again.content() == content)
                try await again.close()
                #expect(record.take() == [])
            }
            let last = try await SyncingTests.open(directory.path, record, durability)
            try await last.put(Notes.Note(10))
            try await last.close()
            #expect(record.take().contains("rename checkpoint.json"))
        }
    }

    @Test(
        "after a crash only files with later transactions, or with a tail, are synced",
        arguments: [true, false])
    func crashed(_ hasTail: Bool) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", copy = directory.path + "/copy", record = Record()
            let first = try await SyncingTests.open(path, record)
            try await first.put(Notes.Note(1))
            try await first.write { try $0.put(Notes.Tag("a", 1)) }
            try await first.close()
            let store = try await SyncingTests.open(path, record)
            try await store.put(Notes.Note(2))
            let content = try await store.content()
            try Files.copy(path, to: copy)
            try await store.close()
            if hasTail {
                let file = copy + "/tags.jsonl"
                try Files.write(try Files.read(file) + Array("{\"name\":\"half".utf8), file)
            }
            _ = record.take()
            let again = try await SyncingTests.open(copy, record)
            let synced = record.take().filter { $0.hasPrefix("sync") }
            #expect(synced == (hasTail ? ["sync notes.jsonl", "sync tags.jsonl"] : ["sync notes.jsonl"]))
            #expect(try await again.content() == content)
            try await again.close()
        }
    }

    @Test("data that was written without syncing is synced by the next opening that relies on it")
    func upgraded() async throws {
        try await TemporaryDirectory.with { directory in
            let record = Record(), store = try await SyncingTests.open(directory.path, record, .off)
            try await store.put(Notes.Note(1))
            try await store.close()
            #expect(record.take().allSatisfy { !$0.hasPrefix("sync") })
            let full = try await SyncingTests.open(directory.path, record)
            #expect(record.take().filter { $0.hasPrefix("sync") } == ["sync notes.jsonl", "sync tags.jsonl"])
            try await full.close()
            #expect(record.take().contains("rename checkpoint.json"))
            let again = try await SyncingTests.open(directory.path, record)
            try await again.close()
            #expect(record.take() == [])
        }
    }

    @Test(
        "an index file that another program truncates while it is open harms no read, and a check reports it")
    func cutWhileOpen() async throws {
        try await TemporaryDirectory.with { directory in
            let record = Record(), store = try await SyncingTests.open(directory.path, record, .off)
            let notes = (1...500).map { Notes.Note($0, "title \($0)") }
            try await store.write { writing in for note in notes { try writing.put(note) } }
            try await store.close()
            let again = try await SyncingTests.open(directory.path, record, .off)
            let names = try Files.names(directory.path + "/index").filter { $0.hasSuffix(".pages") }
            // Emptied in place, which would end the process if the file were mapped.
            for name in names { try Files.write([], "\(directory.path)/index/\(name)") }
            #expect(try await again.content().bySlug.count == 500)
            let faults = try await again.storage.verifyFiles { _ in }
            #expect(faults.count == names.count)
            #expect(faults.allSatisfy { $0.message == "is shorter than it was when it was opened" })
            try await again.put(Notes.Note(501))
            try await again.close()
            let healed = try await SyncingTests.open(directory.path, record, .off)
            #expect(try await healed.content().notes.count == 501)
            #expect(try await healed.storage.verifyFiles { _ in } == [])
            try await healed.close()
        }
    }
}
