import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Decodes JSON bytes directly into rows of a resource, with one pass and one allocation per row.
///
/// Unknown members are skipped. If a member is repeated, the last one is used. U+0000 in a text becomes U+FFFD, because
/// no storage can store it, but never in a key or a handle: two ids must not become one.
///
/// A row of a list without a key, or with one that cannot be stored exactly, is refused: it is left out, and the first
/// such fault is kept in ``refusal``.
struct RowReading: ~Copyable {
    /// The maximum number of rows on a page.
    static let rowsMax = Limits.pageRows

    let shape: RowShape
    let body: [UInt8]
    /// The row that the list belongs to.
    let parent: Item?
    /// Returns the value of an argument of the list.
    let argument: (String) -> String?
    /// Whether the answer is from a row's own address, which has every field.
    let isSingle: Bool
    var builder = ItemBuilder()
    var items: [Item] = []
    /// The fields of the current row that have been set, possibly to null.
    var seen: UInt64 = 0
    /// The fields that any row has set.
    var everSeen: UInt64 = 0
    /// The values collected so far, by field.
    var collected: [Int: [UInt8]] = [:]
    var scratch: [UInt8] = []
    /// The number of values of each field that became null because of their type.
    var emptied: [Int: Int] = [:]
    /// The number of texts of each field with characters that cannot be stored.
    var altered: [Int: Int] = [:]
    var unread = UnreadNames()
    /// The offset of the current reader's bytes in the body.
    var base = 0
    /// The value of the order field in the current row.
    var order: Int64 = 0
    var lastOrder: Int64?
    var place = 0
    /// Why the key of the current row cannot be used; nil while it can.
    var keyFault: RowFault?
    /// The first refused row, and the number of them.
    var refusal: RowFault?
    var refused = 0
    /// The places in the body of the rows that the condition leaves out.
    var leftOut: [Range<Int>] = []
    /// Whether the condition leaves out the last row.
    var isLastLeftOut = false
    var memberName: String?
    /// Whether ``memberName`` can be stored exactly.
    var isMemberExact = true
    /// Whether the current row is one of an array, so that the others can be kept without it.
    var isInArray = false
    /// The members below a wildcard that some groups lack and that some have, as the number of steps to them. A group
    /// without rows is empty, but if no group has any, the path is wrong.
    private var lacking: Set<Int> = []
    private var present: Set<Int> = []

    init(
        _ shape: RowShape, _ body: [UInt8], parent: Item?, isSingle: Bool = false,
        argument: @escaping (String) -> String? = { _ in nil }
    ) {
        self.shape = shape
        self.body = body
        self.parent = parent
        self.argument = argument
        self.isSingle = isSingle
    }

    /// Returns the rows of a list's answer, the number of places that they take up in the list (with nulls and
    /// duplicates), and the number of values that became null because of their type, by field.
    ///
    /// - Parameters:
    ///   - place: the position of the first row in the list.
    ///   - argument: returns the value of an argument of the list.
    /// - Throws: ``RowFault``, also when every row is refused.
    static func list(
        _ shape: RowShape, _ body: [UInt8], parent: Item?, from place: Int,
        argument: @escaping (String) -> String? = { _ in nil }
    ) throws -> RowsRead {
        var reading = RowReading(shape, body, parent: parent, argument: argument)
        reading.place = place
        do { try reading.readBody() } catch { throw RowFault(error) }
        if let refusal = reading.refusal, reading.items.isEmpty { throw refusal }
        return RowsRead(
            items: reading.items, count: reading.place - place, refusal: reading.refusal,
            refused: reading.refused, emptied: reading.byName(reading.emptied),
            altered: reading.byName(reading.altered), absent: reading.absentNames,
            unread: reading.unread.names,
            body: body, leftOut: reading.leftOut, isLastLeftOut: reading.isLastLeftOut)
    }

    /// Returns the row of an answer from its own address; nil for null.
    ///
    /// - Throws: ``RowFault``
    static func single(_ shape: RowShape, _ body: [UInt8]) throws -> Item? {
        var reading = RowReading(shape, body, parent: nil, isSingle: true)
        do {
            try reading.readBody()
            guard reading.items.count < 2 else {
                throw RowFault("", "expected one row, found \(reading.items.count)")
            }
            return reading.items.first
        } catch {
            throw RowFault(error)
        }
    }
}

// MARK: - Finding the rows

extension RowReading {
    private mutating func readBody() throws {
        let body = body
        var reader = JSONReader(body.span.bytes)
        try readRows(at: shape.rows[...], &reader)
        try reader.finish()
        guard let end = lacking.subtracting(present).min(), !shape.rowsMayBeMissing else { return }
        let path = shape.rows[..<end].map(\.description).joined(separator: ".")
        throw RowFault(path, "expected the rows, found no such member")
    }

    private mutating func readRows(at steps: ArraySlice<JSONPath.Step>, _ reader: inout JSONReader) throws {
        if isInGroup(steps), try reader.peek() == .null { return try reader.skipValue() }
        switch steps.first {
        case nil: try readRowsHere(&reader)
        case .member(let name)?: try readMember(name, steps.dropFirst(), &reader)
        case .each?: try readEach(steps.dropFirst(), &reader)
        case .from(let first)?:
            guard try reader.peek() != .null else { return try reader.skipValue() }
            try readArray(from: first, &reader)
        case .matching?: throw RowFault("", "a path to rows cannot choose elements by a member")
        }
    }

    /// Whether a wildcard leads to these steps.
    private func isInGroup(_ steps: ArraySlice<JSONPath.Step>) -> Bool {
        shape.rows[..<steps.startIndex].contains(.each)
    }

    /// Reads an array of rows, or one row; null has no rows.
    private mutating func readRowsHere(_ reader: inout JSONReader) throws {
        // If this is not JSON, beginning the array below reports it.
        let kind = (try? reader.peek()) ?? .array
        guard kind == .array, !isSingle else {
            return kind == .null ? try reader.skipValue() : try readOnly(kind, &reader)
        }
        try readArray(from: 0, &reader)
    }

    /// Reads the rows of an array from an index on.
    private mutating func readArray(from first: Int, _ reader: inout JSONReader) throws {
        var at = 0
        try reader.beginArray()
        while try reader.nextElement() {
            at += 1
            guard at > first else {
                try reader.skipValue()
                continue
            }
            isInArray = true
            do {
                if try reader.peek() == .null { try skipNull(&reader) } else { try readRow(&reader) }
            } catch {
                throw RowFault(error, inRow: place)
            }
        }
    }

    /// A null among the rows occupies a position, like any row.
    private mutating func skipNull(_ reader: inout JSONReader) throws {
        try reader.skipValue()
        place += 1
    }

    /// Reads a single row that is not in an array.
    private mutating func readOnly(_ kind: JSONReader.Kind, _ reader: inout JSONReader) throws {
        if kind != .object, shape.tree.leaves.isEmpty, !isSingle { return try reader.beginArray() }
        isInArray = false
        do {
            try readRow(&reader)
        } catch {
            var fault = RowFault(error)
            fault.row = place
            // An object without any key field is probably not a row.
            if !isSingle, shape.rows.isEmpty, shape.tree.leaves.isEmpty, seen & shape.required == 0 {
                throw RowFault("", "expected an array, found an object")
            }
            throw fault
        }
    }

    private mutating func readMember(
        _ name: String, _ rest: ArraySlice<JSONPath.Step>, _ reader: inout JSONReader
    ) throws {
        var isFound = false
        if try reader.peek() == .array, let number = Int(name) {
            var at = 0
            try reader.beginArray()
            while try reader.nextElement() {
                if at == number { try readRows(at: rest, &reader) } else { try reader.skipValue() }
                isFound = isFound || at == number
                at += 1
            }
        } else {
            try reader.beginObject()
            while let key = try reader.nextKey() {
                guard !isFound, key.string() == name else {
                    try reader.skipValue()
                    continue
                }
                isFound = true
                do { try readRows(at: rest, &reader) } catch { throw RowFault(error).inMember(name) }
            }
        }
        if isInGroup(rest) {
            if isFound { present.insert(rest.startIndex) } else { lacking.insert(rest.startIndex) }
        } else if !isFound, !shape.rowsMayBeMissing {
            throw RowFault(name, "expected the rows, found no such member")
        }
    }

    private mutating func readEach(_ rest: ArraySlice<JSONPath.Step>, _ reader: inout JSONReader) throws {
        guard try reader.peek() == .object else {
            try reader.beginArray()
            while try reader.nextElement() { try readRows(at: rest, &reader) }
            return
        }
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let name = key.string()
            memberName = name
            isMemberExact = !key.hasEscapes || RowReading.inexactness(of: key.bytes, name.utf8) == nil
            do { try readRows(at: rest, &reader) } catch { throw RowFault(error).inMember(name) }
        }
    }
}

/// The names of members that no field reads. Rows usually have the same members in the same order, so a name is
/// compared first with the one that came next in the row before.
struct UnreadNames {
    /// The number of members that are noted, and the maximum length of their names.
    private static let countMax = UnreadMembers.countMax, bytesMax = 100

    private var known: [[UInt8]] = []
    /// The place of the name that is expected next.
    var place = 0

    mutating func note(_ name: RawSpan) {
        if place < known.count, isSame(name, known[place]) { return place += 1 }
        if let found = known.firstIndex(where: { isSame(name, $0) }) { return place = found + 1 }
        guard known.count < Self.countMax, name.byteCount <= Self.bytesMax else { return }
        known.append(unsafe name.withUnsafeBytes { unsafe [UInt8]($0) })
        place = known.count
    }

    private func isSame(_ name: RawSpan, _ known: [UInt8]) -> Bool {
        guard name.byteCount == known.count else { return false }
        return unsafe name.withUnsafeBytes { unsafe known.elementsEqual($0) }
    }

    /// The names as paths of a definition; without those that are escaped in JSON.
    var names: [String] {
        known.filter { !$0.contains(UInt8(ascii: "\\")) }.map {
            JSONPath([.member(String(decoding: $0, as: UTF8.self))]).description
        }
    }
}
