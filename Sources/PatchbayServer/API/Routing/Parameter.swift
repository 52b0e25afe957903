import PatchbayCore
import PatchbayJSON

/// A parameter of an operation: what it may be, and what it means.
struct Parameter: Sendable {
    /// The values that it takes.
    enum Kind: Sendable {
        /// So many Unicode scalars at most, at least one.
        case text(charactersMax: Int)
        /// A text that is not white space alone.
        case words(charactersMax: Int)
        case integer(ClosedRange<Int64>)
        case choice([String])
        /// Names with commas between them.
        case names
        /// What the server handed out before, in the letters of a token.
        case token
    }

    let name: String
    let kind: Kind
    /// One sentence for the description of the API.
    let summary: String
    var isRequired = false
    var isRepeated = false
    /// In the description of the API it is part of what the resource says of its walks and lists.
    var isOfStretch = false

    init(_ name: String, _ kind: Kind, _ summary: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
    }

    /// The letters and the length of a token.
    static let tokenLengths = 16...4_096

    /// - Throws: `Problem` for a value that it does not take.
    func check(_ value: String) throws(Problem) {
        switch kind {
        case .text(let charactersMax), .words(let charactersMax):
            guard value.unicodeScalars.count <= charactersMax else {
                throw .invalid(name, "the value has more than \(charactersMax) characters; shorten it")
            }
            if value.isEmpty {
                throw .invalid(name, "the value is empty; give one, or leave the parameter out")
            }
        case .integer(let range):
            guard let number = Self.integer(value), range.contains(number) else {
                let words =
                    range.upperBound == .max
                    ? "of at least \(range.lowerBound)" : "from \(range.lowerBound) to \(range.upperBound)"
                throw .invalid(name, "\"\(value)\" is not a whole number \(words)")
            }
        case .choice(let choices):
            guard choices.contains(value) else {
                throw .invalid(
                    name,
                    "\"\(value)\" is not known\(EditDistance.suggestion(for: value, in: choices)); "
                        + "take \(choices.joined(separator: ", "))")
            }
        case .names:
            guard value.split(separator: ",", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
            else {
                throw .invalid(name, "\"\(value)\" lacks a name beside a comma")
            }
        case .token:
            let isToken = value.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            guard isToken, Self.tokenLengths.contains(value.utf8.count) else {
                throw .invalid(
                    name, "this is not a token that the server gave; follow the link \"next\" of a page")
            }
        }
    }

    /// Digits with an optional minus sign, in one spelling only.
    static func integer(_ text: String) -> Int64? {
        guard let number = Int64(text), String(number) == text else { return nil }
        return number
    }

    /// The schema of a single value.
    var schema: JSONValue {
        switch kind {
        case .text(let charactersMax):
            [
                "type": "string", "minLength": 1, "maxLength": JSONValue(Int64(charactersMax)),
                "pattern": Self.noNull,
            ]
        case .words(let charactersMax):
            [
                "type": "string", "minLength": 1, "maxLength": JSONValue(Int64(charactersMax)),
                "pattern": Self.visible,
            ]
        case .integer(let range):
            range.upperBound == .max
                ? ["type": "integer", "minimum": JSONValue(range.lowerBound)]
                : [
                    "type": "integer", "minimum": JSONValue(range.lowerBound),
                    "maximum": JSONValue(range.upperBound),
                ]
        case .choice(let choices): ["type": "string", "enum": JSONValue(choices)]
        case .names: ["type": "string", "pattern": "^[a-z0-9_.-]+(,[a-z0-9_.-]+)*$"]
        case .token:
            [
                "type": "string", "pattern": "^[A-Za-z0-9_-]+$",
                "minLength": JSONValue(Int64(Self.tokenLengths.lowerBound)),
                "maxLength": JSONValue(Int64(Self.tokenLengths.upperBound)),
            ]
        }
    }

    /// Any text but U+0000.
    static let noNull: JSONValue = #"^[^\u0000]*$"#
    /// The same, with something else than white space.
    static let visible: JSONValue = #"^[^\u0000]*[^\s\u0000][^\u0000]*$"#
}

extension Parameter {
    /// The parameter with one of its properties set.
    private func setting(_ property: WritableKeyPath<Parameter, Bool>) -> Parameter {
        var parameter = self
        parameter[keyPath: property] = true
        return parameter
    }

    var required: Parameter { setting(\.isRequired) }
    var repeated: Parameter { setting(\.isRepeated) }
    var ofStretch: Parameter { setting(\.isOfStretch) }
}
