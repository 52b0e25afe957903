import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Splits JSON that an API returned into rows, with one in memory at a time.
///
/// The text may be an array of rows, rows one after another (JSON Lines), whole answers with their rows at the
/// definition's path, or several of these one after another.
struct RawRows: ~Copyable {
    /// The largest row, or the largest answer if a definition's rows are at several places.
    static let rowBytesMax = 64 << 20

    private enum Place {
        case top
        /// In an object, after the given number of the path's members.
        case members(Int)
        /// In an array of rows, after the given number of the path's members.
        case rows(Int)
    }

    private var walk: JSONStreamWalk
    private let rows: JSONPath
    private let shape: RawShape
    private let decoder: any AnswerDecoder
    /// The members that lead to the rows; nil when the path has other steps, so that whole answers are taken.
    private let path: [String]?
    /// Whether the rows of the current answer were met.
    private var hasMetRows = false
    /// The number of elements before the rows in an array of rows.
    private var skipped = 0
    /// How many of these are left in the current array.
    private var left = 0
    private var place = Place.top
    /// The path of the rows in the last value taken.
    private(set) var rowsInValue = JSONPath.whole
    /// The number of values taken.
    private(set) var count = 0
    /// Whether the text has ended without any value.
    private(set) var isEmpty = true

    /// - Parameters:
    ///   - decoder: judges which answers are errors.
    ///   - read: returns the next bytes, at most the given number; none at the end.
    init(
        _ declaration: ResourceDeclaration, _ decoder: any AnswerDecoder,
        read: @escaping (Int) throws -> [UInt8]
    ) throws {
        rows = declaration.rows
        shape = RawShape(declaration)
        self.decoder = decoder
        var path: [String]? = []
        for step in rows.steps {
            switch step {
            case .member(let name): path?.append(name)
            case .each, .matching: path = nil
            case .from(let first): skipped = first
            }
        }
        self.path = path
        walk = try JSONStreamWalk(valueBytesMax: Self.rowBytesMax, read: read)
    }

    /// The last row taken, or an answer with rows at ``rowsInValue``.
    var value: RawSpan {
        @_lifetime(borrow self)
        borrowing get { walk.value }
    }

    /// The place of the last value taken.
    var valuePlace: RawPlace {
        if case .top = place { return .line(walk.lineFeeds + 1) }
        return .element(count, byte: walk.valueRange.lowerBound)
    }

    /// Takes the next row; false at the end.
    ///
    /// - Throws: `ItemFault` for a value at ``valuePlace`` that is neither a row nor an answer with rows.
    mutating func next() throws -> Bool {
        while true {
            switch place {
            case .top:
                guard let byte = try walk.peek() else { return false }
                isEmpty = false
                if try enterTop(byte) { continue }
                return try take()
            case .members(let depth): if try enterMember(depth) { return try take() }
            case .rows(let depth):
                if try walk.nextElement() {
                    guard left > 0 else { return try take() }
                    left -= 1
                    try walk.skipValue()
                    continue
                }
                place = depth == 0 ? .top : .members(depth - 1)
            }
        }
    }

    private mutating func take() throws -> Bool {
        try walk.takeValue()
        count += 1
        return true
    }

    /// Enters an array of rows or an answer; false before a row.
    private mutating func enterTop(_ byte: UInt8) throws -> Bool {
        rowsInValue = .whole
        if byte == UInt8(ascii: "[") {
            (place, left) = (.rows(0), rows.steps.count == 1 ? skipped : 0)
        } else if byte == UInt8(ascii: "{"), !rows.steps.isEmpty, path?.isEmpty != true, try isAnswer() {
            guard path != nil else {
                rowsInValue = rows
                return false
            }
            (place, hasMetRows) = (.members(0), false)
        } else {
            return false
        }
        walk.enter()
        return true
    }

    /// Whether the next object is an answer, and not a row. An object too large for a row counts as an answer.
    private mutating func isAnswer() throws -> Bool {
        defer { walk.rewind() }
        do {
            try walk.takeValue()
        } catch JSONStreamFault.tooLarge where path != nil {
            return true
        }
        let shape = shape
        let found = try walk.read { (reader: inout JSONReader) throws(JSONError) in
            try shape.find(in: &reader)
        }
        if found.hasKey, !found.isLessThanRow {
            guard found.hasRows else { return false }
            throw ItemFault(
                "this may be a row, because it has its key, or an answer with rows at \(rows); import the array at "
                    + "\(rows) alone, or an array of such rows")
        }
        if let fault = decoder.error(in: walk.valueBytes) { throw fault }
        return true
    }

    /// Moves to the next member of an object on the way to the rows; true before a row that is not in an array.
    private mutating func enterMember(_ depth: Int) throws -> Bool {
        guard let path, let key = try walk.nextKey() else {
            place = depth == 0 ? .top : .members(depth - 1)
            if depth == 0, !hasMetRows {
                throw ItemFault("this is neither a row nor an answer with rows at \(rows)")
            }
            return false
        }
        guard key == path[depth] else {
            try walk.skipValue()
            return false
        }
        let byte = try walk.peek(), isLast = depth == path.count - 1
        // A null has no rows.
        if isLast, let byte, "[{n".utf8.contains(byte) { hasMetRows = true }
        if byte == UInt8(ascii: isLast ? "[" : "{") {
            walk.enter()
            (place, left) = (isLast ? .rows(path.count) : .members(depth + 1), skipped)
            return false
        }
        if isLast, byte == UInt8(ascii: "{") { return true }
        try walk.skipValue()
        return false
    }
}

/// The place of a row in a file.
enum RawPlace: CustomStringConvertible {
    case line(Int)
    case element(Int, byte: Int)

    var description: String {
        switch self {
        case .line(let line): "\(line)"
        case .element(let number, let byte): " row \(number) at byte \(byte)"
        }
    }

    /// The place in the file with a name, for programs.
    func details(in file: String) -> [PatchbayError.Detail] {
        switch self {
        case .line(let line): [.at(.file(path: file, line: line))]
        case .element(_, let byte): [.file(file), .byte(byte)]
        }
    }
}

/// Rows that are decoded together: a JSON array of them, or one answer that contains them.
struct RawChunk {
    /// Small enough for the processor's cache.
    private static let bytesMax = 256 << 10, rowsMax = 5_000

    private(set) var bytes: [UInt8] = []
    /// Where each row ends in `bytes`; `places` has its place in the file.
    private var ends: [Int] = []
    private(set) var places: [RawPlace] = []
    private(set) var rows = JSONPath.whole
    /// The number of the first row among all rows, from 0.
    private(set) var first = 0

    private var isArray: Bool { rows.steps.isEmpty }

    var isFull: Bool {
        !isArray || bytes.count >= Self.bytesMax || places.count >= Self.rowsMax
    }

    mutating func append(_ row: borrowing RawRows) {
        if places.isEmpty { (rows, first) = (row.rowsInValue, row.count - 1) }
        if isArray { bytes.append(UInt8(ascii: places.isEmpty ? "[" : ",")) }
        bytes.append(row.value)
        ends.append(bytes.count)
        places.append(row.valuePlace)
    }

    /// Ends the array.
    mutating func close() {
        if isArray { bytes.append(UInt8(ascii: "]")) }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// One row as an array, or the answer.
    func row(_ number: Int) -> [UInt8] {
        guard isArray else { return bytes }
        let start = number == 0 ? 0 : ends[number - 1]
        return [UInt8(ascii: "[")] + bytes[(start + 1)..<ends[number]] + [UInt8(ascii: "]")]
    }
}
