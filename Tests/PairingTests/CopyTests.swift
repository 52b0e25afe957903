import PatchbayCore
@testable import PatchbayGateway
@testable import PatchbayTestKit
import Synchronization
import Testing

@Suite("Copies from storage to storage") struct CopyTests {
    private let folder = Result { try StorageFolder() }

    private func copy(
        _ from: String, _ to: String, named name: String = "source", limit: Budget = Budget(.max)
    ) async throws -> [CopyStorage.Copied] {
        let folder = try folder.get()
        var copy = CopyStorage(Sample.schema, from: name, try await folder.storage(from, "source")) {
            BreakingStorage(try await folder.storage(to, "target"), limit)
        }
        copy.batchRowsMax = 7
        return try await copy.run(isVerified: true)
    }

    /// How many batches of 7 rows all are.
    private static let batches = [Hostile.people, Hostile.pages, Hostile.issues].map { ($0.count + 6) / 7 }
        .reduce(0, +)

    @Test("every value arrives, digests are equal, the indexes are sound", arguments: StorageFolder.pairs)
    func everyPair(_ from: String, _ to: String) async throws {
        let folder = try folder.get()
        try await folder.fill(from, "source")
        let copied = try await copy(from, to)
        #expect(copied.map(\.rows) == [Hostile.people.count, Hostile.pages.count, Hostile.issues.count])
        let target = try await folder.store(to, "target")
        #expect(try await target.verify().faults.isEmpty)
        #expect(try await target.storage.rows(Query(Sample.pages)).count == Hostile.pages.count)
        for collection in Sample.schema.collections {
            let digest = try await target.storage.digest(of: collection)
            #expect(copied.first { $0.collection.name == collection.name }?.digest == digest)
        }
        try await target.close()
    }

    @Test("the digests of the same rows are equal in every storage")
    func digests() async throws {
        let folder = try folder.get()
        var digests: Set<[String]> = []
        for plugin in StorageFolder.all {
            let store = try await folder.store(plugin, plugin)
            try await Hostile.fill(store.storage)
            var own: [String] = []
            for collection in Sample.schema.collections {
                own.append(try await store.storage.digest(of: collection).description)
            }
            digests.insert(own)
            try await store.close()
        }
        #expect(digests.count == 1)
    }

    @Test(
        "a copy that fails after any number of commits goes on where it was", arguments: StorageFolder.durable
    )
    func interrupted(_ plugin: String) async throws {
        let folder = try folder.get()
        try await folder.fill("sqlite", "source")
        var failures = 0
        while failures < 100 {
            do {
                // One commit each run: the mark, a batch, the mark of the end, taking it away.
                let copied = try await copy("sqlite", plugin, limit: Budget(1))
                #expect(
                    copied.map(\.rows) == [Hostile.people.count, Hostile.pages.count, Hostile.issues.count])
                break
            } catch let error as PatchbayError where error.message == BreakingStorage.message {
                failures += 1
            }
        }
        #expect(failures == CopyTests.batches + 2)
        let target = try await folder.store(plugin, "target")
        #expect(try await target.verify().faults.isEmpty)
        try await target.close()
    }

    @Test("a target with rows is refused and stays as it is")
    func occupied() async throws {
        let folder = try folder.get()
        try await folder.fill("sqlite", "source")
        try await folder.fill("lmdb", "target")
        let error = await #expect(throws: PatchbayError.self) { try await copy("sqlite", "lmdb") }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("already; copy to another path") == true)
        let target = try await folder.store("lmdb", "target")
        #expect(try await target.verify().faults.isEmpty)
        #expect(try await target.storage.rows(Query(Sample.people)).count == Hostile.people.count)
        try await target.close()
    }

    @Test("an unfinished copy of another source is refused")
    func otherSource() async throws {
        try await folder.get().fill("sqlite", "source")
        await #expect(throws: PatchbayError.self) { try await copy("sqlite", "lmdb", limit: Budget(1)) }
        let error = await #expect(throws: PatchbayError.self) {
            try await copy("sqlite", "lmdb", named: "other")
        }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("unfinished copy of \"source\", not of \"other\"") == true)
    }

    @Test("a source that changed between two runs is found out", arguments: [true, false])
    func changed(_ isCounted: Bool) async throws {
        let folder = try folder.get()
        try await folder.fill("sqlite", "source")
        // All rows are there, their end is not noted yet.
        await #expect(throws: PatchbayError.self) {
            try await copy("sqlite", "flatfile", limit: Budget(1 + CopyTests.batches))
        }
        let source = try await folder.store("sqlite", "source")
        try await source.storage.put([Sample.page(isCounted ? "new" : "", visits: 999)], in: Sample.pages)
        try await source.close()
        let error = await #expect(throws: PatchbayError.self) { try await copy("sqlite", "flatfile") }
        #expect(error?.code == .conflict)
        #expect(
            error?.message.contains(isCounted ? "there and" : "differ from the copy's") == true)
    }

    @Test("a target that forgets is refused")
    func forgetful() async throws {
        try await folder.get().fill("sqlite", "source")
        let error = await #expect(throws: PatchbayError.self) { try await copy("sqlite", "memory") }
        #expect(error?.code == .unsupported)
    }

    @Test("no row of the source is written")
    func sourceUntouched() async throws {
        try await folder.get().fill("sqlite", "source")
        let folder = try folder.get(),
            source = BreakingStorage(try await folder.storage("sqlite", "source"), Budget(0))
        let copied = try await CopyStorage(Sample.schema, from: "source", source) {
            try await folder.storage("lmdb", "target")
        }.run()
        #expect(copied.count == 3)
    }
}

/// How many more commits a test allows.
private final class Budget: Sendable {
    private let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    func take() throws {
        try left.withLock { left in
            guard left > 0 else { throw PatchbayError(.internalError, BreakingStorage.message) }
            left -= 1
        }
    }
}

/// A storage that refuses to write when the budget is used up, as if it had been killed.
private final class BreakingStorage: StorageWrapper {
    static let message = "the test allows no more commits"
    let inner: any Storage
    private let budget: Budget

    init(_ inner: any Storage, _ budget: Budget) {
        self.inner = inner
        self.budget = budget
    }

    func write<Result: Sendable>(_ body: @Sendable (any StorageWriter) throws -> Result) async throws
        -> Result
    {
        try budget.take()
        return try await inner.write(body)
    }
}
