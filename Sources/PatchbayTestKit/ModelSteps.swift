import PatchbayCore

/// Generates the random steps of a model test. Values come from small sets, so that the same keys occur again.
struct ModelSteps {
    var generator: SeededGenerator
    /// Whether the storage can be closed and reopened.
    let reopens: Bool

    private static let texts = [
        "", "a", "A", "ab", "aB", "a\u{7F}", "ann", "Ann", "ANN", "b", "e\u{301}", "\u{E9}", "\u{C9}",
        "\u{1F600}", "z",
        "Z", "@", "[", "'", "\"\\\n", "\u{2028}", "%", "_", "\u{10FFFF}", "long long long long text",
    ]
    private static let integers: [Int64] = [.min, -256, -1, 0, 1, 2, 3, 4, 5, 6, 255, 1 << 53 + 1, .max]

    mutating func next() -> ModelStep {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0 where reopens: return .reopen
        case 1...2: return .rollback(actions(writing: true))
        case 3...8: return .read(actions(writing: false))
        case 9 where generator.oneIn(2): return .write((0..<120).map { _ in writingAction(wide: true) })
        default: return .write(actions(writing: true))
        }
    }

    private mutating func actions(writing: Bool) -> [ModelAction] {
        var actions: [ModelAction] = []
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            actions.append(writing && !generator.oneIn(4) ? writingAction(wide: false) : readingAction())
        }
        return actions
    }

    private mutating func writingAction(wide: Bool) -> ModelAction {
        let collection = generator.pick(Sample.schema.collections)
        switch Int.random(in: 0..<30, using: &generator) {
        case 0 where !wide: return .deleteAll(collection)
        case 1...6:
            return .delete(key(collection.primaryKey, collection, whole: true, wide: wide), collection)
        default: return .put(row(collection, wide: wide), collection)
        }
    }

    private mutating func readingAction() -> ModelAction {
        let collection = generator.pick(Sample.schema.collections)
        switch Int.random(in: 0..<6, using: &generator) {
        case 0:
            return .get(
                key(collection.primaryKey, collection, whole: true, wide: false), collection, fields())
        case 1: return .count(query(collection))
        default: return .scan(query(collection))
        }
    }

    private mutating func query(_ collection: CollectionSchema) -> Query {
        let index = generator.pick([collection.primaryKey] + collection.indexes)
        let after = generator.oneIn(3) ? key(index, collection, whole: generator.oneIn(2), wide: false) : nil
        return Query(
            collection, by: index, bounds(index, collection), after: after,
            order: generator.oneIn(2) ? .ascending : .descending,
            limit: generator.pick([.max, .max, .max, 0, 1, 2, 5, 20]), fields: fields())
    }

    private mutating func bounds(_ index: Index, _ collection: CollectionSchema) -> Bounds {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: return .all
        case 1: return .equal(key(index, collection, whole: false, wide: false))
        case 2:
            let key = key(index, collection, whole: false, wide: false)
            guard case .text? = key.values.last else { return .equal(key) }
            return .prefix(key)
        default: return .between(bound(index, collection), bound(index, collection))
        }
    }

    private mutating func bound(_ index: Index, _ collection: CollectionSchema) -> Bounds.Bound? {
        if generator.oneIn(4) { return nil }
        let key = key(index, collection, whole: false, wide: false)
        return generator.oneIn(2) ? .including(key) : .excluding(key)
    }

    /// Returns random values for some or all parts of an index.
    private mutating func key(_ index: Index, _ collection: CollectionSchema, whole: Bool, wide: Bool) -> Key
    {
        let parts = index == collection.primaryKey ? index.parts : index.parts + collection.primaryKey.parts
        let count = whole ? parts.count : Int.random(in: 1...parts.count, using: &generator)
        let values = parts.prefix(count).map { value(collection.fields[$0.position], wide: wide).key! }
        return values.count == 1 ? values[0] : .compound(values)
    }

    private mutating func row(_ collection: CollectionSchema, wide: Bool) -> Values {
        var row = collection.fields.map { value($0, wide: wide) }
        // Too long for its index. It must be the only fault of the row, so that every storage throws the same error.
        if collection == Sample.pages, generator.oneIn(30) {
            row[1] = .text(String(repeating: "x", count: 490))
        }
        return row
    }

    private mutating func value(_ field: Field, wide: Bool) -> FieldValue {
        if field.isOptional, generator.oneIn(4) { return .null }
        switch field.type {
        case .integer:
            return .integer(
                wide ? Int64.random(in: 0..<2_000, using: &generator) : generator.pick(ModelSteps.integers))
        case .real: return .real(generator.pick([0, 0.1, -1.5, 1e300, .infinity, .leastNonzeroMagnitude]))
        case .text:
            return .text(
                wide ? "t\(Int.random(in: 0..<2_000, using: &generator))" : generator.pick(ModelSteps.texts))
        case .bytes:
            return .bytes(generator.pick([[], [0], [255, 0, 10], Array(repeating: 7, count: 700)]))
        }
    }

    private mutating func fields() -> FieldSet {
        generator.oneIn(3) ? FieldSet(rawValue: UInt64.random(in: 0..<512, using: &generator)) : .all
    }
}
