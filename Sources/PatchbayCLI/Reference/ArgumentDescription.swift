import PatchbayJSON

/// An option, a flag or an argument, as the parser of its command describes it.
struct ArgumentDescription: Hashable {
    let kind: String
    /// The names as they are typed, such as `--limit`; empty for an argument.
    let names: [String]
    let valueName: String
    let help: String
    let defaultValue: String?
    /// The possible values of a choice.
    let values: [String]
    /// The values that a shell can offer as completions.
    let completions: [String]
    /// Whether its value is the path of a file.
    let isFile: Bool
    let isOptional: Bool
    let isRepeating: Bool
    let isShown: Bool

    init(_ json: JSONValue) {
        kind = json.text("kind")
        names = json.elements("names").map { ($0.text("kind") == "long" ? "--" : "-") + $0.text("name") }
        valueName = json.text("valueName")
        help = json.text("abstract")
        defaultValue = json["defaultValue"]?.word
        values = json.elements("allValues").compactMap(\.word)
        let completion = json["completionKind"]?.members.first
        completions = completion?.value.elements("values").compactMap(\.word) ?? []
        isFile = completion?.name == "file"
        isOptional = json.isTrue("isOptional")
        isRepeating = json.isTrue("isRepeating")
        isShown = json.isTrue("shouldDisplay")
    }
}

extension JSONValue {
    /// The text of a member; empty if there is none.
    func text(_ name: String) -> String { self[name]?.word ?? "" }

    /// The elements of a member; empty if it is not an array.
    func elements(_ name: String) -> [JSONValue] { self[name]?.elements ?? [] }

    func isTrue(_ name: String) -> Bool { if case .bool(true) = self[name] { true } else { false } }
}
