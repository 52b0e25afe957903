import PatchbayCore

extension Promise {
    static let queries: [Promise] = bounds + walks

    private static let bounds: [Promise] = [
        Promise("queries", "bounds on the primary key", peopleByKey),
        Promise("queries", "bounds on an index of one field", peopleByOneField),
        Promise("queries", "bounds on an index of several fields", peopleBySeveralFields),
        Promise("queries", "bounds on a text key and its folded index", pagesByText),
        Promise("queries", "bounds on a compound key and its indexes", issuesByCompoundKey),
        Promise("queries", "a prefix finds all values that start with it, for any last byte", prefixes),
    ]

    /// Puts the rows, then compares every query and its count, in both orders, with sorting and filtering.
    static func compare(
        _ workbench: Workbench, _ collection: CollectionSchema, _ rows: [Values], _ queries: [Query]
    ) async throws {
        try await workbench.open { storage in
            try await storage.put(rows, in: collection)
            let naive = NaiveWalk(rows: rows)
            for var query in queries {
                for order in [Query.Order.ascending, .descending] {
                    query.order = order
                    try await compare(storage, query, naive)
                }
            }
        }
    }

    private static func compare(_ storage: any Storage, _ query: Query, _ naive: NaiveWalk) async throws {
        let expected = naive.rows(query)
        let query = query
        let (got, count) = try await storage.read { (try $0.rows(query), try $0.count(query)) }
        try expect(rows: got, equal: expected, query.description)
        try expect(count, equals: expected.count, "count of \(query.description)")
    }

    /// Returns queries with every kind of bounds that these keys allow on one index.
    private static func everyBounds(_ collection: CollectionSchema, _ index: Index?, _ keys: [Key]) -> [Query]
    {
        var bounds: [Bounds] = [.all] + keys.map { .equal($0) }
        for key in keys {
            for side in [Bounds.Bound.including(key), .excluding(key)] {
                bounds += [.between(side, nil), .between(nil, side)]
                for other in keys {
                    bounds += [.between(side, .including(other)), .between(side, .excluding(other))]
                }
            }
        }
        return bounds.map { Query(collection, by: index, $0) }
    }

    static let somePeople: [Values] = [
        Sample.person(.min, "Ann", name: "ann", stars: 3, team: 1),
        Sample.person(-2, "bob", name: nil, stars: 3),
        Sample.person(0, "Cid", name: "", stars: -1, team: .integer(.min)),
        Sample.person(1, "a", name: "Ann", stars: 3),
        Sample.person(2, "a\u{7F}", name: "ann", stars: .max, team: 1),
        Sample.person(3, "A@", name: "b", stars: 0, team: 1),
        Sample.person(4, "a\u{E9}", name: "anna", stars: 0, team: .integer(.max)),
        Sample.person(9, "z", name: "\u{1F600}", stars: .min, team: -1),
        Sample.person(.max, "", name: "ANN", stars: 1),
    ]

    private static func peopleByKey(_ workbench: Workbench) async throws {
        let keys: [Key] = [.integer(.min), -2, -1, 0, 3, .integer(.max), [4]]
        try await compare(workbench, Sample.people, somePeople, everyBounds(Sample.people, nil, keys))
    }

    private static func peopleByOneField(_ workbench: Workbench) async throws {
        let names: [Key] = [.null, "", "ann", "anm", "\u{1F600}"]
        let logins: [Key] = ["", "A", "ann", "BOB", "z", "{"]
        let stars: [Key] = [.integer(.min), -1, 3, 4, .integer(.max)]
        try await compare(
            workbench, Sample.people, somePeople,
            everyBounds(Sample.people, Sample.byName, names)
                + everyBounds(Sample.people, Sample.byLogin, logins)
                + everyBounds(Sample.people, Sample.byStars, stars))
    }

    private static func peopleBySeveralFields(_ workbench: Workbench) async throws {
        let teams: [Key] = [
            .null, 1, [1, "A@"], [1, "a\u{7F}", 2], [1, "a\u{7F}", 1], [.null, "bob"], .integer(.max),
            [-1, ""],
        ]
        let names: [Key] = ["ANN", ["ann", 3], ["ann", 3, 1], [.null, 3], ["b", .integer(.max)]]
        try await compare(
            workbench, Sample.people, somePeople,
            everyBounds(Sample.people, Sample.byTeamLogin, teams)
                + everyBounds(Sample.people, Sample.byNameFolded, names))
    }

    private static func pagesByText(_ workbench: Workbench) async throws {
        let rows = [
            Sample.page("", etag: ""), Sample.page("A", etag: "e1", visits: 2), Sample.page("a", visits: 2),
            Sample.page("a/b", etag: "e2"), Sample.page("a\u{1F600}", visits: -3),
            Sample.page("Z", etag: "E1"),
            Sample.page("e\u{301}", etag: "\u{E9}"), Sample.page("\u{E9}", etag: "e\u{301}", visits: 9),
        ]
        let texts: [Key] = ["", "a", "A", "a/b", "b", "\u{E9}", "\u{10FFFF}"]
        let visits: [Key] = [2, [2, "a"], [2, "B"], 0]
        try await compare(
            workbench, Sample.pages, rows,
            everyBounds(Sample.pages, nil, texts) + everyBounds(Sample.pages, Sample.byAddressFolded, texts)
                + everyBounds(
                    Sample.pages, Sample.byEtag, [.null, "", "e1", "E1", ["e2", "a/b"], "\u{E9}"])
                + everyBounds(Sample.pages, Sample.byVisits, visits))
    }

    private static func issuesByCompoundKey(_ workbench: Workbench) async throws {
        let rows = [
            Sample.issue("", 0, "z", votes: 2), Sample.issue("a", .min, assignee: "Ann"),
            Sample.issue("a", -1, "y", assignee: "ann", votes: 2), Sample.issue("a", 7, "x", assignee: ""),
            Sample.issue("a", .max, "y2"), Sample.issue("ab", 7, "x", assignee: "bob", votes: -2),
            Sample.issue("b", 7),
        ]
        let keys: [Key] = ["a", ["a", -1], ["a", .integer(.max)], ["a", 0], "ab", ["b", 7], ""]
        let assignees: [Key] = ["ANN", ["ann", -1], .null, [.null, 7], "", ["ann", .integer(.min), "a"]]
        let titles: [Key] = ["x", ["x", "a"], ["x", "a", "a", 7], "y", ["x", "ab", "a"]]
        try await compare(
            workbench, Sample.issues, rows,
            everyBounds(Sample.issues, nil, keys) + everyBounds(Sample.issues, Sample.byAssignee, assignees)
                + everyBounds(Sample.issues, Sample.byTitle, titles)
                + everyBounds(Sample.issues, Sample.byVotes, [.null, 2, [2, "a"], [2, "a", -1]]))
    }

    private static func prefixes(_ workbench: Workbench) async throws {
        let starts = [
            "", "a", "A", "Z", "z", "@", "[", "a\u{7F}", "\u{7F}", "%", "_", "a%", "\u{E9}", "e",
            "\u{1F600}",
            "\u{10FFFF}", "a*", "'", "\\", "\u{7FF}", "\u{FFFF}",
        ]
        let texts = Set(
            (starts + starts.flatMap { [$0 + "b", $0 + "\u{7F}", $0 + "\u{10FFFF}", $0 + "\u{301}"] })
                .map { Array($0.utf8) }
        ).map { String(decoding: $0, as: UTF8.self) }
        let pages = texts.map { Sample.page($0, visits: 1, body: .text($0)) }
        let pageQueries = starts.flatMap { start -> [Query] in
            let key = Key.text(start)
            return [
                Query(Sample.pages, .prefix(key)),
                Query(Sample.pages, by: Sample.byAddressFolded, .prefix(key)),
                Query(Sample.pages, by: Sample.byVisits, .prefix([1, key])),
                Query(Sample.pages, by: Sample.byVisits, .prefix([2, key])),
                Query(Sample.pages, .prefix(key), after: .text(start + "b"), limit: 2),
            ]
        }
        try await compare(workbench, Sample.pages, pages, pageQueries)
        let issues =
            texts.enumerated().map {
                Sample.issue("r", Int64($0.offset), $0.element, assignee: .text($0.element))
            }
            + [Sample.issue("s", 1, assignee: nil)]
        let issueQueries = starts.flatMap { start -> [Query] in
            [
                Query(Sample.issues, by: Sample.byAssignee, .prefix(.text(start))),
                Query(Sample.issues, by: Sample.byTitle, .prefix(.text(start))),
            ]
        }
        try await compare(workbench, Sample.issues, issues, issueQueries)
    }
}
