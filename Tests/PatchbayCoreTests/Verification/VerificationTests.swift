@testable import PatchbayCore
@testable import PatchbayTestKit
import Synchronization
import Testing

@Suite("verification") struct VerificationTests {
    private let schema = Schema(version: 1, [Sample.pages, Sample.issues])

    private func store(rows: Int = 30) async throws -> (store: Store, storage: StaleStorage) {
        let storage = StaleStorage()
        let store = try await Store(storage, schema: schema)
        try await storage.write { writer in
            for number in 0..<rows {
                let etag: FieldValue = number % 3 == 0 ? nil : .text("tag \(number)")
                try writer.put(
                    Sample.page("Page \(number)", etag: etag, visits: Int64(number / 4)), in: Sample.pages)
                try writer.put(Sample.issue("R\(number % 5)", Int64(number)), in: Sample.issues)
            }
        }
        return (store, storage)
    }

    private func faults(_ store: Store) async throws -> [String] {
        try await store.verify(batchRowsMax: 4, progress: { _ in }).faults.map {
            "\($0.place ?? "-"): \($0.message)"
        }
    }

    @Test("a sound storage has no faults, and all rows are counted")
    func sound() async throws {
        let (store, _) = try await store()
        let verification = try await store.verify(batchRowsMax: 4, progress: { _ in })
        #expect(verification.faults.isEmpty, "\(verification.faults)")
        #expect(verification.collections.map(\.rows) == [30, 30])
    }

    @Test("a row that is missing from its indexes is named")
    func missing() async throws {
        let (store, storage) = try await store()
        try await storage.inner.write { _ = try $0.delete("Page 7", in: Sample.pages.indexed) }
        #expect(
            try await faults(store)
                == ["by_etag", "by_visits", "by_address_folded"].map {
                    "pages.\($0): the index \($0) has 29 entries that lead to 29 rows; there are 30 rows; "
                        + "it lacks the row \"Page 7\""
                })
    }

    @Test("an entry with the values from before a change is found, even in its old place")
    func stale() async throws {
        let (store, storage) = try await store()
        try await storage.inner.write {
            try $0.put(Sample.page("Page 7", etag: "tag 7a", visits: 1), in: Sample.pages)
        }
        let faults = try await faults(store)
        #expect(faults == ["pages \"Page 7\": the index by_etag does not find the row under its values"])
    }

    @Test(
        "misplaced entries are found, each once, and do not mislead a walk",
        .timeLimit(.minutes(5)), arguments: [-1, 2, 100])
    func wrongPlace(_ visits: Int64) async throws {
        let (store, storage) = try await store()
        for number in [7, 15, 29] {
            try await storage.inner.write {
                try $0.put(
                    Sample.page(
                        "Page \(number)", etag: number == 15 ? nil : .text("tag \(number)"), visits: visits),
                    in: Sample.pages)
            }
        }
        // With one row per batch, the first misplaced row ends the walk.
        for batchRowsMax in 2...9 {
            let faults = try await store.verify(batchRowsMax: batchRowsMax, progress: { _ in }).faults
            #expect(
                faults.map(\.place).sorted { $0! < $1! } == [
                    "pages \"Page 15\"", "pages \"Page 29\"", "pages \"Page 7\"",
                ])
            #expect(
                faults.allSatisfy {
                    $0.message == "the index by_visits does not find the row under its values"
                        || $0.message == "the index by_visits has the row in a wrong place"
                }, "\(faults)")
        }
    }

    @Test("an entry of a deleted row is found")
    func dangling() async throws {
        let (store, storage) = try await store()
        try await storage.inner.write { _ = try $0.delete("Page 7", in: Sample.pages) }
        let faults = try await faults(store)
        #expect(faults.count == 3)
        #expect(
            faults.allSatisfy { $0.hasSuffix("has 30 entries that lead to 29 rows; there are 29 rows") },
            "\(faults)")
    }

    @Test("duplicate values in a unique index are found; two nulls are not duplicates")
    func unique() async throws {
        let loose = CollectionSchema(definition: Sample.pages.definition.replacing(":unique", with: ""))!
        let storage = MemoryStorage()
        let store = try await Store(storage, schema: Schema(version: 1, [Sample.pages]))
        try await storage.write { writer in
            for (address, etag) in [("a", nil), ("b", nil), ("c", "x"), ("d", "x")] as [(String, String?)] {
                try writer.put(Sample.page(address, etag: etag.map { .text($0) } ?? nil), in: loose)
            }
        }
        let faults = try await faults(store)
        #expect(faults == ["pages \"d\": the index by_etag is unique but holds the row's values twice"])
    }

    @Test("at most the maximum number of faults is reported")
    func limit() async throws {
        let (store, storage) = try await store(rows: 300)
        try await storage.inner.write { writer in
            for number in 0..<300 as Range<Int64> {
                try writer.put(Sample.page("Page \(number)", etag: nil, visits: -number), in: Sample.pages)
            }
        }
        #expect(try await store.verify().faults.count == Verification.faultsMax)
    }

    @Test("a commit between two reads is not reported as a fault", .timeLimit(.minutes(5)))
    func disturbed() async throws {
        let (store, storage) = try await store()
        let number = Mutex<Int64>(100)
        storage.disturb {
            let next = number.withLock { number in
                number += 1
                return number
            }
            try await storage.write { writer in
                try writer.put(Sample.page("new \(next)", visits: next), in: Sample.pages)
                _ = try writer.delete(.text("Page \(next % 30)"), in: Sample.pages)
                try writer.put(Sample.issue("R1", next), in: Sample.issues)
            }
        }
        let verification = try await store.verify(batchRowsMax: 4, progress: { _ in })
        #expect(verification.faults.isEmpty, "\(verification.faults)")
        #expect(number.withLock { $0 } > 105)
    }

    @Test("damage that a storage reports while reading is a fault, and the other collections are checked")
    func corrupted() async throws {
        let (store, storage) = try await store()
        storage.disturb {}
        try await storage.inner.write { writer in
            var builder = RowBuilder()
            builder.begin(Sample.pages)
            builder.set(0, "bad")
            builder.set(2, 1 as Int64)
            var bytes = try builder.finish().copyBytes()
            // A length beyond the end of the row.
            bytes[12] = 0xFF
            try writer.put(RowView(unchecked: bytes.span.bytes), in: Sample.pages)
        }
        let verification = try await store.verify(batchRowsMax: 4, progress: { _ in })
        #expect(verification.faults.first?.message == "address points outside the row")
        #expect(verification.collections.map(\.rows) == [31, 30])
    }
}
