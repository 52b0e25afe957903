import PatchbayCore

extension Promise {
    /// The promises about queries other than those about bounds.
    static let walks: [Promise] = [
        Promise("queries", "a walk can start after any key, stored or not, in both directions", afterAnyKey),
        Promise("queries", "the pages of a walk together equal the whole walk", pagesMakeTheWalk),
        Promise("queries", "a limit ends the walk, and 0 visits nothing", limits),
        Promise("queries", "requested fields are correct, whatever else the row contains", projection),
        Promise("queries", "a visitor that stops is not called again", stopEnds),
        Promise("queries", "nested walks do not disturb each other", nestedWalks),
    ]

    private static func afterAnyKey(_ workbench: Workbench) async throws {
        let teams: [Key] = [
            .null, 1, [1, "A@"], [1, "a\u{7F}", 2], [1, "zz"], [5, "x", 0], [.null, ""], .integer(.max),
        ]
        let names: [Key] = [.null, "", ["ann", 3], ["ann", 3, 2], "zzz", ["b", 0, 3], "\u{10FFFF}"]
        let ids: [Key] = [.integer(.min), -3, 2, 5, .integer(.max)]
        let plain =
            ids.map { Query(Sample.people, after: $0) }
            + teams.map { Query(Sample.people, by: Sample.byTeamLogin, after: $0) }
            + names.map { Query(Sample.people, by: Sample.byNameFolded, after: $0) }
        let bounded =
            ids.map { Query(Sample.people, .between(.including(-2), .excluding(4)), after: $0, limit: 2) }
            + teams.map { Query(Sample.people, by: Sample.byTeamLogin, .equal(1), after: $0) }
            + teams.map {
                Query(Sample.people, by: Sample.byTeamLogin, .between(.excluding(.null), nil), after: $0)
            }
            + names.map { Query(Sample.people, by: Sample.byNameFolded, .prefix("an"), after: $0, limit: 3) }
        try await compare(workbench, Sample.people, somePeople, plain + bounded)
    }

    private static func pagesMakeTheWalk(_ storage: any Storage) async throws {
        try await storage.put(somePeople, in: Sample.people)
        for index in [Sample.people.primaryKey] + Sample.people.indexes {
            for order in [Query.Order.ascending, .descending] {
                for size in [1, 2, 5] {
                    let walk = try await storage.rows(Query(Sample.people, by: index, order: order))
                    let query = Query(Sample.people, by: index, order: order, limit: size)
                    let pages = try await inPages(storage, query)
                    try expect(rows: pages, equal: walk, "pages of \(size), \(query.description)")
                }
            }
        }
    }

    /// Returns the rows of a walk, read in pages of the query's limit, each after the last row of the previous page.
    private static func inPages(_ storage: any Storage, _ query: Query) async throws -> [Values] {
        var query = query, rows: [Values] = []
        while rows.count < 1_000 {
            let page = query
            let (found, last) = try await storage.read { reader in
                var found: [Values] = [], last: Key?
                try reader.scan(page) { row in
                    found.append(row.values(page.collection, .all))
                    last = page.collection.key(of: row, in: page.index)
                    return .next
                }
                return (found, last)
            }
            rows += found
            guard let last else { return rows }
            query.after = last
        }
        throw BrokenPromise("\(query.description): the pages never end")
    }

    private static func limits(_ workbench: Workbench) async throws {
        var queries: [Query] = []
        for limit in [0, 1, 2, 8, 9, 10, .max] {
            queries.append(Query(Sample.people, limit: limit))
            queries.append(Query(Sample.people, by: Sample.byStars, .equal(3), limit: limit))
            queries.append(Query(Sample.people, by: Sample.byName, .prefix("a"), after: "ann", limit: limit))
        }
        try await compare(workbench, Sample.people, somePeople, queries)
    }

    private static func projection(_ workbench: Workbench) async throws {
        var rows = somePeople
        for number in rows.indices {
            rows[number][7] = .bytes(Array(repeating: UInt8(number), count: 300 * number))
            rows[number][8] = number % 2 == 0 ? .null : .bytes([0, 255])
            rows[number][6] = number % 3 == 0 ? .null : .real(Double(number) / 3)
        }
        let sets =
            (0..<9).map { [$0] } + [
                [], [0, 1], [1, 8], [2, 4, 6], [7, 8], Array(0..<9), [0, 5], [3, 2, 1],
            ]
        let queries = sets.flatMap { set -> [Query] in
            let fields = FieldSet(positions: set)
            return [
                Query(Sample.people, fields: fields),
                Query(Sample.people, by: Sample.byName, fields: fields),
                Query(Sample.people, by: Sample.byTeamLogin, .equal(1), fields: fields),
            ]
        }
        try await compare(workbench, Sample.people, rows, queries)
        try await workbench.open { storage in
            try await storage.put(rows, in: Sample.people)
            for set in sets {
                let got = try await storage.read {
                    try $0.values(2, in: Sample.people, fields: FieldSet(positions: set))
                }
                try expect(
                    got, equals: set.sorted().map { rows[4][$0] }, "get of row 2 with the fields \(set)")
            }
        }
    }

    private static func stopEnds(_ storage: any Storage) async throws {
        try await storage.put(somePeople, in: Sample.people)
        for order in [Query.Order.ascending, .descending] {
            for wanted in [1, 2, 9] {
                let visited = try await storage.read { reader in
                    var visited = 0
                    try reader.scan(Query(Sample.people, by: Sample.byStars, order: order)) { _ in
                        visited += 1
                        return visited == wanted ? .stop : .next
                    }
                    return visited
                }
                try expect(visited, equals: wanted, "rows visited until the visitor stopped")
            }
        }
    }

    private static func nestedWalks(_ storage: any Storage) async throws {
        try await storage.put(somePeople, in: Sample.people)
        let (pairs, gets) = try await storage.read { reader in
            var pairs = 0, gets: [Values] = []
            try reader.scan(Query(Sample.people, by: Sample.byName)) { outer in
                let key = Sample.people.key(of: outer)
                try reader.scan(Query(Sample.people, by: Sample.byName)) { _ in
                    pairs += 1
                    return .next
                }
                if let row = try reader.values(key, in: Sample.people) { gets.append(row) }
                // The inner walk must not have changed the outer row.
                guard Sample.people.key(of: outer) == key else {
                    throw BrokenPromise("the outer row changed")
                }
                return .next
            }
            return (pairs, gets)
        }
        try expect(pairs, equals: 81, "rows of a walk nested in the same walk, 9 by 9")
        let expected = NaiveWalk(rows: somePeople).rows(Query(Sample.people, by: Sample.byName))
        try expect(rows: gets, equal: expected, "gets inside a walk")
    }
}
