import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Reads the parameters of lists.
extension OpenAPIDocument {
    /// The parameters of a path and its operation, of which the operation's own apply.
    func parameters(of holders: [JSONValue], in place: String) -> [JSONValue] {
        var found: [(name: String, parameter: JSONValue)] = []
        for parameter in holders.flatMap({ $0["parameters"]?.elements ?? [] }) {
            let parameter = resolved(parameter)
            guard parameter["in"]?.word == place, let name = parameter["name"]?.word else { continue }
            if let place = found.firstIndex(where: { $0.name == name }) {
                found[place].parameter = parameter
            } else {
                found.append((name, parameter))
            }
        }
        return found.map(\.parameter)
    }

    /// A page that is not larger is requested even if more is allowed.
    private static let pageRowsMax: Int64 = 1_000

    /// The parameters that a list requires, and those that select its pages.
    func parameters(_ item: JSONValue, _ operation: JSONValue) -> [(name: String, value: String)] {
        let all = parameters(of: [item, operation], in: "query")
        let names = Set(all.compactMap { $0["name"]?.word.map(DraftWords.folded) })
        return all.compactMap { parameter in
            let name = parameter["name"]?.word ?? "", schema = schema(of: parameter)
            if let number = number(parameter) { return (name, number) }
            if isSwitch(parameter, names) { return (name, "true") }
            guard parameter.isRequired else { return nil }
            let values = schema["enum"]?.elements ?? []
            let only =
                schema["default"]?.word ?? schema["const"]?.word ?? (values.count == 1 ? values[0].word : nil)
            return (name, only ?? "{\(name)}")
        }
    }

    private func schema(of parameter: JSONValue) -> JSONValue {
        parameter["schema"].map(resolved) ?? parameter
    }

    /// The value of a parameter that selects a page or its size; nil for another parameter.
    private func number(_ parameter: JSONValue) -> String? {
        let name = DraftWords.folded(parameter["name"]?.word ?? ""), schema = schema(of: parameter)
        func declared(_ key: String) -> Int64? { schema[key]?.word.flatMap { Int64($0) } }
        let type = schema["type"]?.word ?? schema["type"]?.elements.first?.word
        let example = schema["example"] ?? parameter["example"]
        let isNumber =
            type == nil || type == "integer" || type == "number"
            || type == "string" && schema["format"] == nil
                && (declared("default") ?? example?.word.flatMap { Int64($0) }) != nil
        guard isNumber else { return nil }
        if ResourceDeclaration.isPageSize(name) {
            let size =
                declared("maximum").map { min($0, Self.pageRowsMax) } ?? declared("default")
                ?? (parameter.isRequired ? 100 : 0)
            return size > 0 ? "\(size)" : nil
        }
        let isPage = DraftPaging.numbers.contains(name)
        guard isPage || DraftPaging.offsets.contains(name) else { return nil }
        let described = (parameter["description"] ?? schema["description"])?.word.flatMap(Self.firstNumber)
        let first = declared("default") ?? described ?? declared("minimum")
        return isPage ? first == 0 ? "0" : "1" : first == 1 ? "1" : "0"
    }

    /// The number at which a description says that counting begins: 1 for "the 1-based index of the first result".
    private static func firstNumber(in description: String) -> Int64? {
        let based = /(?i)\b(0|zero|1|one)[- ](?:based|indexed)\b/
        let begins = /(?i)\b(?:start|begin|count|index)\w* (?:at|from|with) (0|zero|1|one)\b(?![.,]\d)/
        let found =
            description.firstMatch(of: based)?.output.1 ?? description.firstMatch(of: begins)?.output.1
        return found.map { ["0", "zero"].contains($0.lowercased()) ? 0 : 1 }
    }

    /// Whether a parameter switches another one on: `usemarker` beside `marker`.
    private func isSwitch(_ parameter: JSONValue, _ names: Set<String>) -> Bool {
        let name = DraftWords.folded(parameter["name"]?.word ?? "")
        guard schema(of: parameter)["type"]?.word == "boolean" else { return false }
        return ["use", "enable", "with"].contains { prefix in
            let other = String(name.dropFirst(prefix.count))
            return name.hasPrefix(prefix) && names.contains(other)
                && DraftPaging.cursorParameters.contains(other)
        }
    }

    /// The names of the parameters that may be a cursor.
    func options(_ item: JSONValue, _ operation: JSONValue) -> [String] {
        parameters(of: [item, operation], in: "query").compactMap { parameter in
            let schema = schema(of: parameter)
            let isOther =
                number(parameter) != nil || schema["format"]?.word?.hasPrefix("date") == true
                || ["boolean", "array", "object"].contains(schema["type"]?.word)
            return isOther ? nil : parameter["name"]?.word
        }
    }

    /// Whether the description of a parameter that selects pages says that a `Link` header names the next one.
    func mentionsLinkHeader(_ item: JSONValue, _ operation: JSONValue) -> Bool {
        parameters(of: [item, operation], in: "query").contains { parameter in
            let name = parameter["name"]?.word ?? ""
            let isOfPages =
                DraftPaging.isCounter(name) || ResourceDeclaration.isPageSize(name)
                || DraftPaging.cursorParameters.contains(DraftWords.folded(name))
            guard isOfPages,
                let text = (parameter["description"] ?? schema(of: parameter)["description"])?.word
            else { return false }
            return text.contains(/(?i)\blink\b[^.]{0,40}\bheader\b|\bheader\b[^.]{0,40}\blink\b/)
        }
    }

    /// The headers that a list requires besides credentials.
    func headers(_ item: JSONValue, _ operation: JSONValue) -> [String] {
        parameters(of: [item, operation], in: "header").compactMap { parameter in
            let name = parameter["name"]?.word?.lowercased() ?? ""
            let isOther = ["accept", "content-type", "contenttype"].contains(name)
            let isSecret = SecretNames.isSecret(field: name) || SecretNames.mayBeSecret(parameter: name)
            guard parameter.isRequired, !isOther, !isSecret else { return nil }
            return DraftText.line("header.\(name)", "1") == nil ? nil : name
        }
    }
}

extension JSONValue {
    fileprivate var isRequired: Bool { if case .bool(true) = self["required"] { true } else { false } }
}
