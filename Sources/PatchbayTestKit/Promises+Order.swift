import PatchbayCore

extension Promise {
    static let order: [Promise] = [
        Promise("order", "text is ordered by its UTF-8 bytes", textIsBytewise),
        Promise("order", "two encodings of a character are different keys", spellingsDiffer),
        Promise("order", "integers are ordered from the smallest to the largest", integersInOrder),
        Promise("order", "null comes before every other value", nullFirst),
        Promise("order", "rows with equal values are ordered by the primary key", tiesByPrimaryKey),
        Promise("order", "compound keys are ordered by their parts", compoundInOrder),
        Promise(
            "order", "an index that folds case treats A to Z as a to z and changes nothing else",
            foldingIsASCII),
        Promise("order", "descending order is the reverse of ascending order", descendingMirrors),
    ]

    /// Texts in the order of their bytes.
    static let textsInOrder = [
        "", "\u{1}", "\t", " ", "!", "0", "10", "2", "9", "@", "A", "AB", "Aa", "B", "Z", "[", "_", "`", "a",
        "aB",
        "ab", "abc", "abd", "ae", "a\u{7F}", "b", "e", "e\u{301}", "f", "z", "zz", "{", "\u{7F}", "\u{80}",
        "\u{9F}",
        "\u{C4}", "\u{E4}", "\u{E9}", "\u{FF}", "\u{100}", "\u{212B}", "\u{E000}", "\u{FEFF}", "\u{FFFD}",
        "\u{10000}", "\u{1F600}", "\u{1F600}\u{1F600}", "\u{10FFFF}",
    ]

    private static func textIsBytewise(_ storage: any Storage) async throws {
        let pages = textsInOrder.map { Sample.page($0) }
        try await storage.put(pages.reversed(), in: Sample.pages)
        try expect(rows: await storage.rows(Query(Sample.pages)), equal: pages, "texts as primary key")
        let people = textsInOrder.enumerated().map {
            Sample.person(Int64(-$0.offset), name: .text($0.element))
        }
        try await storage.put(people.reversed(), in: Sample.people)
        let byName = try await storage.rows(Query(Sample.people, by: Sample.byName))
        try expect(rows: byName, equal: people, "texts in an index")
    }

    private static func spellingsDiffer(_ storage: any Storage) async throws {
        let spellings = [
            "e\u{301}", "\u{E9}", "A\u{30A}", "\u{C5}", "\u{212B}", "\u{1E69}", "s\u{307}\u{323}",
        ]
        for (number, text) in spellings.enumerated() {
            let row = Sample.page(text, etag: .text(text), visits: Int64(number))
            try await storage.put([row], in: Sample.pages)
        }
        for (number, text) in spellings.enumerated() {
            let row = Sample.page(text, etag: .text(text), visits: Int64(number))
            let found = try await storage.values(.text(text), in: Sample.pages)
            try expect(found, equals: row, "get of \(FieldValue.text(text))")
            let byEtag = try await storage.rows(
                Query(Sample.pages, by: Sample.byEtag, .equal(.text(text))))
            try expect(rows: byEtag, equal: [row], "by a unique index, \(FieldValue.text(text))")
        }
        let wasThere = try await storage.write { try $0.delete("\u{E9}", in: Sample.pages) }
        try expect(wasThere, equals: true, "delete of one spelling")
        let other = try await storage.values("e\u{301}", in: Sample.pages)
        try expect(other?.first, equals: "e\u{301}", "the other spelling after the delete")
    }

    private static let integers: [Int64] = [
        .min, .min + 1, -(1 << 53) - 1, -(1 << 32), -65_536, -256, -255, -128, -10, -2, -1, 0, 1, 2, 9, 10,
        127, 128,
        255, 256, 65_535, 1 << 31, 1 << 32, 1 << 53, 1 << 53 + 1, .max - 1, .max,
    ]

    private static func integersInOrder(_ storage: any Storage) async throws {
        let people = integers.map { Sample.person($0, stars: $0, team: .integer($0)) }
        try await storage.put(people.reversed(), in: Sample.people)
        for index in [nil, Sample.byStars, Sample.byTeamLogin] {
            let rows = try await storage.rows(Query(Sample.people, by: index))
            try expect(rows: rows, equal: people, "integers by \(index?.name ?? "primary key")")
        }
        for integer in integers {
            let found = try await storage.rows(
                Query(Sample.people, by: Sample.byStars, .equal(.integer(integer))))
            try expect(
                rows: found, equal: [Sample.person(integer, stars: integer, team: .integer(integer))],
                "by_stars = \(integer)")
        }
    }

    private static func nullFirst(_ storage: any Storage) async throws {
        let people = [
            Sample.person(3, "c", name: nil, team: nil),
            Sample.person(4, "d", name: "", team: .integer(.min)),
            Sample.person(1, "a", name: "\u{1}", team: -1), Sample.person(2, "b", name: "x", team: 0),
        ]
        try await storage.put(people.reversed(), in: Sample.people)
        for index in [Sample.byName, Sample.byTeamLogin, Sample.byNameFolded] {
            let rows = try await storage.rows(Query(Sample.people, by: index))
            try expect(rows: rows, equal: people, "null before the smallest value in \(index.name)")
        }
        let byTeam = try await storage.rows(Query(Sample.people, by: Sample.byTeamLogin, .equal(.null)))
        try expect(rows: byTeam, equal: [people[0]], "rows whose team is null")
        let named = Query(Sample.people, by: Sample.byName, .between(.excluding(.null), nil))
        try expect(
            rows: await storage.rows(named), equal: Array(people.dropFirst()),
            "rows whose name is not null")
    }

    private static func tiesByPrimaryKey(_ storage: any Storage) async throws {
        let people = [-5, 0, 3, 20, 100].map { Sample.person($0, name: "same", stars: 7) }
        try await storage.put(
            [people[3], people[0], people[4], people[2], people[1]], in: Sample.people)
        for index in [Sample.byName, Sample.byStars, Sample.byNameFolded] {
            let rows = try await storage.rows(Query(Sample.people, by: index))
            try expect(rows: rows, equal: people, "ties in \(index.name)")
        }
        let folded = [Sample.page("B"), Sample.page("a"), Sample.page("b"), Sample.page("c")]
        try await storage.put([folded[2], folded[3], folded[0], folded[1]], in: Sample.pages)
        let rows = try await storage.rows(Query(Sample.pages, by: Sample.byAddressFolded))
        let expected = [folded[1], folded[0], folded[2], folded[3]]
        try expect(rows: rows, equal: expected, "two addresses that are equal when folded")
    }

    private static func compoundInOrder(_ storage: any Storage) async throws {
        let issues = [
            Sample.issue("", 9), Sample.issue("a", -1), Sample.issue("a", 2), Sample.issue("a", 10),
            Sample.issue("a\u{1}", 1), Sample.issue("aa", 1), Sample.issue("b", 0),
        ]
        try await storage.put(issues.reversed(), in: Sample.issues)
        try expect(
            rows: await storage.rows(Query(Sample.issues)), equal: issues, "keys of text and integer")
    }

    private static func foldingIsASCII(_ storage: any Storage) async throws {
        let logins = ["@", "[", "_", "AA", "ab", "AC", "zy", "ZZ", "{", "\u{C4}", "\u{E4}", "\u{130}"]
        let people = logins.enumerated().map { Sample.person(Int64($0.offset), $0.element) }
        try await storage.put(people.reversed(), in: Sample.people)
        let rows = try await storage.rows(Query(Sample.people, by: Sample.byLogin))
        try expect(rows: rows, equal: people, "logins in a folded index")
        for (login, id) in [("aB", 4), ("Ac", 5), ("zZ", 7)] {
            let found = try await storage.rows(
                Query(Sample.people, by: Sample.byLogin, .equal(.text(login))))
            try expect(rows: found, equal: [people[id]], "by_login = \"\(login)\"")
        }
    }

    private static func descendingMirrors(_ storage: any Storage) async throws {
        let names: [FieldValue] = [nil, "", "A", "a", "same", "same", "\u{E9}"]
        let people = names.enumerated().map { number, name in
            Sample.person(Int64(number * 3 % 7), name: name, stars: Int64(number / 2), team: .integer(7))
        }
        try await storage.put(people, in: Sample.people)
        for index in [Sample.people.primaryKey] + Sample.people.indexes {
            let ascending = try await storage.rows(Query(Sample.people, by: index))
            let descending = try await storage.rows(Query(Sample.people, by: index, order: .descending))
            try expect(rows: descending, equal: ascending.reversed(), "descending by \(index.name)")
            try expect(ascending.count, equals: people.count, "rows by \(index.name)")
        }
    }
}
