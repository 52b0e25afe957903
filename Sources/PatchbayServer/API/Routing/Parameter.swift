import PatchbayCore
import PatchbayJSON

/// A parameter of an operation: its allowed values and its meaning.
struct Parameter: Sendable {
    /// The allowed values.
    enum Kind: Sendable {
        /// From one to the given number of Unicode scalars.
        case text(charactersMax: Int)
        /// A text, which may be empty.
        case anything(charactersMax: Int)
        /// A text that is not only white space.
        case words(charactersMax: Int)
        case integer(ClosedRange<Int64>)
        case choice([String])
        /// Comma-separated names.
        case names
        /// A token issued by the server.
        case token
    }

    let name: String
    let kind: Kind
    /// One sentence for the description of the API.
    let summary: String
    var isRequired = false
    var isRepeated = false

    init(_ name: String, _ kind: Kind, _ summary: String) {
        self.name = name
        self.kind = kind
        self.summary = summary
    }

    /// The summary as a part of a sentence: "the name of a resource".
    var meaning: String { summary.prefix(1).lowercased() + summary.dropFirst().prefix { $0 != "." } }

    /// The allowed lengths of a token.
    static let tokenLengths = 16...4_096

    /// - Throws: `Problem` for a value that is not allowed.
    func check(_ value: String) throws(Problem) {
        switch kind {
        case .anything(let charactersMax), .text(let charactersMax), .words(let charactersMax):
            guard value.unicodeScalars.count <= charactersMax else {
                throw .invalid(name, "the value has more than \(charactersMax) characters; shorten it")
            }
            if case .anything = kind { return }
            if value.isEmpty {
                throw .invalid(name, "the value is empty; send one, or leave the parameter out")
            }
        case .integer(let range):
            guard let number = Self.integer(value), range.contains(number) else {
                throw .invalid(
                    name,
                    "\"\(value)\" is not a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
        case .choice(let choices):
            guard choices.contains(value) else {
                throw .invalid(
                    name,
                    "\"\(value)\" is not known\(EditDistance.suggestion(for: value, in: choices)); "
                        + "use one of \(choices.joined(separator: ", "))")
            }
        case .names:
            guard value.split(separator: ",", omittingEmptySubsequences: false).allSatisfy({ !$0.isEmpty })
            else {
                throw .invalid(name, "\"\(value)\" has an empty name before or after a comma")
            }
        case .token:
            let isToken = value.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
            guard isToken, Self.tokenLengths.contains(value.utf8.count) else {
                throw .invalid(
                    name, "the value is not from an answer of this server; send it as it was, or leave it out"
                )
            }
        }
    }

    /// Parses digits with an optional minus sign, in canonical spelling only.
    static func integer(_ text: String) -> Int64? {
        guard let number = Int64(text), String(number) == text else { return nil }
        return number
    }

    /// The schema of a single value.
    var schema: JSONValue {
        switch kind {
        case .anything(let charactersMax):
            ["type": "string", "maxLength": JSONValue(Int64(charactersMax)), "pattern": Self.noNull]
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
            [
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

    /// Any text without U+0000.
    static let noNull: JSONValue = #"^[^\u0000]*$"#
    /// The same, with at least one character other than white space.
    static let visible: JSONValue = #"^[^\u0000]*[^\s\u0000][^\u0000]*$"#

    /// Returns the parameter with one of its properties set.
    private func setting(_ property: WritableKeyPath<Parameter, Bool>) -> Parameter {
        var parameter = self
        parameter[keyPath: property] = true
        return parameter
    }

    var required: Parameter { setting(\.isRequired) }
    var repeated: Parameter { setting(\.isRepeated) }
}
