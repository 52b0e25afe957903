import PatchbayCore
import PatchbayDomain

/// A value in a condition of a statement, as far as walks can use it.
enum ConditionValue {
    case null
    case integer(Int64)
    case text([UInt8])
    /// A real number or a blob.
    case other
}

extension TablePlan {
    /// The rows to visit for the values of the plan's conditions.
    enum Visit {
        case nothing
        case row(Key)
        case rows(Query)
        case count
    }

    func visit(_ values: [ConditionValue], in table: QueryTable) -> Visit {
        let collection = table.resource.collection
        if countsOnly { return .count }
        if case .keyText? = uses.first?.role { return row(values[0], in: table) }
        var equal: [Key] = []
        var bounds = Bounds.all, isExact = true
        var lower: Bounds.Bound?, upper: Bounds.Bound?
        for (use, value) in zip(uses, values) where isExact {
            switch use.role {
            case .absent:
                guard isOptional(equal.count, collection) else { return .nothing }
                equal.append(.null)
            case .equal(let column, let matchesNull):
                if !matchesNull, case .null = value { return .nothing }
                switch key(value, column, at: equal.count, collection) {
                case .key(let key): equal.append(key)
                case .nothing: return .nothing
                case .anything: isExact = false
                }
            case .lower(let column, let isInclusive):
                lower = bound(value, column, isInclusive: isInclusive, after: equal, collection)
                if lower == nil, case .null = value { return .nothing }
            case .upper(let column, let isInclusive):
                upper = bound(value, column, isInclusive: isInclusive, after: equal, collection)
                if upper == nil, case .null = value { return .nothing }
            case .present:
                if isOptional(equal.count, collection) { lower = .excluding(.compound(equal + [.null])) }
            case .pattern(_, let wildcards):
                if case .null = value { return .nothing }
                if let start = beginning(value, wildcards) {
                    bounds = .prefix(.compound(equal + [.text(start)]))
                }
            case .keyText: break
            }
        }
        if isKey, isExact, equal.count == order.ownCount {
            return .row(equal.count == 1 ? equal[0] : .compound(equal))
        }
        if case .all = bounds { bounds = between(lower, upper, after: equal, collection) }
        return .rows(query(bounds, collection))
    }

    /// The column of a value of IN with which SQLite would compare a text as a text, although the value is a number.
    func numberColumn(_ values: [ConditionValue], in table: QueryTable) -> NumberColumn? {
        for (use, column) in listed {
            switch (values[use], uses[use].role) {
            case (.integer, .keyText) where table.hasIntegerKey: continue
            case (.integer, _), (.other, _): return table.numbers(in: column)
            case (.text, _), (.null, _): continue
            }
        }
        return nil
    }

    /// The row whose `_key` compares as equal to a value.
    private func row(_ value: ConditionValue, in table: QueryTable) -> Visit {
        let text: String?
        switch value {
        case .null: return .nothing
        // Only one text is equal to an integer if all are integers.
        case .integer(let number) where table.hasIntegerKey: text = String(number)
        case .text(let bytes): text = String(validating: bytes, as: UTF8.self)
        case .integer, .other: return .rows(query(.all, table.resource.collection))
        }
        let key = text.flatMap { KeyText.key($0, of: table.resource) }
        return key.map { .row($0) } ?? .nothing
    }

    /// The walk, without bounds if a value is longer than any key.
    private func query(_ bounds: Bounds, _ collection: CollectionSchema) -> Query {
        var query = Query(
            collection, by: order.index, bounds, order: isDescending ? .descending : .ascending,
            fields: fields)
        // The error has no other cause than the length.
        if (try? query.keyRange()) == nil { query.bounds = .all }
        return query
    }

    private func between(
        _ lower: Bounds.Bound?, _ upper: Bounds.Bound?, after equal: [Key], _ collection: CollectionSchema
    ) -> Bounds {
        if lower == nil, upper == nil { return equal.isEmpty ? .all : .equal(.compound(equal)) }
        let start = equal.isEmpty ? nil : Bounds.Bound.including(.compound(equal))
        // A comparison is never true for null, so that nulls, which come first, are passed over.
        let values =
            isOptional(equal.count, collection)
            ? Bounds.Bound.excluding(.compound(equal + [.null])) : start
        return .between(lower ?? values, upper ?? start)
    }

    private func isOptional(_ part: Int, _ collection: CollectionSchema) -> Bool {
        collection.fields[order.parts[part].position].isOptional
    }

    // MARK: Values as keys

    private enum Match {
        case key(Key)
        /// No row has the value.
        case nothing
        /// The walk cannot use the value.
        case anything
    }

    private func key(
        _ value: ConditionValue, _ column: QueryColumn, at part: Int, _ collection: CollectionSchema
    ) -> Match {
        switch (value, column.type) {
        case (.null, _): return isOptional(part, collection) ? .key(.null) : .nothing
        case (.integer(let number), .integer), (.integer(let number), .boolean): return .key(.integer(number))
        case (.text(let bytes), .time):
            guard let time = TimeText.first(notBefore: bytes), TimeText.isText(bytes, of: time),
                !isAtEdge(time)
            else { return .anything }
            return .key(.integer(time))
        case (.text(let bytes), .text), (.text(let bytes), .json):
            return text(bytes).map { .key(.text($0)) } ?? .anything
        default: return .anything
        }
    }

    private func bound(
        _ value: ConditionValue, _ column: QueryColumn, isInclusive: Bool, after equal: [Key],
        _ collection: CollectionSchema
    ) -> Bounds.Bound? {
        if case (.text(let bytes), .time) = (value, column.type) {
            guard let time = TimeText.first(notBefore: bytes), !isAtEdge(time) else { return nil }
            return .including(.compound(equal + [.integer(time)]))
        }
        guard case .key(let key) = key(value, column, at: equal.count, collection), key != .null else {
            return nil
        }
        let full = Key.compound(equal + [key])
        return isInclusive ? .including(full) : .excluding(full)
    }

    /// Whether other stored times have the same text, because only times in the years 0 to 9999 are shown.
    private func isAtEdge(_ time: Int64) -> Bool {
        time == Timestamp.storedRange.lowerBound || time == Timestamp.storedRange.upperBound
    }

    /// The part of a pattern before its first wildcard; nil when it has no such part.
    private func beginning(_ value: ConditionValue, _ wildcards: StaticString) -> String? {
        guard case .text(let bytes) = value else { return nil }
        let signs = Array("\(wildcards)".utf8)
        var start = bytes.prefix { !signs.contains($0) }
        // Ends before a character whose bytes a wildcard could be a part of.
        while let last = start.last, last >= 0x80 { start.removeLast() }
        return start.isEmpty ? nil : text(Array(start))
    }

    /// A text that a key can contain; nil for bytes that are not UTF-8, and for U+0000.
    private func text(_ bytes: [UInt8]) -> String? {
        bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
    }
}
