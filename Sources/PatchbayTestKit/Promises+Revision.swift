import PatchbayCore
import Synchronization

extension Promise {
    static let revision: [Promise] = [
        Promise("revision", "every commit with changes changes the revision", changesWithCommits),
        Promise("revision", "reads and rollbacks do not change the revision", staysWithoutCommit),
        Promise(
            "revision", "a commit that has changed the revision is visible to the next read", commitIsVisible
        ),
    ]

    private static func changesWithCommits(_ storage: any Storage) async throws {
        var known = [try await storage.revision()]
        func expectNew(_ what: String) async throws {
            let revision = try await storage.revision()
            guard !known.contains(revision) else {
                throw BrokenPromise("the revision is \(revision) again after \(what); before: \(known)")
            }
            known.append(revision)
        }
        for id in 1...3 as ClosedRange<Int64> {
            try await storage.put([Sample.person(id)], in: Sample.people)
            try await expectNew("put \(id)")
        }
        try await storage.put([Sample.person(3, stars: 9)], in: Sample.people)
        try await expectNew("a put that replaces")
        try await storage.write { _ = try $0.delete(1, in: Sample.people) }
        try await expectNew("a delete")
        try await storage.write { try $0.deleteAll(in: Sample.people) }
        try await expectNew("deleting all")
    }

    private static func staysWithoutCommit(_ storage: any Storage) async throws {
        try await storage.put([Sample.person(1)], in: Sample.people)
        let before = try await storage.revision()
        _ = try await storage.rows(Query(Sample.people))
        _ = try await storage.values(1, in: Sample.people)
        try expect(await storage.revision(), equals: before, "the revision after reads")
        try await expectRollback(of: storage) { writer in
            try writer.put(Sample.person(2), in: Sample.people)
        }
        try expect(await storage.revision(), equals: before, "the revision after a rollback")
    }

    private static func commitIsVisible(_ storage: any Storage) async throws {
        let watched = WatchedWrites(storage: storage)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // On threads of their own, so that the revision is read throughout each commit.
            group.addTask { try await WorkThread("test").run { _ in try await watched.commit() } }
            group.addTask { try await WorkThread("test").run { _ in try await watched.observe() } }
            // Not `waitForAll`, which cancels nothing: if one task failed, the other would wait for it.
            for try await _ in group {}
        }
    }
}

/// Two tasks, one of which commits while the other reads the revision like an observer.
private final class WatchedWrites: Sendable {
    private static let count: Int64 = 50
    private let storage: any Storage
    private let made = Atomic<Int64>(0)
    private let seen = Atomic<Int64>(0)
    /// Each task waits for the other to run, because a loop that waits for a task without a thread only takes time from
    /// the tasks that have one.
    private let committing = Signal("a task is ready to commit")
    private let observing = Signal("a task is ready to observe")

    init(storage: any Storage) { self.storage = storage }

    /// Commits one after another, each once the observer has read the previous one.
    func commit() async throws {
        committing.send()
        await observing.arrives()
        for visits in 1...Self.count {
            try await storage.put([Sample.page("page", visits: visits)], in: Sample.pages)
            made.store(visits, ordering: .releasing)
            while seen.load(ordering: .acquiring) < visits {
                try Task.checkCancellation()
                await Task.yield()
            }
        }
    }

    /// Reads only when the revision has changed, and must see every commit made before it read the revision.
    func observe() async throws {
        observing.send()
        await committing.arrives()
        var known: UInt64?, page: Values?
        while seen.load(ordering: .relaxed) < Self.count {
            try Task.checkCancellation()
            let last = made.load(ordering: .acquiring)
            let revision = try await storage.revision()
            if revision == known, last == seen.load(ordering: .relaxed) {
                try await Task.sleep(for: .microseconds(100))
                continue
            }
            if revision != known { page = try await storage.values("page", in: Sample.pages) }
            known = revision
            if case .integer(let visits)? = page?[2], visits > last { continue }
            try expect(
                page, equals: last == 0 ? nil : Sample.page("page", visits: last),
                "the row that an observer has read after \(last) commits")
            seen.store(last, ordering: .releasing)
        }
    }
}
