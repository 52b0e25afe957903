/// The key of a row: one value, or one for each part of a compound key or index.
///
/// Text compares by its UTF-8 bytes, so two spellings of a character (NFC and NFD) are different keys.
public enum Key: Sendable {
    /// An index entry without a value; comes before every other key.
    case null
    /// The value of an integer field.
    case integer(Int64)
    /// The value of a text field, or its beginning in ``Bounds/prefix(_:)``.
    case text(String)
    /// The values of a compound key in the order of its parts; not nested.
    case compound([Key])

    /// The values, one for each part.
    public var values: [Key] {
        if case .compound(let values) = self { values } else { [self] }
    }
}

extension Key: Hashable {
    /// Whether the values are equal; texts are compared by their bytes, unlike strings.
    public static func == (left: Key, right: Key) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.compound(let left), .compound(let right)): left == right
        default: false
        }
    }

    /// Hashes the bytes of texts, consistent with `==`.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .integer(let value): hasher.combine(value)
        case .text(let text): unsafe text.utf8.span.bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        case .compound(let values): hasher.combine(values)
        }
    }
}

extension Key: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    /// Creates the key of an integer field.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates the key of a text field.
    public init(stringLiteral value: String) { self = .text(value) }
    /// Creates a compound key.
    public init(arrayLiteral elements: Key...) { self = .compound(elements) }
}

extension Key: CustomStringConvertible {
    /// The value, with text in quotes and a compound key in parentheses.
    public var description: String {
        switch self {
        case .null: "null"
        case .integer(let value): String(value)
        case .text(let text): "\"\(text)\""
        case .compound(let values): "(" + values.map(\.description).joined(separator: ", ") + ")"
        }
    }
}
