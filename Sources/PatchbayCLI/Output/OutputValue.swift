/// A value as it is printed.
enum OutputValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case bool(Bool)
    case text(String)
    /// An array in JSON; with spaces between its texts elsewhere.
    case list([String])
    /// JSON as text: a value of its own in JSON, the text elsewhere.
    case json(String)
}

extension OutputValue: CustomStringConvertible {
    /// The value in a table or a CSV field: nothing for null, a text as it is.
    var description: String {
        switch self {
        case .null: ""
        case .integer(let number): String(number)
        case .real(let number): String(number)
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .text(let text), .json(let text): text
        case .list(let texts): texts.joined(separator: " ")
        }
    }
}
