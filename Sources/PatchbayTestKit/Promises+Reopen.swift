import PatchbayCore

extension Promise {
    static let reopen: [Promise] = [
        Promise("reopen", "rows persist when the storage is reopened", needs: .durable, rowsStay),
        Promise(
            "reopen", "hostile values persist when the storage is reopened", needs: .durable,
            hostileValuesStay),
        Promise(
            "reopen", "deletions, replacements and rollbacks persist when the storage is reopened",
            needs: .durable, changesStay),
        Promise(
            "reopen", "unique indexes still refuse conflicts after reopening", needs: .durable, uniqueStays),
        Promise(
            "reopen", "repeated opening and closing changes nothing", needs: .durable, oftenChangesNothing),
        Promise(
            "reopen", "thousands of rows written in many commits persist", needs: .durable,
            manyCommits),
    ]

    private static func rowsStay(_ workbench: Workbench) async throws {
        let issues = [
            Sample.issue("a", .max, "t1"), Sample.issue("a", -1, "t2", assignee: "ann", votes: 3),
            Sample.issue("b", 0, "t1"), Sample.issue("", .min, "t3", assignee: ""),
        ]
        let pages = [Sample.page("x", etag: "1", visits: 3), Sample.page("y", body: "text")]
        try await workbench.open { storage in
            try await storage.put(somePeople, in: Sample.people)
            try await storage.put(issues, in: Sample.issues)
            try await storage.put(pages, in: Sample.pages)
        }
        try await workbench.open { storage in
            let expected = [(Sample.people, somePeople), (Sample.issues, issues), (Sample.pages, pages)]
            for (collection, rows) in expected {
                try await expectRows(storage, collection, rows)
                try await expectEveryIndex(storage, collection, rows)
            }
        }
    }

    static func expectEveryIndex(
        _ storage: any Storage, _ collection: CollectionSchema, _ rows: [Values],
        _ when: String = "after opening"
    ) async throws {
        for index in [collection.primaryKey] + collection.indexes {
            for order in [Query.Order.ascending, .descending] {
                let query = Query(collection, by: index, order: order)
                let expected = NaiveWalk(rows: rows).rows(query)
                try expect(
                    rows: await storage.rows(query), equal: expected, "\(when), \(query.description)")
            }
        }
    }

    private static func hostileValuesStay(_ workbench: Workbench) async throws {
        let pages = hostileTexts.map { Sample.page($0, etag: .text($0), body: .text($0)) }
        let reals: [Double] = [.infinity, -.infinity, .leastNonzeroMagnitude, 1.0.nextUp, 1e300, 0.1]
        let people = reals.enumerated().map { number, real in
            var row = Sample.person(
                .max - Int64(number), hostileTexts[number * 7], name: .text(hostileTexts[number]))
            row[5] = .real(real)
            row[7] = .bytes((0...255).map { UInt8($0) })
            return row
        }
        try await workbench.open { storage in
            try await storage.put(pages, in: Sample.pages)
            try await storage.put(people, in: Sample.people)
        }
        try await workbench.open { storage in
            try await expectRows(storage, Sample.pages, pages)
            try await expectRows(storage, Sample.people, people)
            try await expectEveryIndex(storage, Sample.pages, pages)
        }
    }

    private static func changesStay(_ workbench: Workbench) async throws {
        try await workbench.open { storage in
            try await storage.put((1...9).map { Sample.person($0) }, in: Sample.people)
            try await storage.put([Sample.page("gone")], in: Sample.pages)
        }
        try await workbench.open { storage in
            try await storage.write { writer in
                for id in [2, 4, 9] as [Key] { _ = try writer.delete(id, in: Sample.people) }
                try writer.put(Sample.person(1, "changed", stars: 5), in: Sample.people)
                try writer.deleteAll(in: Sample.pages)
            }
            try await expectRollback(of: storage) { writer in
                try writer.put(Sample.person(77), in: Sample.people)
                _ = try writer.delete(3, in: Sample.people)
            }
        }
        try await workbench.open { storage in
            let left = [Sample.person(1, "changed", stars: 5)] + [3, 5, 6, 7, 8].map { Sample.person($0) }
            try await expectEveryIndex(storage, Sample.people, left)
            try await expectEveryIndex(storage, Sample.pages, [])
        }
    }

    private static func uniqueStays(_ workbench: Workbench) async throws {
        try await workbench.open { storage in
            try await storage.put([Sample.person(1, "Ann")], in: Sample.people)
        }
        try await workbench.open { storage in
            try await expectRefusal(.conflict, of: "a login taken before the storage was opened") {
                try await storage.put([Sample.person(2, "aNN")], in: Sample.people)
            }
            try await storage.put([Sample.person(1, "bob"), Sample.person(2, "aNN")], in: Sample.people)
            try await expectEveryIndex(
                storage, Sample.people, [Sample.person(1, "bob"), Sample.person(2, "aNN")])
        }
    }

    private static func oftenChangesNothing(_ workbench: Workbench) async throws {
        for round in 1...6 as ClosedRange<Int64> {
            try await workbench.open { storage in
                let before = (1..<round).map { Sample.person($0, stars: -$0) }
                try await expectEveryIndex(storage, Sample.people, before)
                try await storage.put([Sample.person(round, stars: -round)], in: Sample.people)
            }
            try await workbench.open { _ in }
        }
    }

    private static func manyCommits(_ workbench: Workbench) async throws {
        let batches = 40 as Int64
        try await workbench.open { storage in
            for batch in 0..<batches {
                let ids = (0..<100).map { batch * 50 + $0 }
                try await storage.put(ids.map { Sample.person($0, stars: batch) }, in: Sample.people)
            }
        }
        try await workbench.open { storage in
            let people = (0..<(batches * 50 + 50)).map {
                Sample.person($0, stars: min($0 / 50, batches - 1))
            }
            try await expectEveryIndex(storage, Sample.people, people)
        }
    }
}
