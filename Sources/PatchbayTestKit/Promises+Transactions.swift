import PatchbayCore

extension Promise {
    static let transactions: [Promise] = [
        Promise("transactions", "a committed write is visible to the next read", committedIsSeen),
        Promise("transactions", "a transaction sees its own writes", seesOwnWrites),
        Promise("transactions", "a write that throws changes nothing", rollbackLeavesNothing),
        Promise(
            "transactions", "an error thrown in a transaction reaches the caller unchanged",
            errorReachesCaller),
        Promise(
            "transactions", "a refused put changes nothing, and the transaction continues", refusedPut),
        Promise("transactions", "a storage is still usable after a rollback", usableAfterRollback),
        Promise("transactions", "a put replaces the whole row", putReplaces),
        Promise("transactions", "deleting returns whether the row existed", deletedRowIsReported),
        Promise(
            "transactions", "deleting all rows empties one collection and no other", deleteAllIsLocal),
        Promise(
            "transactions", "a transaction writes to all of its collections or to none", severalCollections),
        Promise("transactions", "a transaction can contain thousands of rows", manyRows),
        Promise("transactions", "closing twice is harmless", closingTwice),
    ]

    private static func committedIsSeen(_ storage: any Storage) async throws {
        for id in 1...20 as ClosedRange<Int64> {
            let row = Sample.person(id)
            try await storage.put([row], in: Sample.people)
            try expect(
                await storage.values(.integer(id), in: Sample.people), equals: row,
                "read after commit \(id)")
        }
        let none = try await storage.values(21, in: Sample.people)
        try expect(none, equals: nil, "a row that was never put")
    }

    private static func seesOwnWrites(_ storage: any Storage) async throws {
        try await storage.put([Sample.person(1, "ann"), Sample.person(2, "bob")], in: Sample.people)
        try await storage.write { writer in
            try writer.put(Sample.person(3, "cid"), in: Sample.people)
            try writer.put(Sample.person(2, "ben"), in: Sample.people)
            _ = try writer.delete(1, in: Sample.people)
            let expected = [Sample.person(2, "ben"), Sample.person(3, "cid")]
            try expect(
                rows: writer.rows(Query(Sample.people)), equal: expected, "scan inside the transaction")
            let byLogin = Query(Sample.people, by: Sample.byLogin)
            try expect(
                rows: writer.rows(byLogin), equal: expected, "scan by index inside the transaction")
            try expect(writer.count(byLogin), equals: 2, "count inside the transaction")
            try expect(writer.values(1, in: Sample.people), equals: nil, "get of a row just deleted")
            try expect(writer.values(3, in: Sample.people), equals: expected[1], "get of a row just put")
            try writer.deleteAll(in: Sample.people)
            try expect(writer.count(byLogin), equals: 0, "count after deleting all in the transaction")
            try writer.put(expected[0], in: Sample.people)
            try expect(rows: writer.rows(byLogin), equal: [expected[0]], "put after deleting all")
        }
    }

    private static func rollbackLeavesNothing(_ storage: any Storage) async throws {
        let before = [Sample.person(1, "ann", stars: 5), Sample.person(2, "bob")]
        try await storage.put(before, in: Sample.people)
        try await expectRollback(of: storage, "a transaction that throws after writing") { writer in
            try writer.put(Sample.person(3), in: Sample.people)
            try writer.put(Sample.person(1, "changed", stars: 9), in: Sample.people)
            _ = try writer.delete(2, in: Sample.people)
            try writer.put(Sample.page("https://new"), in: Sample.pages)
            try writer.deleteAll(in: Sample.issues)
        }
        for index in [nil, Sample.byLogin] {
            let rows = try await storage.rows(Query(Sample.people, by: index))
            try expect(
                rows: rows, equal: before, "rows by \(index?.name ?? "primary key") after the rollback")
        }
        try expect(rows: await storage.rows(Query(Sample.pages)), equal: [], "pages after the rollback")
        try await rollbackOfDeleteAll(storage, before)
    }

    private static func rollbackOfDeleteAll(_ storage: any Storage, _ before: [Values]) async throws {
        try await expectRollback(of: storage, "a transaction that throws after deleting all") { writer in
            try writer.deleteAll(in: Sample.people)
            try writer.put(Sample.person(7), in: Sample.people)
        }
        let rows = try await storage.rows(Query(Sample.people, by: Sample.byLogin))
        try expect(rows: rows, equal: before, "rows after the rollback of deleting all")
    }

    private static func errorReachesCaller(_ storage: any Storage) async throws {
        struct Own: Error, Equatable { let number: Int }
        func thrown(_ call: () async throws -> Void) async -> Own? {
            do { try await call() } catch { return error as? Own }
            return nil
        }
        let fromWrite = await thrown { try await storage.write { _ in throw Own(number: 1) } }
        try expect(fromWrite, equals: Own(number: 1), "the error of a write")
        let fromRead = await thrown { try await storage.read { _ in throw Own(number: 2) } }
        try expect(fromRead, equals: Own(number: 2), "the error of a read")
        try await storage.put([Sample.person(1), Sample.person(2)], in: Sample.people)
        let fromVisit = await thrown {
            try await storage.read { try $0.scan(Query(Sample.people)) { _ in throw Own(number: 3) } }
        }
        try expect(fromVisit, equals: Own(number: 3), "the error of a visitor")
    }

    private static func refusedPut(_ storage: any Storage) async throws {
        try await storage.put(
            [Sample.person(1, "ann", stars: 1), Sample.person(2, "bob")], in: Sample.people)
        try await storage.write { writer in
            try writer.put(Sample.person(3, "cid"), in: Sample.people)
            try expectRefusal(.conflict, of: "a new row with a login that is taken") {
                try writer.put(Sample.person(4, "ANN"), in: Sample.people)
            }
            try expectRefusal(.conflict, of: "replacing a row with a login that is taken") {
                try writer.put(Sample.person(1, "bob", stars: 7), in: Sample.people)
            }
            try expectRefusal(.invalidValue, of: "a login that is too long for a key") {
                try writer.put(Sample.person(2, String(repeating: "x", count: 500)), in: Sample.people)
            }
            try writer.put(Sample.person(5, "eve"), in: Sample.people)
        }
        let expected = [
            Sample.person(1, "ann", stars: 1), Sample.person(2, "bob"), Sample.person(3, "cid"),
            Sample.person(5, "eve"),
        ]
        for index in [nil, Sample.byLogin] {
            let rows = try await storage.rows(Query(Sample.people, by: index))
            try expect(
                rows: rows, equal: expected, "rows by \(index?.name ?? "primary key") after refused puts"
            )
        }
        let starred = try await storage.rows(Query(Sample.people, by: Sample.byStars, .equal(7)))
        try expect(rows: starred, equal: [], "the index entry of a refused put")
    }

    private static func usableAfterRollback(_ storage: any Storage) async throws {
        for id in 1...5 as ClosedRange<Int64> {
            try await expectRollback(of: storage) { writer in
                try writer.put(Sample.person(id + 100), in: Sample.people)
            }
            try await storage.put([Sample.person(id)], in: Sample.people)
            let rows = try await storage.rows(Query(Sample.people))
            try expect(
                rows: rows, equal: (1...id).map { Sample.person($0) }, "rows after rollback \(id)")
        }
    }

    private static func putReplaces(_ storage: any Storage) async throws {
        let full = Sample.issue("r", 1, "first", assignee: "ann", votes: 3)
        let empty = Sample.issue("r", 1, "second")
        try await storage.put([full], in: Sample.issues)
        try await storage.put([empty], in: Sample.issues)
        try expect(
            rows: await storage.rows(Query(Sample.issues)), equal: [empty],
            "a row replaced by one with nulls")
        try await storage.put([full], in: Sample.issues)
        try await storage.put([full], in: Sample.issues)
        try expect(rows: await storage.rows(Query(Sample.issues)), equal: [full], "a row put twice")
    }

    private static func deletedRowIsReported(_ storage: any Storage) async throws {
        try await storage.put([Sample.issue("r", 1), Sample.issue("r", 2)], in: Sample.issues)
        let answers = try await storage.write { writer in
            [
                try writer.delete(["r", 2], in: Sample.issues),
                try writer.delete(["r", 2], in: Sample.issues),
                try writer.delete(["s", 1], in: Sample.issues),
                try writer.delete(["", 1], in: Sample.issues),
            ]
        }
        try expect(
            answers, equals: [true, false, false, false],
            "deletes of one row twice and of two that never existed")
        let rows = try await storage.rows(Query(Sample.issues))
        try expect(rows: rows, equal: [Sample.issue("r", 1)], "rows after the deletes")
    }

    private static func deleteAllIsLocal(_ storage: any Storage) async throws {
        try await storage.put([Sample.person(1)], in: Sample.people)
        try await storage.put([Sample.page("a", etag: "x"), Sample.page("b")], in: Sample.pages)
        try await storage.write { try $0.deleteAll(in: Sample.pages) }
        try expect(rows: await storage.rows(Query(Sample.pages)), equal: [], "the emptied collection")
        let byEtag = try await storage.rows(Query(Sample.pages, by: Sample.byEtag))
        try expect(rows: byEtag, equal: [], "an index of the emptied collection")
        try expect(
            rows: await storage.rows(Query(Sample.people)), equal: [Sample.person(1)],
            "the other collection")
        try await storage.put([Sample.page("c", etag: "x")], in: Sample.pages)
        try expect(await storage.rows(Query(Sample.pages)).count, equals: 1, "a put after deleting all")
        try await storage.write { try $0.deleteAll(in: Sample.issues) }
    }

    private static func severalCollections(_ storage: any Storage) async throws {
        try await storage.write { _ in }
        try await storage.write { writer in
            try writer.put(Sample.person(1), in: Sample.people)
            try writer.put(Sample.page("a"), in: Sample.pages)
            try writer.put(Sample.issue("r", 1), in: Sample.issues)
        }
        let counts = try await storage.read { reader in
            try [Sample.people, Sample.pages, Sample.issues].map { try reader.count(Query($0)) }
        }
        try expect(counts, equals: [1, 1, 1], "rows of three collections written together")
    }

    private static func manyRows(_ storage: any Storage) async throws {
        let ids = (0..<3_000 as Range<Int64>).map { $0 * 7_919 % 3_000 }
        try await storage.put(ids.map { Sample.person($0, stars: $0 % 10) }, in: Sample.people)
        let expected = (0..<3_000 as Range<Int64>).map { Sample.person($0, stars: $0 % 10) }
        try expect(
            rows: await storage.rows(Query(Sample.people)), equal: expected,
            "3,000 rows put in mixed order")
        try await storage.write { writer in
            for id in ids where id % 3 != 0 { _ = try writer.delete(.integer(id), in: Sample.people) }
        }
        let byStars = Query(Sample.people, by: Sample.byStars, .equal(6))
        let left = expected.filter { $0[0] == .integer(0) || $0[3] == 6 }.filter {
            if case .integer(let id) = $0[0] { id % 3 == 0 && id % 10 == 6 } else { false }
        }
        try expect(rows: await storage.rows(byStars), equal: left, "2,000 of them deleted, by index")
    }

    private static func closingTwice(_ storage: any Storage) async throws {
        try await storage.put([Sample.person(1)], in: Sample.people)
        try await storage.close()
        try await storage.close()
    }
}
