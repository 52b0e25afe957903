import PatchbayCore

/// The value of one field, for writing rows in tests and comparing them exactly.
package enum FieldValue: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
}

/// A row as a list of field values.
package typealias Values = [FieldValue]

extension FieldValue {
    init(_ row: borrowing RowView, _ position: Int, _ field: Field) {
        if row.isNull(position) {
            self = .null
            return
        }
        switch field.type {
        case .integer: self = .integer(row.integer(position))
        case .real: self = .real(row.real(position))
        case .text: self = .text(row.text(position))
        case .bytes: self = .bytes([UInt8](row, at: position))
        }
    }

    func write(to row: inout RowBuilder, at position: Int) {
        switch self {
        case .null: row.setNull(position)
        case .integer(let value): row.set(position, value)
        case .real(let value): row.set(position, value)
        case .text(let value): row.set(position, value)
        case .bytes(let value): value.write(to: &row, at: position)
        }
    }

    /// The value as part of a key, or nil when its type cannot be in a key.
    var key: Key? {
        switch self {
        case .null: .null
        case .integer(let value): .integer(value)
        case .text(let value): .text(value)
        case .real, .bytes: nil
        }
    }
}

/// Compares text by its bytes and real numbers by their bits, so -0 differs from 0.
extension FieldValue: Equatable {
    package static func == (left: FieldValue, right: FieldValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.bytes(let left), .bytes(let right)): left == right
        default: false
        }
    }
}

extension FieldValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
    ExpressibleByNilLiteral
{
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .real(value) }
    package init(stringLiteral value: String) { self = .text(value) }
    package init(nilLiteral: ()) { self = .null }
}

/// Escapes everything but printable ASCII, so that two encodings of a character look different.
extension FieldValue: CustomStringConvertible {
    package var description: String {
        switch self {
        case .null: return "null"
        case .integer(let value): return String(value)
        case .real(let value): return value.bitPattern == 1 << 63 ? "-0.0" : String(value)
        case .bytes(let value):
            let digits = value.prefix(16).map { String($0, radix: 16) }.joined(separator: " ")
            return "<\(digits)\(value.count > 16 ? " ... \(value.count) bytes" : "")>"
        case .text(let value):
            let shown = value.unicodeScalars.prefix(60).map { $0.escaped(asASCII: true) }.joined()
            return "\"\(shown)\"" + (value.utf8.count > 60 ? " (\(value.utf8.count) bytes)" : "")
        }
    }
}

extension Query {
    /// The query as one line of text, for messages.
    var description: String {
        var words = ["\(collection.name) by \(index.name)", bounds.description]
        if let after { words.append("after \(after.escaped)") }
        if order == .descending { words.append("descending") }
        if limit != .max { words.append("limit \(limit)") }
        if fields != .all {
            words.append("fields \((0..<Limits.fields).filter { fields.contains(position: $0) })")
        }
        return words.filter { !$0.isEmpty }.joined(separator: " ")
    }
}

extension Bounds {
    fileprivate var description: String {
        switch self {
        case .all: return ""
        case .equal(let key): return "= \(key.escaped)"
        case .prefix(let key): return "prefix \(key.escaped)"
        case .between(let lower, let upper):
            let from = lower.map { "\($0.isInclusive ? "from" : "after") \($0.key.escaped)" }
            let to = upper.map { "\($0.isInclusive ? "to" : "until before") \($0.key.escaped)" }
            return [from, to].compactMap { $0 }.joined(separator: " ")
        }
    }
}

extension Key {
    /// The key, with everything but printable ASCII escaped.
    var escaped: String {
        switch self {
        case .compound(let values): "(" + values.map(\.escaped).joined(separator: ", ") + ")"
        default: FieldValue(self).description
        }
    }
}
