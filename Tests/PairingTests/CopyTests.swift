import Patchbay
import PatchbayCore
import PatchbayDomain
@testable import PatchbayGateway
import PatchbayPlugins
@testable import PatchbayTestKit
import Synchronization
import TestSupport
import Testing

@Suite("Copies from storage to storage") struct CopyTests {
    private let folder = Result { try StorageFolder() }

    private func copy(
        _ from: String, _ to: String, named name: String = "source", limit: Budget = Budget(.max),
        isVerified: Bool = true
    ) async throws -> CopyStorage.Outcome {
        let folder = try folder.get()
        var copy = CopyStorage(from: name, try await folder.storage(from, "source")) {
            BreakingStorage(try await folder.storage(to, "target"), limit)
        }
        copy.batchRowsMax = 7
        return try await copy.run(isVerified: isVerified)
    }

    /// Changes the source or the target, as another program would.
    private func change(
        _ plugin: String, _ name: String, _ body: (any Storage) async throws -> Void
    ) async throws {
        let store = try await folder.get().store(plugin, name)
        try await body(store.storage)
        try await store.close()
    }

    /// Checks that source and target have the same rows.
    private func expectEqual(_ from: String, _ to: String) async throws {
        let folder = try folder.get()
        let source = try await folder.store(from, "source"), target = try await folder.store(to, "target")
        #expect(try await target.verify().faults.isEmpty)
        for collection in Sample.schema.collections {
            let digest = try await source.storage.digest(of: collection)
            #expect(try await target.storage.digest(of: collection) == digest, "\(collection.name)")
        }
        try await source.close()
        try await target.close()
    }

    private static let rows = [
        "people": Hostile.people.count, "pages": Hostile.pages.count, "issues": Hostile.issues.count,
    ]

    /// The number of batches of 7 rows.
    private static let batches = rows.values.map { ($0 + 6) / 7 }.reduce(0, +)

    @Test(
        "every value is copied, digests are equal, and the indexes are sound", arguments: StorageFolder.pairs)
    func everyPair(_ from: String, _ to: String) async throws {
        try await folder.get().fill(from, "source")
        let outcome = try await copy(from, to)
        #expect(!outcome.wasFinished)
        #expect(outcome.rows == Self.rows)
        try await expectEqual(from, to)
        let target = try await folder.get().store(to, "target")
        for copied in outcome.collections {
            let digest = try await target.storage.digest(of: copied.collection)
            #expect(copied.digest == digest)
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
        "a copy that fails after any number of commits resumes where it stopped",
        arguments: StorageFolder.durable
    )
    func interrupted(_ plugin: String) async throws {
        let folder = try folder.get()
        try await folder.fill("sqlite", "source")
        var failures = 0
        while failures < 100 {
            do {
                // Each run makes one commit: the mark, a batch, the mark after the rows, the final mark.
                let outcome = try await copy("sqlite", plugin, limit: Budget(1))
                #expect(outcome.rows == Self.rows)
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

    @Test("a target with rows is refused and stays unchanged")
    func occupied() async throws {
        let folder = try folder.get()
        try await folder.fill("sqlite", "source")
        try await folder.fill("lmdb", "target")
        let error = await #expect(throws: PatchbayError.self) { try await copy("sqlite", "lmdb") }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("were not copied there; copy to another path") == true)
        let target = try await Store(folder.storage("lmdb", "target"), schema: nil, access: .reading)
        #expect(Set(target.schema.collections.map(\.name)) == Set(Self.rows.keys))
        #expect(try await target.verify().faults.isEmpty)
        #expect(try await target.storage.rows(Query(Sample.people)).count == Hostile.people.count)
        try await target.close()
    }

    @Test("a copy of another source is refused, finished or not", arguments: [1, Int.max])
    func otherSource(_ commits: Int) async throws {
        try await folder.get().fill("sqlite", "source")
        _ = try? await copy("sqlite", "lmdb", limit: Budget(commits))
        let error = await #expect(throws: PatchbayError.self) {
            try await copy("sqlite", "lmdb", named: "other")
        }
        #expect(error?.code == .conflict)
        #expect(
            error?.message.contains("\(commits == 1 ? "unfinished copy" : "a copy") of source, not of other")
                == true)
    }

    @Test(
        "an interrupted copy starts again when its source has changed since",
        arguments: StorageFolder.durable, [1, batches / 2, 1 + batches, 2 + batches])
    func changedWhileInterrupted(_ to: String, _ commits: Int) async throws {
        let folder = try folder.get()
        try await folder.fill("sqlite", "source")
        await #expect(throws: PatchbayError.self) {
            try await copy("sqlite", to, limit: Budget(commits))
        }
        // Deletes the first row in key order and gives its unique value to another.
        try await change("sqlite", "source") { source in
            var person = Hostile.people[0], page = Hostile.pages[0]
            person[0] = .integer(7_000_001)
            page[2] = .integer(-9)
            try await source.write { _ = try $0.delete(.integer(.min), in: Sample.people) }
            try await source.put([person], in: Sample.people)
            try await source.put([page], in: Sample.pages)
        }
        let outcome = try await copy("sqlite", to)
        #expect(!outcome.wasFinished)
        try await expectEqual("sqlite", to)
    }

    @Test("copying to a finished copy again only checks it", arguments: StorageFolder.pairs)
    func repeated(_ from: String, _ to: String) async throws {
        let folder = try folder.get()
        try await folder.fill(from, "source")
        let first = try await copy(from, to)
        for isVerified in [true, false] {
            // Nothing is written.
            let again = try await copy(from, to, limit: Budget(0), isVerified: isVerified)
            #expect(again.wasFinished)
            #expect(again.rows == Self.rows)
            if isVerified { #expect(again.digests == first.digests) }
        }
    }

    @Test("copying again reports which side of a finished copy has changed, and changes nothing")
    func changedSince() async throws {
        try await folder.get().fill("sqlite", "source")
        _ = try await copy("sqlite", "lmdb")
        try await change("lmdb", "target") { try await $0.put([Hostile.edited], in: Sample.pages) }
        #expect(try await copy("sqlite", "lmdb", isVerified: false).wasFinished)
        var error = await #expect(throws: PatchbayError.self) { try await copy("sqlite", "lmdb") }
        #expect(error?.code == .conflict)
        #expect(
            error?.message.contains("the target has changed since it was copied: its rows of pages differ")
                == true)
        try await change("lmdb", "target") {
            try await $0.put([Sample.page("new", visits: 1)], in: Sample.pages)
        }
        error = await #expect(throws: PatchbayError.self) {
            try await copy("sqlite", "lmdb", isVerified: false)
        }
        let (rows, more) = (Hostile.pages.count, Hostile.pages.count + 1)
        #expect(error?.message.contains("\(rows) rows of pages were copied, but it has \(more)") == true)
        try await change("sqlite", "source") { try await $0.put([Hostile.edited], in: Sample.pages) }
        error = await #expect(throws: PatchbayError.self) { try await copy("sqlite", "lmdb") }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("the source has changed since") == true)
    }

    @Test(
        "rows added to the source during a copy are left for the next copy", arguments: ["sqlite", "lmdb"])
    func changedMeanwhile(_ from: String) async throws {
        let folder = try folder.get().folder
        let command = Command(in: folder.path)
        @Sendable func write(_ start: Int, _ count: Int) async throws {
            let outcome = try await command.finished(
                "selftest", "write", "--store", "\(from):\(folder.path)", "--start", "\(start)", "--count",
                "\(count)", "--batch", "1000", "--durability", "off")
            #expect(outcome.status == 0, "\(outcome.errors)")
        }
        try await write(1, 3_000)
        for to in StorageFolder.durable {
            let plan = FaultPlan<FailingStorage.Operation>()
            plan.delay(.write) {
                guard plan.count(of: .write) == 3 else { return }
                try await write(4_000, 10)
            }
            let name = "store.\(from)"
            var copy = CopyStorage(from: "source", try await self.folder.get().storage(from, name)) {
                FailingStorage(try await self.folder.get().storage(to, "target.\(to)"), plan)
            }
            copy.batchRowsMax = 100
            let outcome = try await copy.run(isVerified: true)
            #expect(outcome.rows["github_users"] == (to == StorageFolder.durable[0] ? 3_000 : 3_010))
            #expect(plan.count(of: .write) > 30)
        }
    }

    @Test("a source that only one process may write is copied while its writer has it open")
    func besideTheWriter() async throws {
        let folder = try folder.get()
        try await folder.fill("flatfile", "source")
        let writer = try await folder.store("flatfile", "source")
        let plan = FaultPlan<FailingStorage.Operation>()
        plan.delay(.write) {
            // The first write marks the target, before the source is read.
            guard plan.count(of: .write) > 2 else { return }
            try await writer.storage.put([Sample.page("new \(plan.count(of: .write))")], in: Sample.pages)
        }
        var copy = CopyStorage(from: "source", try await folder.storage("flatfile", "source")) {
            FailingStorage(try await folder.storage("sqlite", "target"), plan)
        }
        copy.batchRowsMax = 7
        #expect(try await copy.run(isVerified: true).rows == Self.rows)
        let pages = try await writer.storage.rows(Query(Sample.pages)).count
        #expect(pages >= Hostile.pages.count + Self.batches)
        try await writer.close()
    }

    @Test("a gateway refuses to open an unfinished copy", arguments: StorageFolder.durable)
    func unfinished(_ plugin: String) async throws {
        let folder = try folder.get()
        let people = try Resource(ScriptedFeed.declarations[0], api: "source")
        let source = try await Store(
            folder.storage("sqlite", "source"), schema: .gateway.adding([people.collection]))
        try await source.write { writing in
            for row in ScriptedFeed.people(1...100) {
                try writing.put(row, of: people, at: Timestamp(milliseconds: 1))
            }
        }
        try await source.close()
        await #expect(throws: PatchbayError.self) {
            try await copy("sqlite", plugin, limit: Budget(5))
        }
        let half = try await Store(folder.storage(plugin, "target"), schema: nil, access: .reading)
        #expect(try await half.unfinishedCopy() == "source")
        #expect(try await half.read { try $0.count(Query(people.collection.withoutIndexes)) } == 28)
        try await half.close()
        for access in StorageAccess.allCases {
            let configuration = try GatewayConfiguration(
                folder.places.values(plugin, at: "\(folder.folder.path)/target"))
            let error = await #expect(throws: PatchbayError.self) {
                try await Gateway(configuration: configuration, access: access, isOffline: true)
            }
            #expect(error?.code == .conflict, "\(access)")
            #expect(error?.message.contains("an unfinished copy of source") == true)
        }
        _ = try await copy("sqlite", plugin)
        let gateway = try await Gateway(
            storage: folder.storage(plugin, "target"), source: Source(name: "none"), schema: .gateway,
            access: .reading, now: { Timestamp(milliseconds: 2) })
        #expect(try await gateway.store.unfinishedCopy() == nil)
        try await gateway.close()
    }

    @Test("an unfinished copy is refused as the source of another one")
    func unfinishedSource() async throws {
        let folder = try folder.get()
        try await folder.fill("sqlite", "source")
        await #expect(throws: PatchbayError.self) { try await copy("sqlite", "lmdb", limit: Budget(3)) }
        let error = await #expect(throws: PatchbayError.self) {
            try await CopyStorage(from: "half", folder.storage("lmdb", "target")) {
                try await folder.storage("flatfile", "other")
            }.run()
        }
        #expect(error?.code == .conflict)
        #expect(error?.message.contains("unfinished copy of source") == true)
    }

    @Test("a target that is not durable is refused")
    func forgetful() async throws {
        try await folder.get().fill("sqlite", "source")
        let error = await #expect(throws: PatchbayError.self) { try await copy("sqlite", "memory") }
        #expect(error?.code == .unsupported)
    }

    @Test("the source is not written")
    func sourceUntouched() async throws {
        try await folder.get().fill("sqlite", "source")
        let folder = try folder.get(),
            source = BreakingStorage(try await folder.storage("sqlite", "source"), Budget(0))
        let outcome = try await CopyStorage(from: "source", source) {
            try await folder.storage("lmdb", "target")
        }.run()
        #expect(outcome.rows == Self.rows)
    }
}

extension CopyStorage.Outcome {
    /// The numbers of rows by collection name.
    fileprivate var rows: [String: Int] {
        Dictionary(uniqueKeysWithValues: collections.map { ($0.collection.name, $0.rows) })
    }

    fileprivate var digests: [String: String?] {
        Dictionary(uniqueKeysWithValues: collections.map { ($0.collection.name, $0.digest?.description) })
    }
}

extension Hostile {
    /// A page of the sample with another number of visits.
    fileprivate static var edited: Values {
        var page = pages[3]
        page[2] = .integer(-77)
        return page
    }
}

/// The number of further commits that a test allows.
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
