import PatchbayCore
@testable import PatchbayTestKit

/// A transaction with the fault of its storage.
final class FaultyTransaction: StorageWriter {
    private let own: any StorageReader
    private let writer: (any StorageWriter)?
    private let clock: FaultClock

    init(_ reader: any StorageReader, _ writer: (any StorageWriter)?, _ clock: FaultClock) {
        self.own = reader
        self.writer = writer
        self.clock = clock
    }

    private var fault: Fault { clock.fault }

    var identity: StorageIdentity? { writer?.identity }

    private var reader: any StorageReader {
        let isShifting = fault == .readsAreUnstable || fault == .readsAreDirty
        return isShifting && writer == nil ? clock.newest ?? own : own
    }

    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        let key = fault.changed(key, in: collection)
        return try reader.get(key, in: collection, fields: fields) { row in
            try visiting(row, collection, fields, visit)
        }
    }

    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        let changed = fault.changed(query)
        do {
            try reader.scan(changed) { row in
                var step = Step.next
                try visiting(row, query.collection, query.fields) { step = try visit($0) }
                return fault == .stopIsIgnored ? .next : step
            }
        } catch {
            if fault != .swallowsErrors { throw error }
        }
    }

    func count(_ query: Query) throws -> Int {
        var query = fault.changed(query)
        if fault == .countsWithoutLimit { query.limit = .max }
        return try reader.count(query)
    }

    private func visiting(
        _ row: borrowing RowView, _ collection: CollectionSchema, _ fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws {
        guard fault == .projectsNothing, fields != .all else { return try visit(row) }
        let values = row.values(collection, .all).enumerated().map { position, value in
            position == 0 || !collection.fields[position].isOptional ? value : FieldValue.null
        }
        var builder = RowBuilder()
        try visit(builder.build(values, collection))
    }

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        let values = row.values(collection, .all).map { fault.changed($0) }
        switch fault {
        case .losesEveryFifthPut where clock.next() % 5 == 0: return
        case .putNeverReplaces:
            if try own.values(collection.key(of: row), in: collection) != nil { return }
        case .conflictOnNull where collection == Sample.pages && row.isNull(1):
            let other = try own.rows(Query(collection, by: Sample.byEtag, .equal(.null))).first
            if let other, other[0] != values[0] { throw PatchbayError.conflict(collection, Sample.byEtag) }
        default: break
        }
        var builder = RowBuilder()
        do {
            try writer!.put(builder.build(fault.repaired(values, collection), collection), in: collection)
        } catch let error as PatchbayError where error.code == .conflict {
            if fault == .ignoresConflicts { return }
            if fault == .refusedPutEndsTransaction { clock.breakTransaction() }
            throw error
        }
    }

    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        let wasThere = try writer!.delete(fault.changed(key, in: collection), in: collection)
        return fault == .deleteAlwaysAnswersYes || wasThere
    }

    func deleteAll(in collection: CollectionSchema) throws {
        try writer!.deleteAll(in: collection)
        guard fault == .deleteAllEmptiesNeighbours else { return }
        for other in clock.collections { try writer!.deleteAll(in: other) }
    }
}

extension RowBuilder {
    @_lifetime(&self)
    mutating func build(_ values: Values, _ collection: CollectionSchema) throws -> RowView {
        begin(collection)
        for (position, value) in values.enumerated() { value.write(to: &self, at: position) }
        return try finish()
    }
}

extension Fault {
    fileprivate func changed(_ query: Query) -> Query {
        var query = query
        switch self {
        case .ignoresOrder: query.order = .ascending
        case .ignoresAfter: query.after = nil
        case .ignoresAfterDescending: if query.order == .descending { query.after = nil }
        case .ignoresLimit: query.limit = .max
        case .limitZeroIsNone: if query.limit == 0 { query.limit = .max }
        case .ignoresBounds: query.bounds = .all
        case .swapsBoundKinds:
            if case .between(let lower?, let upper) = query.bounds {
                query.bounds = .between(
                    lower.isInclusive ? .excluding(lower.key) : .including(lower.key), upper)
            }
        case .alwaysWalksPrimaryKey:
            if case .all = query.bounds, query.after == nil { query.index = query.collection.primaryKey }
        default: break
        }
        return query
    }

    fileprivate func changed(_ key: Key, in collection: CollectionSchema) -> Key {
        guard self == .mergesSpellings else { return key }
        let values = key.values.map { FieldValue($0) }.map { changed($0).key! }
        return values.count == 1 ? values[0] : .compound(values)
    }

    fileprivate func changed(_ value: FieldValue) -> FieldValue {
        switch (self, value) {
        case (.mergesSpellings, .text(let text)):
            .text(text.utf8.elementsEqual("e\u{301}".utf8) ? "\u{E9}" : text)
        case (.foldsText, .text(let text)): .text(text.lowercased())
        case (.cutsLongText, .text(let text)): .text(String(text.prefix(65_535)))
        case (.emptyBecomesNull, .text("")): .null
        case (.roundsIntegers, .integer(let integer)): .integer(Int64(exactly: Double(integer)) ?? .max)
        case (.roundsReals, .real(let real)): .real(Double(Float(real)))
        case (.keepsNoBytes, .bytes): .bytes([])
        default: value
        }
    }

    /// Replaces null with an empty text in fields that must not be null.
    fileprivate func repaired(_ values: Values, _ collection: CollectionSchema) -> Values {
        guard self == .emptyBecomesNull else { return values }
        return zip(values, collection.fields).map { value, field in
            value == .null && !field.isOptional ? "" : value
        }
    }
}
