import PatchbayDomain
import PatchbayJSON

/// Values in a query from which a JSON body is made: a JSON number, `true` and `false` are sent as such, everything
/// else as a text, and quotes around a value make it a text.
extension ParameterPlace {
    /// Returns the spelling of a text, in quotes if it would otherwise be sent as another value.
    func spelling(of text: String) -> String {
        self == .json && text.needsQuotes ? "\"\(text)\"" : text
    }

    /// Returns the spelling of a field's value.
    func spelling(of value: ItemValue) -> String {
        if case .text(let text) = value { spelling(of: text) } else { value.description }
    }

    /// Returns the spelling of a cursor; nil for null, false and an empty text.
    func spelling(of cursor: BodyValue) -> String? {
        if case .number(let digits) = cursor { digits } else { cursor.word.map { spelling(of: $0) } }
    }
}

extension JSONValue {
    /// Reads a value as it is spelled in a query.
    init(spelling: String) {
        if spelling.isJSONNumber {
            self = .number(spelling)
        } else if let value = Bool(spelling) {
            self = .bool(value)
        } else {
            self = .text(spelling.isInQuotes ? String(spelling.dropFirst().dropLast()) : spelling)
        }
    }

    /// Sets a value in nested objects; `~1` in a name is a slash (RFC 6901).
    mutating func set(_ value: JSONValue, at path: ArraySlice<Substring>) {
        guard let first = path.first else {
            self = value
            return
        }
        let name = first.unescapedFromPath
        var members = members
        let place = members.firstIndex { $0.name == name } ?? members.endIndex
        if place == members.endIndex { members.append((name, .object([]))) }
        members[place].value.set(value, at: path.dropFirst())
        self = .object(members)
    }

    /// The value with an array in place of each object whose members are named 0, 1 and so on.
    var withArrays: JSONValue {
        guard case .object(let members) = self else { return self }
        let inner = members.map { (name: $0.name, value: $0.value.withArrays) }
        let areElements = inner.enumerated().allSatisfy { $0.element.name == String($0.offset) }
        return areElements && !inner.isEmpty ? .array(inner.map(\.value)) : .object(inner)
    }
}

extension String {
    /// Whether the text is a number by RFC 8259, section 6.
    fileprivate var isJSONNumber: Bool {
        wholeMatch(of: /-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/) != nil
    }

    /// Whether the text would be sent as another value without quotes.
    fileprivate var needsQuotes: Bool { isJSONNumber || Bool(self) != nil || isInQuotes }

    fileprivate var isInQuotes: Bool { utf8.count > 1 && hasPrefix("\"") && hasSuffix("\"") }
}
