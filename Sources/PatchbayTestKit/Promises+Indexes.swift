import PatchbayCore

extension Promise {
    static let indexes: [Promise] = [
        Promise("indexes", "a unique index refuses a second row with the same values", uniqueRefuses),
        Promise(
            "indexes", "a unique index that folds case refuses values that differ only in case", uniqueFolds),
        Promise(
            "indexes", "a unique index on several fields refuses only rows that agree in all of them",
            uniqueOverSeveral),
        Promise("indexes", "null never conflicts", nullNeverConflicts),
        Promise("indexes", "replacing a row releases its old unique values", replacingFrees),
        Promise("indexes", "a delete and two puts swap the unique values of two rows", swapping),
        Promise("indexes", "deleting a row removes its index entries", deletingRemoves),
        Promise("indexes", "every index contains every row once", everyIndexHoldsAll),
    ]

    private static func uniqueRefuses(_ storage: any Storage) async throws {
        let page = Sample.page("a", etag: "x", visits: 1)
        try await storage.put([page, Sample.page("b", etag: "X")], in: Sample.pages)
        try await expectRefusal(.conflict, of: "a second page with the etag \"x\"") {
            try await storage.put([Sample.page("c"), Sample.page("d", etag: "x")], in: Sample.pages)
        }
        let rows = try await storage.rows(Query(Sample.pages))
        try expect(rows: rows, equal: [page, Sample.page("b", etag: "X")], "pages after the conflict")
        let again = Sample.page("a", etag: "x", visits: 2)
        try await storage.put([again], in: Sample.pages)
        try expect(
            await storage.values("a", in: Sample.pages), equals: again, "a row that keeps its own etag")
    }

    private static func uniqueFolds(_ storage: any Storage) async throws {
        try await storage.put([Sample.person(1, "Ann"), Sample.person(2, "\u{C4}")], in: Sample.people)
        for login in ["ann", "ANN", "Ann"] {
            try await expectRefusal(.conflict, of: "another person with the login \"\(login)\"") {
                try await storage.put([Sample.person(3, login)], in: Sample.people)
            }
        }
        try await storage.put([Sample.person(3, "\u{E4}"), Sample.person(1, "aNN")], in: Sample.people)
        let rows = try await storage.rows(Query(Sample.people, by: Sample.byLogin, .equal("ann")))
        try expect(rows: rows, equal: [Sample.person(1, "aNN")], "a login that changed only in case")
    }

    private static func uniqueOverSeveral(_ storage: any Storage) async throws {
        try await storage.put([Sample.issue("a", 1, "t"), Sample.issue("b", 1, "t")], in: Sample.issues)
        try await storage.put([Sample.issue("a", 2, "u"), Sample.issue("b", 2, "u")], in: Sample.issues)
        try await expectRefusal(.conflict, of: "a second issue \"t\" of the repository \"a\"") {
            try await storage.put([Sample.issue("a", 3, "t")], in: Sample.issues)
        }
        try expect(
            await storage.rows(Query(Sample.issues)).count, equals: 4, "issues after the conflict")
    }

    private static func nullNeverConflicts(_ storage: any Storage) async throws {
        let pages = ["a", "b", "c"].map { Sample.page($0) }
        try await storage.put(pages, in: Sample.pages)
        let rows = try await storage.rows(Query(Sample.pages, by: Sample.byEtag, .equal(.null)))
        try expect(rows: rows, equal: pages, "three pages without an etag")
        try await storage.put([Sample.page("d", etag: "")], in: Sample.pages)
        try await expectRefusal(.conflict, of: "a second page with an empty etag, which is not null") {
            try await storage.put([Sample.page("e", etag: "")], in: Sample.pages)
        }
    }

    private static func replacingFrees(_ storage: any Storage) async throws {
        try await storage.put([Sample.person(1, "ann", name: "A", stars: 1)], in: Sample.people)
        let changed = Sample.person(1, "bob", name: nil, stars: 2)
        try await storage.put([changed], in: Sample.people)
        for (index, key) in [
            (Sample.byLogin, Key.text("ann")), (Sample.byName, "A"), (Sample.byStars, 1),
        ] {
            let rows = try await storage.rows(Query(Sample.people, by: index, .equal(key)))
            try expect(rows: rows, equal: [], "the old entry in \(index.name)")
        }
        for index in Sample.people.indexes {
            let rows = try await storage.rows(Query(Sample.people, by: index))
            try expect(rows: rows, equal: [changed], "the new entry in \(index.name)")
        }
        try await storage.put([Sample.person(2, "ann")], in: Sample.people)
        try expect(
            await storage.rows(Query(Sample.people)).count, equals: 2, "the released login is used again")
    }

    private static func swapping(_ storage: any Storage) async throws {
        try await storage.put([Sample.person(1, "ann"), Sample.person(2, "bob")], in: Sample.people)
        try await storage.write { writer in
            _ = try writer.delete(1, in: Sample.people)
            try writer.put(Sample.person(2, "ann"), in: Sample.people)
            try writer.put(Sample.person(1, "bob"), in: Sample.people)
        }
        let rows = try await storage.rows(Query(Sample.people, by: Sample.byLogin))
        try expect(
            rows: rows, equal: [Sample.person(2, "ann"), Sample.person(1, "bob")],
            "logins after the swap")
    }

    private static func deletingRemoves(_ storage: any Storage) async throws {
        try await storage.put(somePeople, in: Sample.people)
        var left = somePeople
        while !left.isEmpty {
            let gone = left.remove(at: left.count / 2)
            let key = gone[0].key!
            try await storage.write { _ = try $0.delete(key, in: Sample.people) }
            try await expectEveryIndex(storage, Sample.people, left, "without \(key)")
        }
    }

    private static func everyIndexHoldsAll(_ storage: any Storage) async throws {
        for round in 0..<3 {
            let people = somePeople.enumerated().map { number, row in
                var row = row
                row[3] = .integer(Int64(number * round))
                if round == 2 { row[2] = somePeople[(number + 1) % 9][2] }
                return row
            }
            try await storage.put(people, in: Sample.people)
            try await expectEveryIndex(storage, Sample.people, people, "in round \(round)")
        }
    }
}
