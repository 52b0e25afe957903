package import PatchbayGateway
import PatchbayJSON

/// A value in a row of an answer, or of a parameter.
public enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case real(Double)
    /// Bytes that are not UTF-8 are U+FFFD.
    case text(String)
    case bytes([UInt8])
}

extension SQLValue: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral {
    /// Creates an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a real number.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Creates a text.
    public init(stringLiteral value: String) { self = .text(value) }
}

extension SQLValue {
    /// The value of a parameter that people type: a number as they are usually written, otherwise the text. SQL
    /// compares a number with a column of texts as a text.
    package init(typed text: String) {
        if let number = Int64(text), String(number) == text {
            self = .integer(number)
        } else if let number = Double(text), number.isFinite, String(number) == text {
            self = .real(number)
        } else {
            self = .text(text)
        }
    }

    /// The size in memory, roughly; the unit of ``SQLLimits/bytes``.
    var byteCount: Int {
        switch self {
        case .null, .integer, .real: 8
        case .text(let text): 8 + text.utf8.count
        case .bytes(let bytes): 8 + bytes.count
        }
    }
}

/// A row of an answer.
public struct SQLRow: Sendable {
    /// The values, one for each of ``SQLRows/columns``.
    public let values: [SQLValue]

    /// The value of a column, counted from 0.
    public subscript(_ place: Int) -> SQLValue { values[place] }
}

extension OutputValue {
    /// The value as commands print it and servers send it; bytes are base64.
    package init(_ value: SQLValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .text(let text): .text(text)
            case .bytes(let bytes): .text(String(decoding: Base64.encoded(bytes), as: UTF8.self))
            }
    }
}
