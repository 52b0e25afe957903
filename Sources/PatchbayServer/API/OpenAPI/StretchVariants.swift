import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

/// The valid combinations of a resource's parameters: walks along its indexes and lists of its source.
struct StretchVariants {
    private let served: ServedResource

    init(_ served: ServedResource) { self.served = served }

    private typealias Members = [(name: String, value: JSONValue)]

    var rows: [JSONValue] {
        served.resource.namedIndexes.flatMap(walks)
            + declaration.lists.map { list in
                variant(
                    "a list of the source", words(list) + [(Parameter.policy.name, Parameter.policy.schema)],
                    required: required(list))
            }
    }

    var syncs: [JSONValue] {
        let hasDetails = declaration.show != nil
        let details: Members =
            hasDetails ? [("details", ["type": "string", "enum": ["true", "false"]])] : []
        return declaration.lists.flatMap { list -> [JSONValue] in
            let one = variant("one list", words(list) + details, required: required(list))
            guard list.template.parent != nil, list.words.count == 1 else { return [one] }
            let all = variant(
                "the lists of all stored rows", name(of: list), required: name(of: list).map(\.name))
            return [one, all]
        }
    }

    var search: JSONValue {
        let fields = OpenAPIOperation.list(of: served.answerNames)
        return variant(
            "a search for \(served.resource.plural)",
            [(Parameter.resource.name, Self.only(served.name)), (Parameter.fields.name, fields)],
            required: [Parameter.resource.name])
    }

    private var declaration: ResourceDeclaration { served.resource.declaration }

    private func variant(_ title: String, _ members: Members, required: [String]) -> JSONValue {
        [
            "title": .text(title), "type": "object", "additionalProperties": false,
            "properties": .object(members), "required": JSONValue(required),
        ]
    }

    /// Returns the schema of a single text.
    private static func only(_ text: String) -> JSONValue { ["const": .text(text)] }

    // MARK: - Lists

    private func name(of list: ListDeclaration) -> Members {
        list.name.map { [(Parameter.list.name, Self.only($0))] } ?? []
    }

    private func words(_ list: ListDeclaration) -> Members {
        let count = Int64(list.words.count)
        guard count > 0 else { return name(of: list) }
        let values: JSONValue = [
            "type": "array", "items": Parameter.of.schema, "minItems": JSONValue(count),
            "maxItems": JSONValue(count), "description": .text(list.words.joined(separator: ", then ")),
        ]
        return name(of: list) + [(Parameter.of.name, values)]
    }

    private func required(_ list: ListDeclaration) -> [String] { words(list).map(\.name) }

    // MARK: - Walks

    /// Returns the walks along an index: over a range, over equal values, and over texts with a prefix.
    private func walks(_ index: NamedIndex) -> [JSONValue] {
        let value = schema(of: index.parts[0])
        var bounds: [Members] = [
            [(Parameter.from.name, value), (Parameter.to.name, value)], [(Parameter.equal.name, value)],
        ]
        if index.parts[0].type == .text { bounds.append([(Parameter.prefix.name, value)]) }
        let usual: Members = [
            (Parameter.by.name, Self.only(index.name)), (Parameter.order.name, Parameter.order.schema),
            (Parameter.at.name, value),
            (Parameter.policy.name, Self.only("local-only")),
        ]
        // Without an index name, rows come in key order.
        let required = index.name == Resource.keyIndexName ? [] : [Parameter.by.name]
        return bounds.map { variant("a walk along \(index.name)", usual + $0, required: required) }
    }

    private func schema(of part: NamedIndex.Part) -> JSONValue {
        switch part.type {
        case .integer:
            [
                "type": "integer", "format": "int64", "minimum": JSONValue(Int64.min),
                "maximum": JSONValue(Int64.max),
            ]
        case .boolean: ["type": "string", "enum": ["true", "false"]]
        case .time: ["type": "string", "format": "date-time"]
        case .text, .json, .real: Parameter.equal.schema
        }
    }
}
