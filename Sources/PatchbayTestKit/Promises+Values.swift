import PatchbayCore

extension Promise {
    static let values: [Promise] = [
        Promise("values", "hostile text is returned byte for byte", hostileText),
        Promise("values", "text of a megabyte is returned unchanged", longText),
        Promise("values", "empty values differ from null", emptyIsNotNull),
        Promise("values", "integers are exact in 64 bits", exactIntegers),
        Promise("values", "real numbers are returned bit for bit", exactReals),
        Promise("values", "-0 is stored as 0", minusZero),
        Promise("values", "bytes of every value are returned unchanged", everyByte),
        Promise("values", "values that no storage accepts are refused and change nothing", refused),
        Promise("values", "keys up to the limit are accepted, longer ones refused", keyLength),
        Promise("values", "a key of one value may be written as a compound key", compoundOfOne),
        Promise("values", "collections and fields may have names that engines reserve", reservedNames),
    ]

    private static func reservedNames(_ workbench: Workbench) async throws {
        let names = ["xmin", "xmax", "cmin", "cmax", "ctid", "tableoid", "oid", "rowid", "select", "user"]
        let fields = names.map { Field($0, .text) }
        let indexes = [Index("by_ctid", .exact(4)), Index("by_xmin", .exact(0), .exact(1))]
        let collections = ["sqlite_master", "sqlite_users", "pg_class", "select", "index"].flatMap { name in
            [
                CollectionSchema(name, key: 0, indexes: indexes, fields: fields),
                CollectionSchema(
                    name + "_integers", key: 0, fields: [Field("ctid", .integer)] + fields[..<4]),
            ]
        }
        let schema = Schema(version: 1, collections)
        func rows(_ collection: CollectionSchema) -> [Values] {
            (1...3 as ClosedRange<Int64>).map { number in
                collection.fields.map {
                    $0.type == .integer ? .integer(number) : .text("\($0.name) \(number)")
                }
            }
        }
        try await workbench.open(schema) { storage in
            for collection in collections { try await storage.put(rows(collection), in: collection) }
            for collection in collections {
                try await expectRows(storage, collection, rows(collection))
                for index in collection.indexes {
                    let found = try await storage.rows(Query(collection, by: index))
                    try expect(
                        rows: found, equal: rows(collection), "walk of \(collection.name).\(index.name)")
                }
            }
        }
    }

    /// Texts that are hard for quoting, escaping, line splitting, encodings and terminals.
    static let hostileTexts = [
        "", " ", "  two  spaces  ", "'", "''", "\"", "\\", "\\\\", "\\n", "\\u0041", "`", "\n", "\r\n", "\r",
        "\t",
        "a\nb\n", "{\"id\":1}", "[1,2", "null", "true", "0", "-1", "1e5", "NaN", "; --",
        "'; DROP TABLE people; --",
        "<script>alert('x')</script>", "%s%n%d", "${HOME}", "$(reboot)", "../../etc/passwd", "\u{1}",
        "\u{8}\u{C}",
        "\u{1B}[31mred\u{1B}[0m", "\u{7F}", "\u{80}\u{85}\u{9F}", "\u{AD}", "\u{2028}\u{2029}",
        "\u{200B}\u{200D}",
        "\u{202E}reversed", "\u{FEFF}start", "\u{FFFD}", "\u{FFFE}\u{FFFF}", "\u{1F600}",
        "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "\u{10FFFF}", "\u{301}", "\u{301}\u{301}alone",
        "e\u{301}",
        "\u{E9}", "\u{212B}", "\u{DF}", "\u{130}\u{131}", "\u{5D0}\u{5D1}", "\u{4E2D}\u{6587}", "\u{AC00}",
        "\u{1100}\u{1161}", "\u{D7FF}\u{E000}",
    ]

    /// Puts the rows, then reads each one with a get and all of them with a scan.
    static func roundTrip(_ workbench: Workbench, _ collection: CollectionSchema, _ rows: [Values])
        async throws
    {
        try await workbench.open { storage in
            try await storage.put(rows, in: collection)
            try await expectRows(storage, collection, rows)
        }
    }

    static func expectRows(_ storage: any Storage, _ collection: CollectionSchema, _ rows: [Values])
        async throws
    {
        for row in rows {
            let parts = collection.primaryKey.parts.map { row[$0.position].key! }
            let key = parts.count == 1 ? parts[0] : .compound(parts)
            try expect(await storage.values(key, in: collection), equals: row, "get of \(key.escaped)")
        }
        let all = NaiveWalk(rows: rows).rows(Query(collection))
        try expect(rows: await storage.rows(Query(collection)), equal: all, "scan of \(collection.name)")
    }

    private static func hostileText(_ workbench: Workbench) async throws {
        let pages = hostileTexts.map { Sample.page($0, etag: .text($0), visits: 1, body: .text($0 + $0)) }
        let people = hostileTexts.enumerated().map {
            Sample.person(Int64($0.offset), name: .text($0.element))
        }
        let issues = hostileTexts.map { Sample.issue($0, 1, $0, assignee: .text($0)) }
        try await roundTrip(workbench, Sample.pages, pages)
        try await roundTrip(workbench, Sample.people, people)
        try await roundTrip(workbench, Sample.issues, issues)
        try await workbench.open { storage in
            try await storage.put(pages, in: Sample.pages)
            for (text, page) in zip(hostileTexts, pages) {
                let byEtag = Query(Sample.pages, by: Sample.byEtag, .equal(.text(text)))
                try expect(rows: await storage.rows(byEtag), equal: [page], byEtag.description)
            }
        }
    }

    private static func longText(_ workbench: Workbench) async throws {
        let texts = [
            String(repeating: "x", count: 1 << 20), String(repeating: "\u{1F600}\n\"", count: 1 << 17),
            String(repeating: "y", count: 4_095), String(repeating: "z", count: 65_536),
        ]
        let pages = texts.enumerated().map { Sample.page("page\($0.offset)", body: .text($0.element)) }
        try await roundTrip(workbench, Sample.pages, pages + [Sample.page("short", body: "s")])
    }

    private static func emptyIsNotNull(_ workbench: Workbench) async throws {
        var full = Sample.person(1, "", name: "", team: 0)
        full[6] = 0.0
        full[8] = .bytes([])
        try await roundTrip(workbench, Sample.people, [full, Sample.person(2, "x")])
        try await roundTrip(
            workbench, Sample.pages, [Sample.page("", etag: "", body: ""), Sample.page("a")])
        try await workbench.open { storage in
            try await storage.put([full, Sample.person(2, "x")], in: Sample.people)
            for (index, empty) in [(Sample.byName, Key.text("")), (Sample.byTeamLogin, 0)] {
                let found = try await storage.rows(Query(Sample.people, by: index, .equal(empty)))
                try expect(rows: found, equal: [full], "\(index.name) = \(empty)")
                let null = try await storage.rows(Query(Sample.people, by: index, .equal(.null)))
                try expect(rows: null, equal: [Sample.person(2, "x")], "\(index.name) = null")
            }
        }
    }

    private static func exactIntegers(_ workbench: Workbench) async throws {
        var integers: Set<Int64> = [.min, .min + 1, .max - 1, .max, 0, 1, -1]
        for bits in [7, 8, 15, 16, 31, 32, 52, 53, 54, 62] {
            for near in -1...1 as ClosedRange<Int64> {
                integers.formUnion([1 << bits + near, -(1 << bits) + near])
            }
        }
        let people = integers.map { Sample.person($0, stars: $0, team: .integer($0)) }
        try await roundTrip(workbench, Sample.people, people)
    }

    private static func exactReals(_ workbench: Workbench) async throws {
        let reals: [Double] = [
            0, 1, -1, 0.1, 1.0 / 3, .pi, 1e15, 1e16, 123_456_789_012_345_680, 9_007_199_254_740_992, 1e21,
            1e-7, 1e300,
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNormalMagnitude,
            .leastNonzeroMagnitude,
            -.leastNonzeroMagnitude, .leastNormalMagnitude.nextDown, .infinity, -.infinity, 1.0.nextUp,
            1.0.nextDown,
            2.0, 100, -3, 9.2e18, 0x1p63, -0x1p63,
        ]
        let people = reals.enumerated().map { number, real in
            var row = Sample.person(Int64(number))
            row[5] = .real(real)
            row[6] = number % 2 == 0 ? .real(-real == 0 ? 0 : -real) : .null
            return row
        }
        try await roundTrip(workbench, Sample.people, people)
    }

    private static func minusZero(_ storage: any Storage) async throws {
        var row = Sample.person(1)
        row[5] = .real(-0.0)
        row[6] = .real(-0.0)
        try await storage.put([row], in: Sample.people)
        row[5] = 0.0
        row[6] = 0.0
        try expect(await storage.values(1, in: Sample.people), equals: row, "-0 in two fields")
    }

    private static func everyByte(_ workbench: Workbench) async throws {
        let all = (0...255).map { UInt8($0) }
        let contents: [[UInt8]] = [
            [], [0], [0, 0, 0], all, all.reversed(), Array(repeating: 255, count: 5_000), [0xC3],
            [0xED, 0xA0, 0x80],
            Array(repeating: 0, count: 1 << 20),
        ]
        let people = contents.enumerated().map { number, bytes in
            var row = Sample.person(Int64(number))
            row[7] = .bytes(bytes)
            row[8] = number % 2 == 0 ? .bytes(bytes.reversed()) : .null
            return row
        }
        try await roundTrip(workbench, Sample.people, people)
    }

    private static func refused(_ storage: any Storage) async throws {
        try await storage.put([Sample.person(1)], in: Sample.people)
        let faults: [(String, Int, FieldValue)] = [
            ("NaN", 5, .real(.nan)), ("a signalling NaN", 6, .real(.signalingNaN)),
            ("U+0000 in text", 2, "a\0b"),
            ("a required field that is null", 3, nil), ("a required text that is null", 1, nil),
        ]
        for (what, position, value) in faults {
            var row = Sample.person(1, "changed")
            row[position] = value
            let bad = row
            try await expectRefusal(.invalidValue, of: "a row with \(what)") {
                try await storage.put([Sample.person(2), bad], in: Sample.people)
            }
            let rows = try await storage.rows(Query(Sample.people))
            try expect(rows: rows, equal: [Sample.person(1)], "people after \(what) was refused")
        }
    }

    private static func keyLength(_ storage: any Storage) async throws {
        // A text key takes its bytes and one more.
        let longest = String(repeating: "k", count: Limits.keyBytes - 1), tooLong = longest + "k"
        // An index entry ends with the primary key, so each may take half.
        let half = String(repeating: "h", count: Limits.keyBytes / 2 - 10)
        try await storage.put([Sample.page(half, etag: .text(half))], in: Sample.pages)
        try await expectRefusal(.invalidValue, of: "a key of \(Limits.keyBytes + 1) bytes") {
            try await storage.put([Sample.page(tooLong)], in: Sample.pages)
        }
        try await expectRefusal(
            .invalidValue, of: "an index entry that is too long with its primary key"
        ) {
            try await storage.put([Sample.page(longest, etag: "e")], in: Sample.pages)
        }
        try await expectRefusal(.invalidValue, of: "an etag that is too long for its index") {
            try await storage.put([Sample.page("short", etag: .text(tooLong))], in: Sample.pages)
        }
        try await expectRefusal(.invalidValue, of: "a get by a key that is too long") {
            try await storage.values(.text(tooLong), in: Sample.pages)
        }
        try await expectRefusal(.invalidValue, of: "a query with bounds that are too long") {
            try await storage.rows(Query(Sample.pages, .equal(.text(tooLong))))
        }
        let rows = try await storage.rows(Query(Sample.pages))
        try expect(rows: rows, equal: [Sample.page(half, etag: .text(half))], "pages after the refusals")
    }

    private static func compoundOfOne(_ storage: any Storage) async throws {
        try await storage.put([Sample.person(1, "ann"), Sample.person(2, "bob")], in: Sample.people)
        try await storage.put([Sample.page("a")], in: Sample.pages)
        try expect(
            await storage.values([2], in: Sample.people), equals: Sample.person(2, "bob"), "get of (2)")
        try expect(
            await storage.values(["a"], in: Sample.pages), equals: Sample.page("a"), "get of (\"a\")")
        let rows = try await storage.rows(Query(Sample.people, by: Sample.byLogin, .equal(["BOB"])))
        try expect(rows: rows, equal: [Sample.person(2, "bob")], "by_login = (\"BOB\")")
        let wasThere = try await storage.write { try $0.delete([1], in: Sample.people) }
        try expect(wasThere, equals: true, "delete of (1)")
    }
}
