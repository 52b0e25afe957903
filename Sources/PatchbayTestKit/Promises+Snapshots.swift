import PatchbayCore

extension Promise {
    static let snapshots: [Promise] = [
        Promise(
            "snapshots", "a read keeps its snapshot when a write commits meanwhile",
            needs: .readsDuringWrite,
            readKeepsSnapshot),
        Promise(
            "snapshots", "a read during an open write sees the state before the write",
            needs: .readsDuringWrite,
            readDuringWrite),
        Promise(
            "snapshots", "readers see only whole transactions of a concurrent writer", wholeTransactionsOnly),
        Promise("snapshots", "concurrent writers lose no changes", writersLoseNothing),
        Promise("snapshots", "all indexes agree within one snapshot", indexesAgree),
    ]

    private static func readKeepsSnapshot(_ storage: any Storage) async throws {
        let first = [Sample.person(1, "ann", stars: 1), Sample.person(2, "bob")]
        try await storage.put(first, in: Sample.people)
        let views = try await WorkThread("test").run { _ in try await viewsAroundCommit(storage) }
        for (rows, when) in zip(views, ["before a commit", "after it", "after it, by index"]) {
            try expect(rows: rows, equal: first, "one read, \(when)")
        }
        let count = try await storage.read { try $0.count(Query(Sample.people)) }
        try expect(count, equals: 299, "the next read")
    }

    /// Returns the rows that one read sees before and after another thread commits.
    private static func viewsAroundCommit(_ storage: any Storage) async throws -> [[Values]] {
        let begun = Signal("a read begins"), committed = Signal("a write commits while a read is open")
        async let views = WorkThread("test").run { _ in
            defer { begun.send() }
            return try await storage.read { reader in
                let before = try reader.rows(Query(Sample.people))
                begun.send()
                try committed.wait()
                let byLogin = try reader.rows(Query(Sample.people, by: Sample.byLogin))
                return [before, try reader.rows(Query(Sample.people)), byLogin]
            }
        }
        // Sent twice in the normal case. If the write throws, it is sent once, so that the read ends.
        defer { committed.send() }
        await begun.arrives()
        try await storage.write { writer in
            try writer.put(Sample.person(1, "changed", stars: 2), in: Sample.people)
            _ = try writer.delete(2, in: Sample.people)
            for id in 3...300 as ClosedRange<Int64> { try writer.put(Sample.person(id), in: Sample.people) }
        }
        committed.send()
        return try await views
    }

    private static func readDuringWrite(_ storage: any Storage) async throws {
        let before = [Sample.person(1, "ann")]
        try await storage.put(before, in: Sample.people)
        let rows = try await WorkThread("test").run { _ in try await viewDuringWrite(storage) }
        try expect(rows: rows, equal: before, "a read while a write is open")
        try expect(await storage.rows(Query(Sample.people)).count, equals: 2, "rows after the commit")
    }

    /// Returns the rows that a read sees while another thread has a write open.
    private static func viewDuringWrite(_ storage: any Storage) async throws -> [Values] {
        let written = Signal("a write has put a row"), seen = Signal("a read ends while a write is open")
        async let writing: Void = WorkThread("test").run { _ in
            defer { written.send() }
            try await storage.write { writer in
                try writer.put(Sample.person(1, "changed"), in: Sample.people)
                try writer.put(Sample.person(2), in: Sample.people)
                written.send()
                try seen.wait()
            }
        }
        defer { seen.send() }
        await written.arrives()
        let rows = try await storage.rows(Query(Sample.people))
        seen.send()
        try await writing
        return rows
    }

    /// Reads two accounts while transfers between them keep their sum constant.
    private static func wholeTransactionsOnly(_ storage: any Storage) async throws {
        try await storage.put(
            [Sample.person(1, stars: 1_000), Sample.person(2, stars: 0)], in: Sample.people)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for amount in 1...100 as ClosedRange<Int64> { try await transfer(storage, amount % 7) }
            }
            for reader in 0..<8 {
                group.addTask {
                    for _ in 0..<50 { try await expectSum(storage, byIndex: reader % 2 == 1) }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func transfer(_ storage: any Storage, _ amount: Int64) async throws {
        try await storage.write { writer in
            for (id, change) in [(1, -amount), (2, amount)] as [(Int64, Int64)] {
                guard case .integer(let stars)? = try writer.values(.integer(id), in: Sample.people)?[3]
                else {
                    throw BrokenPromise("account \(id) disappeared during a transfer")
                }
                try writer.put(Sample.person(id, stars: stars + change), in: Sample.people)
            }
        }
    }

    private static func expectSum(_ storage: any Storage, byIndex: Bool) async throws {
        let rows = try await storage.rows(Query(Sample.people, by: byIndex ? Sample.byStars : nil))
        let sum = rows.reduce(0 as Int64) { sum, row in
            if case .integer(let stars) = row[3] { sum + stars } else { sum }
        }
        try expect(rows.count, equals: 2, "accounts that a reader sees during transfers")
        try expect(sum, equals: 1_000, "the sum of two accounts that a reader sees during transfers")
    }

    private static func writersLoseNothing(_ storage: any Storage) async throws {
        try await storage.put([Sample.person(0, "counter")], in: Sample.people)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 1...4 as ClosedRange<Int64> {
                group.addTask {
                    for step in 0..<25 as Range<Int64> {
                        try await addOne(storage, id: writer * 100 + step)
                    }
                }
            }
            try await group.waitForAll()
        }
        let counter = try await storage.values(0, in: Sample.people)
        try expect(counter?[3], equals: 100, "a counter that four writers raised by 25 each")
        try expect(await storage.rows(Query(Sample.people)).count, equals: 101, "rows of four writers")
    }

    private static func addOne(_ storage: any Storage, id: Int64) async throws {
        try await storage.write { writer in
            guard case .integer(let count)? = try writer.values(0, in: Sample.people)?[3] else {
                throw BrokenPromise("the counter disappeared")
            }
            try writer.put(Sample.person(0, "counter", stars: count + 1), in: Sample.people)
            try writer.put(Sample.person(id), in: Sample.people)
        }
    }

    private static func indexesAgree(_ storage: any Storage) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for id in 0..<100 as Range<Int64> {
                    try await storage.write { writer in
                        try writer.put(
                            Sample.person(id % 10, "login\(id)", name: "n", stars: id), in: Sample.people
                        )
                        _ = try writer.delete(.integer((id + 5) % 10), in: Sample.people)
                    }
                }
            }
            for _ in 0..<4 { group.addTask { for _ in 0..<50 { try await expectAgreement(storage) } } }
            try await group.waitForAll()
        }
    }

    private static func expectAgreement(_ storage: any Storage) async throws {
        let lists = try await storage.read { reader in
            try ([Sample.people.primaryKey] + Sample.people.indexes).map { index in
                let rows = try reader.rows(Query(Sample.people, by: index))
                return NaiveWalk(rows: rows).rows(Query(Sample.people))
            }
        }
        for rows in lists {
            try expect(rows: rows, equal: lists[0], "an index compared with the primary key, in one read")
        }
    }
}
