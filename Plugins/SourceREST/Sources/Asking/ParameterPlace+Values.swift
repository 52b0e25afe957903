import PatchbayDomain
import PatchbayJSON

/// Values in a query from which a JSON body is made: a JSON number, array or object, `true` and `false` are sent as
/// such, everything else as a text, and quotes around a value make it a text.
extension ParameterPlace {
    /// Returns the spelling of a text, in quotes if it would otherwise be sent as another value.
    func spelling(of text: String) -> String {
        self == .json && text.needsQuotes ? "\"\(text)\"" : text
    }

    /// Returns the spelling of a field's value.
    func spelling(of value: ItemValue) -> String {
        switch value {
        case .text(let text): return spelling(of: text)
        case .json(let text):
            // The text was JSON when the row was read.
            return (try? JSONValue(Array(text.utf8))).flatMap { spelling(of: $0) } ?? text
        default: return value.description
        }
    }

    /// Returns the spelling of a value in an answer; nil for null, and for one that only a JSON body can contain.
    func spelling(of value: JSONValue) -> String? {
        switch value {
        case .text(let text): return spelling(of: text)
        case .number(let digits): return digits
        case .bool(let isTrue): return String(isTrue)
        case .null: return nil
        case .array, .object:
            return self == .json ? String(decoding: value.line, as: UTF8.self) : nil
        }
    }
}

extension JSONValue {
    /// Reads a value as it is spelled in a query.
    init(spelling: String) {
        if spelling.isJSONNumber {
            self = .number(spelling)
        } else if let value = Bool(spelling) {
            self = .bool(value)
        } else if let value = spelling.jsonWithMembers {
            self = value
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

    /// The text as a JSON array or object; nil when it is neither.
    fileprivate var jsonWithMembers: JSONValue? {
        // Most texts are not JSON, and are sent as they are.
        hasPrefix("[") || hasPrefix("{") ? try? JSONValue(Array(utf8)) : nil
    }

    /// Whether the text would be sent as another value without quotes.
    fileprivate var needsQuotes: Bool {
        isJSONNumber || Bool(self) != nil || isInQuotes || jsonWithMembers != nil
    }

    fileprivate var isInQuotes: Bool { utf8.count > 1 && hasPrefix("\"") && hasSuffix("\"") }
}
