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

    /// The parameters in the query of a list, and those that an object contains in its place.
    func query(_ item: JSONValue, _ operation: JSONValue) -> [OpenAPIParameter] {
        parameters(of: [item, operation], in: "query").flatMap { parameter -> [OpenAPIParameter] in
            let name = parameter["name"]?.word ?? "", schema = flattened(parameter["schema"] ?? parameter)
            let isNested = parameter["style"]?.word == "deepObject"
            let isJoined = if case .bool(false)? = parameter["explode"] { !isNested } else { false }
            let members = parameter["schema"] == nil || isJoined ? [] : schema["properties"]?.members ?? []
            guard !members.isEmpty else {
                return [
                    OpenAPIParameter(name: name, parameter, schema: schema, isRequired: parameter.isRequired)
                ]
            }
            let required = Set(schema["required"]?.elements.compactMap(\.word) ?? [])
            return members.map { member, schema in
                OpenAPIParameter(
                    name: isNested ? "\(name)[\(member)]" : member, schema, schema: flattened(schema),
                    isRequired: parameter.isRequired && required.contains(member))
            }
        }
    }

    /// A schema with the members of the schemas of which it consists, and of its first alternative that is not null.
    private func flattened(_ schema: JSONValue, depth: Int = 4) -> JSONValue {
        let schema = resolved(schema)
        let choices = ((schema["anyOf"] ?? schema["oneOf"])?.elements ?? []).map(resolved)
        let number = choices.first { !$0.types.isDisjoint(with: ["integer", "number"]) }
        let choice = number ?? choices.first { $0["type"]?.word != "null" }
        let parts = (schema["allOf"]?.elements ?? []) + (choice.map { [$0] } ?? [])
        guard depth > 0, !parts.isEmpty else { return schema }
        return .object(
            parts.reduce(into: schema.members) { members, part in
                for member in flattened(part, depth: depth - 1).members
                where !members.contains(where: { $0.name == member.name }) { members.append(member) }
            })
    }

    /// A path with the values of variables that can have one value only, or that are a part of a name with a default:
    /// `/pets.json` for `/pets{format}`.
    func filled(_ path: String, _ item: JSONValue) -> String {
        guard path.contains("{") else { return path }
        let all = parameters(of: [item, item["get"].map(resolved) ?? .null], in: "path")
        return all.reduce(path) { path, parameter in
            let word = "{\(parameter["name"]?.word ?? "")}",
                schema = flattened(parameter["schema"] ?? parameter)
            let values = schema["enum"]?.elements.compactMap(\.word) ?? []
            let only = schema["const"]?.word ?? (values.count == 1 ? values[0] : nil)
            let isPart = !path.split(separator: "/").contains(word[...])
            guard let value = only ?? (isPart ? schema["default"]?.word : nil), !value.isEmpty else {
                return path
            }
            return path.replacing(word, with: PercentEncoding.segment(value))
        }
    }

    /// The parameters that a list requires, and those that select its pages.
    func parameters(_ all: [OpenAPIParameter]) -> [(name: String, value: String)] {
        let names = Set(all.map { DraftWords.folded($0.name) })
        let size = chosenSize(of: all)
        return all.compactMap { parameter in
            let name = parameter.name, schema = parameter.schema
            switch parameter.role {
            case .page(let first): return (name, "\(first ?? 0)")
            case .offset(let first): return (name, "\(first)")
            case .size(let rows?) where parameter.isRequired || name == size: return (name, "\(rows)")
            case .size(.some): return nil
            case .size, .other: break
            }
            if isSwitch(parameter, names) { return (name, "true") }
            guard parameter.isRequired else { return nil }
            let values = schema["enum"]?.elements ?? []
            let only =
                schema["default"]?.word ?? schema["const"]?.word ?? (values.count == 1 ? values[0].word : nil)
            return (name, only ?? "{\(name)}")
        }
    }

    /// The name of the parameter that is sent as the size of a page. Of several, one may belong to another way to
    /// request pages (`limit` to `offset`, `page_size` to `page`), or select rows.
    private func chosenSize(of all: [OpenAPIParameter]) -> String? {
        let isPaged = all.contains { if case .page = $0.role { true } else { false } }
        let offset = all.first { if case .offset = $0.role { true } else { false } }
        let sizes = all.filter { if case .size(.some) = $0.role { true } else { false } }
        return sizes.ordered { parameter in
            let name = DraftWords.folded(parameter.name)
            let isOfPages = ["page", "per"].contains { name.contains($0) }
            let isOther = isPaged ? !isOfPages : offset != nil && isOfPages
            let isOfOffsets = isPaged && parameter.description.contains(/(?i)\boffset\b/)
            // The parameters of OData.
            let isPair =
                ["top", "take"].contains(name) && offset.map { DraftWords.folded($0.name) } == "skip"
            let isNamed = isPair || ["limit", "max", "page", "per"].contains { name.contains($0) }
            let doubts = [!parameter.isRequired, isOfOffsets, !isNamed, isOther, !isPair]
            return doubts.map { $0 ? 1 : 0 }
        }.first?.name
    }

    /// Whether a parameter switches another one on: `usemarker` beside `marker`.
    private func isSwitch(_ parameter: OpenAPIParameter, _ names: Set<String>) -> Bool {
        let name = DraftWords.folded(parameter.name)
        guard parameter.types == ["boolean"] else { return false }
        return ["use", "enable", "with"].contains { prefix in
            let other = String(name.dropFirst(prefix.count))
            return name.hasPrefix(prefix) && names.contains(other)
                && DraftPaging.cursorParameters.contains(other)
        }
    }

    /// The names of the parameters that may be a cursor.
    func options(_ all: [OpenAPIParameter]) -> [String] {
        all.filter { parameter in
            switch parameter.role {
            case .page, .offset: return parameter.isText
            case .size(.some): return false
            case .size, .other:
                return !parameter.isTime && parameter.types.isDisjoint(with: ["boolean", "array", "object"])
            }
        }.map(\.name)
    }

    /// Whether the description of a parameter that selects pages says that a `Link` header names the next one.
    func mentionsLinkHeader(_ all: [OpenAPIParameter]) -> Bool {
        all.contains { parameter in
            let name = parameter.name
            let isOfPages =
                DraftPaging.isCounter(name) || ResourceDeclaration.isPageSize(name)
                || DraftPaging.cursorParameters.contains(DraftWords.folded(name))
            return isOfPages
                && parameter.description.contains(
                    /(?i)\blink\b[^.]{0,40}\bheader\b|\bheader\b[^.]{0,40}\blink\b/)
        }
    }

    /// The parameter that takes a cursor from a header of the answer, and the header, which the answer declares or the
    /// words of the parameter name.
    func cursorHeader(
        _ response: JSONValue, _ all: [OpenAPIParameter]
    ) -> (parameter: String, header: String)? {
        let options = options(all), declared = (response["headers"]?.members ?? []).map(\.name)
        for parameter in all where options.contains(parameter.name) {
            let isTaker =
                DraftPaging.takesCursor(parameter.name)
                || DraftPaging.cursorParameters.contains(DraftWords.folded(parameter.name))
            let words = parameter.description.matches(of: /[A-Za-z]\w*(?:-\w+)+/).map { String($0.output) }
            let named = parameter.description.contains(/(?i)\bheader/) ? words : []
            guard isTaker, let header = (declared + named).first(where: Self.isCursor(header:)) else {
                continue
            }
            return (parameter.name, header.lowercased())
        }
        return nil
    }

    /// Whether the name of a header is that of a cursor: `X-Next-Cursor`.
    private static func isCursor(header: String) -> Bool {
        let name = String(header.trimmingPrefix(/(?i)x-/))
        return DraftPaging.isCursor([name]) || DraftPaging.takesCursor(name)
    }

    /// Whether a definition can have a header with this value. Words in braces are settings there.
    static func isValue(_ value: String, ofHeader name: String) -> Bool {
        value.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !value.contains("{")
            && DraftText.line("header.\(name)", value) != nil
    }

    /// The headers that a list requires besides credentials.
    func headers(_ item: JSONValue, _ operation: JSONValue) -> [(name: String, value: String?)] {
        parameters(of: [item, operation], in: "header").compactMap { parameter in
            let name = parameter["name"]?.word?.lowercased() ?? ""
            let isOther = ["accept", "content-type", "contenttype", "user-agent"].contains(name)
            let isSecret = SecretNames.isSecret(field: name) || SecretNames.mayBeSecret(parameter: name)
            guard parameter.isRequired, !isOther, !isSecret else { return nil }
            let schema = flattened(parameter["schema"] ?? parameter), values = schema["enum"]?.elements ?? []
            // A default may be a secret.
            let only = schema["const"] ?? (values.count == 1 ? values[0] : nil)
            let value = only?.word.flatMap { OpenAPIDocument.isValue($0, ofHeader: name) ? $0 : nil }
            return DraftText.line("header.\(name)", "1") == nil ? nil : (name, value)
        }
    }
}

extension JSONValue {
    fileprivate var isRequired: Bool { if case .bool(true) = self["required"] { true } else { false } }
}
