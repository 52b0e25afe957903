import PatchbayCore

extension Promise {
    static let migration: [Promise] = [
        Promise("migration", "added optional fields are null in existing rows", needs: .durable, addedFields),
        Promise("migration", "an added index finds existing rows", needs: .durable, addedIndexes),
        Promise(
            "migration", "an added index on an added field finds existing rows under null", needs: .durable,
            indexOfAdded),
        Promise("migration", "an index can be removed and added again", needs: .durable, removedIndex),
        Promise(
            "migration", "an index whose parts have changed is built again", needs: .durable,
            changedIndex),
        Promise(
            "migration", "adding a collection does not change the others", needs: .durable,
            addedCollection),
        Promise("migration", "thousands of rows are migrated", needs: .durable, manyRowsMigrate),
        Promise(
            "migration", "a storage with a newer schema is refused and not changed", needs: .durable,
            newerRefused),
        Promise(
            "migration", "a change that would lose data is refused", needs: .durable,
            incompatibleRefused),
        Promise(
            "migration", "a unique index that existing rows violate is refused", needs: .durable,
            brokenUniqueRefused),
    ]

    private static let fields = [Field("id", .integer), Field("login", .text), Field("stars", .integer)]
    private static let byLogin = Index("by_login", .caseFolded(1), unique: true)
    private static let byStars = Index("by_stars", .exact(2), .exact(1))
    private static let added = [
        Field("name", .text, isOptional: true), Field("team", .integer, isOptional: true),
        Field("ratio", .real, isOptional: true), Field("photo", .bytes, isOptional: true),
    ]
    private static let old = accounts()
    private static let oldRows: [Values] = [[1, "ann", 5], [2, "Bob", 3], [3, "cid", 5]]

    /// A collection whose name is an SQL keyword.
    private static func accounts(_ indexes: [Index] = [byLogin], _ fields: [Field] = fields)
        -> CollectionSchema
    {
        CollectionSchema("table", key: 0, indexes: indexes, fields: fields)
    }

    /// Writes the first rows with the old declaration.
    private static func begin(_ workbench: Workbench, _ collection: CollectionSchema = old) async throws {
        try await workbench.open(Schema(version: 1, [collection])) {
            try await $0.put(oldRows, in: collection)
        }
    }

    private static func addedFields(_ workbench: Workbench) async throws {
        try await begin(workbench)
        let new = accounts([byLogin], fields + added)
        var rows = oldRows.map { $0 + [nil, nil, nil, nil] }
        try await workbench.open(Schema(version: 2, [new])) { storage in
            try await expectRows(storage, new, rows)
            try await expectEveryIndex(storage, new, rows)
            rows[1] = [2, "Bob", 4, "Robert", 7, 0.5, .bytes([1])]
            rows.append([4, "dan", 0, "", nil, nil, .bytes([])])
            try await storage.put([rows[1], rows[3]], in: new)
        }
        try await workbench.open(Schema(version: 2, [new])) { storage in
            try await expectRows(storage, new, rows)
            try await expectEveryIndex(storage, new, rows)
            try await storage.write { _ = try $0.delete(1, in: new) }
            try await expectEveryIndex(storage, new, Array(rows.dropFirst()))
        }
    }

    private static func addedIndexes(_ workbench: Workbench) async throws {
        try await begin(workbench)
        let new = accounts([byLogin, byStars, Index("by_login_exact", .exact(1), unique: true)])
        try await workbench.open(Schema(version: 2, [new])) { storage in
            try await expectEveryIndex(storage, new, oldRows)
            try await storage.put([[1, "ann", 9]], in: new)
            try await storage.write { _ = try $0.delete(2, in: new) }
            try await expectEveryIndex(storage, new, [[1, "ann", 9], [3, "cid", 5]])
        }
        try await workbench.open(Schema(version: 2, [new])) { storage in
            try await expectEveryIndex(storage, new, [[1, "ann", 9], [3, "cid", 5]])
        }
    }

    private static func indexOfAdded(_ workbench: Workbench) async throws {
        try await begin(workbench)
        let byName = Index("by_name", .exact(3), unique: true),
            byTeam = Index("by_team", .exact(4), .caseFolded(1))
        let new = accounts([byLogin, byName, byTeam], fields + added)
        var rows = oldRows.map { $0 + [nil, nil, nil, nil] }
        try await workbench.open(Schema(version: 2, [new])) { storage in
            try await expectEveryIndex(storage, new, rows)
            let unnamed = try await storage.rows(Query(new, by: byName, .equal(.null)))
            try expect(rows: unnamed, equal: rows, "old rows by the added index, name = null")
            rows[0] = [1, "ann", 5, "Ann", 2, nil, nil]
            try await storage.put([rows[0]], in: new)
            try await expectEveryIndex(storage, new, rows)
            try await expectRefusal(
                .conflict, of: "a second row with the name \"Ann\" in the added unique index"
            ) {
                try await storage.put([[2, "Bob", 3, "Ann", nil, nil, nil]], in: new)
            }
        }
    }

    private static func removedIndex(_ workbench: Workbench) async throws {
        try await begin(workbench)
        let without = accounts([])
        let rows: [Values] = [[1, "ANN", 5], [2, "Bob", 3], [3, "dan", 5]]
        try await workbench.open(Schema(version: 2, [without])) { storage in
            try await expectEveryIndex(storage, without, oldRows)
            try await storage.put([[3, "ann", 5]], in: without)
            try await storage.put([rows[2], rows[0]], in: without)
        }
        try await workbench.open(Schema(version: 3, [old])) { storage in
            try await expectEveryIndex(storage, old, rows)
        }
    }

    private static func changedIndex(_ workbench: Workbench) async throws {
        try await begin(workbench, accounts([byLogin, Index("by_stars", .exact(2))]))
        let new = accounts([Index("by_login", .exact(1)), byStars])
        try await workbench.open(Schema(version: 2, [new])) { storage in
            try await expectEveryIndex(storage, new, oldRows)
            try await storage.put([[9, "ANN", 5], [8, "ann", 5]], in: new)
            try await expectEveryIndex(storage, new, oldRows + [[9, "ANN", 5], [8, "ann", 5]])
        }
    }

    private static func addedCollection(_ workbench: Workbench) async throws {
        try await begin(workbench)
        let schema = Schema(version: 2, [Sample.issues, old, Sample.pages])
        try await workbench.open(schema) { storage in
            try await expectEveryIndex(storage, old, oldRows)
            try await expectEveryIndex(storage, Sample.pages, [])
            try await storage.put([Sample.issue("a", 1)], in: Sample.issues)
        }
        try await workbench.open(schema) { storage in
            try await expectEveryIndex(storage, old, oldRows)
            try await expectEveryIndex(storage, Sample.issues, [Sample.issue("a", 1)])
        }
    }

    private static func manyRowsMigrate(_ workbench: Workbench) async throws {
        let rows: [Values] = (0..<5_000).map { [.integer($0), .text("login\($0)"), .integer($0 % 17)] }
        try await workbench.open(Schema(version: 1, [old])) { try await $0.put(rows, in: old) }
        // All kinds of changes at once.
        let new = accounts([byStars, Index("by_login_exact", .exact(1), unique: true)], fields + added)
        try await workbench.open(Schema(version: 2, [new, Sample.pages])) { storage in
            try await expectEveryIndex(storage, new, rows.map { $0 + [nil, nil, nil, nil] })
            try await expectEveryIndex(storage, Sample.pages, [])
        }
    }

    private static func newerRefused(_ workbench: Workbench) async throws {
        let new = accounts([byLogin, byStars], fields + added)
        try await workbench.open(Schema(version: 7, [new])) { storage in
            try await storage.put([[1, "ann", 5, "Ann", nil, 0.5, nil]], in: new)
        }
        for collection in [old, new] {
            try await expectRefusal(.unsupported, of: "opening schema 7 as schema 6") {
                try await workbench.open(Schema(version: 6, [collection])) { _ in }
            }
        }
        try await workbench.open(Schema(version: 7, [new])) { storage in
            try await expectEveryIndex(storage, new, [[1, "ann", 5, "Ann", nil, 0.5, nil]])
        }
    }

    private static func incompatibleRefused(_ workbench: Workbench) async throws {
        try await begin(workbench)
        var retyped = fields, renamed = fields, optional = fields
        retyped[2] = Field("stars", .text)
        renamed[2] = Field("points", .integer)
        optional[2] = Field("stars", .integer, isOptional: true)
        let changes: [(String, CollectionSchema)] = [
            ("a field of another type", accounts([], retyped)), ("a renamed field", accounts([], renamed)),
            ("a field made optional", accounts([], optional)),
            ("a removed field", accounts([], Array(fields.prefix(2)))),
            ("a field added in the middle", accounts([], [fields[0], added[0]] + fields.dropFirst())),
            ("an added field that is required", accounts([], fields + [Field("must", .integer)])),
            ("another primary key", CollectionSchema("table", key: 1, fields: fields)),
        ]
        for (what, collection) in changes {
            // The first collection could be migrated, but must not be when another one cannot.
            let schema = Schema(version: 2, [Sample.pages, collection])
            try await expectRefusal(.unsupported, of: "opening with \(what)") {
                try await workbench.open(schema) { _ in }
            }
            try await workbench.open(Schema(version: 1, [old])) { storage in
                try await expectEveryIndex(storage, old, oldRows)
            }
        }
    }

    private static func brokenUniqueRefused(_ workbench: Workbench) async throws {
        let plain = accounts([]), violating: [Values] = oldRows + [[4, "BOB", 4]]
        try await workbench.open(Schema(version: 1, [plain])) { try await $0.put(violating, in: plain) }
        let unique = [byLogin, Index("by_stars", .exact(2), unique: true)]
        for index in unique {
            // The field must not be added either.
            let new = accounts([index], fields + added)
            try await expectRefusal(.conflict, of: "adding the index \(index.name), which two rows violate") {
                try await workbench.open(Schema(version: 2, [new])) { _ in }
            }
            try await workbench.open(Schema(version: 1, [plain])) { storage in
                try await expectEveryIndex(storage, plain, violating)
            }
        }
        let rows: [Values] = [[1, "ann", 5], [2, "Bob", 3], [3, "cid", 6], [4, "dan", 4]]
        try await workbench.open(Schema(version: 1, [plain])) { try await $0.put(rows, in: plain) }
        let new = accounts(unique, fields + added)
        try await workbench.open(Schema(version: 2, [new])) { storage in
            try await expectEveryIndex(storage, new, rows.map { $0 + [nil, nil, nil, nil] })
        }
    }
}
