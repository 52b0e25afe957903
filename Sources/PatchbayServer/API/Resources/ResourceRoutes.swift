import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

extension Route {
    static let listResources = Route(
        method: .get, path: "/resources", operation: "resources",
        summary:
            "The resources of the sources with their fields, key, indexes and lists, and the number of stored rows.",
        content: .schema(resourcesSchema)
    ) { request, api in
        try await api.answer(request) {
            var resources: [JSONValue] = []
            let all = api.gateways.resources
            for served in all {
                resources.append(try await served.description(among: all))
            }
            var json = JSONWriter()
            json.value(.array(resources))
            json.newline()
            return APIAnswer(json.bytes, Provenance(source: "", age: nil, .localOnly))
        }
    }

    private static let resourcesSchema: JSONValue = [
        "type": "array",
        "items": [
            "type": "object",
            "required": ["name", "source", "key", "fields", "indexes", "lists", "count", "fetched_at"],
            "properties": [
                "name": ["type": "string"], "source": ["type": "string"],
                "singular": ["type": "string"], "plural": ["type": "string"],
                "key": ["type": "array", "items": ["type": "string"]],
                "handle": ["type": ["string", "null"]],
                "title": ["type": "array", "items": ["type": "string"]],
                "fields": ["type": "array", "items": ["type": "object", "required": ["name", "type"]]],
                "indexes": ["type": "array", "items": ["type": "object", "required": ["name", "fields"]]],
                "lists": [
                    "type": "array",
                    "items": [
                        "type": "object", "required": ["name", "of", "parent"],
                        "properties": [
                            "name": ["type": ["string", "null"]],
                            "of": ["type": "array", "items": ["type": "string"]],
                            "parent": [
                                "type": ["string", "null"],
                                "description":
                                    "The resource whose handles are the first value of \"of\".",
                            ],
                        ],
                    ],
                ],
                "columns": [
                    "type": "array",
                    "description":
                        "The columns of a table: the first field with a value, or the names of true booleans.",
                    "items": [
                        "type": "object", "required": ["title", "fields", "characters_max"],
                        "properties": [
                            "title": ["type": "string"],
                            "fields": ["type": "array", "items": ["type": "string"]],
                            "characters_max": ["type": ["integer", "null"]],
                        ],
                    ],
                ],
                "picture": [
                    "type": ["string", "null"],
                    "description":
                        "The field with the address of a row's picture, which /picture below the row returns.",
                ],
                "website": ["type": ["string", "null"]],
                "hidden": [
                    "type": "array", "items": ["type": "string"],
                    "description": "Fields that are of no interest to people.",
                ],
                "has_details": [
                    "type": "boolean", "description": "Whether the source provides details of a single row.",
                ],
                "usual_policy": ["enum": ["local-first", "local-only"]],
                "searched_by": ["enum": ["source", "storage"]],
                "count": ["type": "integer", "minimum": 0, "description": "The number of stored rows."],
                "fetched_at": [
                    "type": ["string", "null"], "format": "date-time",
                    "description": "The time when a sync last completed one of its lists.",
                ],
            ],
        ],
    ]
}

extension ServedResource {
    fileprivate func description(among resources: [ServedResource]) async throws -> JSONValue {
        let (resource, declaration) = (resource, resource.declaration)
        let (count, fetchedAt) = try await store.store.read { reading in
            (try reading.count(Query(resource.collection)), try reading.listAges(of: resource).newest)
        }
        return [
            "name": .text(name), "source": .text(resource.api), "singular": .text(resource.singular),
            "plural": .text(resource.plural), "key": JSONValue(resource.key.map(\.name)),
            "handle": JSONValue(resource.handle?.name), "title": JSONValue(resource.title.map(\.name)),
            "fields": .array(resource.fields.map(\.description)),
            "indexes": .array(resource.namedIndexes.map(\.description)),
            "lists": .array(
                declaration.lists.map { list in
                    let parent = resources.first { $0.isNeighbour(of: self) && $0.isParent(of: list) }
                    return [
                        "name": JSONValue(list.name), "of": JSONValue(list.words),
                        "parent": JSONValue(parent?.name),
                    ]
                }),
            "columns": .array(resource.columns),
            "picture": JSONValue(hasPictures ? declaration.picture : nil),
            "website": JSONValue(declaration.website), "hidden": JSONValue(declaration.hidden),
            "has_details": .bool(declaration.show != nil),
            "usual_policy": .text(usualPolicy.rawValue),
            "searched_by": declaration.search == nil ? "storage" : "source",
            "count": JSONValue(Int64(count)), "fetched_at": JSONValue(fetchedAt?.description),
        ]
    }
}

extension Resource {
    /// The columns of the definition, or by default the first six fields.
    fileprivate var columns: [JSONValue] {
        let usual = fields.prefix(Self.columnsUsual).map { ColumnDeclaration([$0.name]) }
        let columns = declaration.columns.isEmpty ? usual : declaration.columns
        return columns.map { column in
            [
                "title": .text(column.title), "fields": JSONValue(column.fields),
                "characters_max": JSONValue(column.charactersMax.map(Int64.init)),
            ]
        }
    }

    private static let columnsUsual = 6
}

extension ServedResource {
    /// Whether both belong to the same source.
    fileprivate func isNeighbour(of other: ServedResource) -> Bool {
        resource.api == other.resource.api && store.id == other.store.id
    }

    /// Whether a list belongs to a row of this resource, because it refers to a field of the resource or because its
    /// address extends the address of a row, as `/users/{owner}/repos` extends `/users/{handle}`.
    fileprivate func isParent(of list: ListDeclaration) -> Bool {
        for case .field(let name, _) in list.template.parameters { return name == resource.name }
        guard list.words.count == 1, let show = resource.declaration.show, !show.pieces.isEmpty,
            list.template.pieces.count > show.pieces.count
        else { return false }
        return zip(show.pieces, list.template.pieces).allSatisfy { mine, others in
            switch (mine, others) {
            case (.parameter(.handle), .parameter(.argument)): true
            default: mine == others
            }
        }
    }
}

extension ResourceField {
    fileprivate var description: JSONValue {
        [
            "name": .text(name), "type": .text(type.rawValue), "detail": .bool(declaration.isDetail),
            "editable": .bool(overridePosition != nil),
        ]
    }
}

extension NamedIndex {
    fileprivate var description: JSONValue {
        [
            "name": .text(name),
            "fields": .array(
                zip(parts, index.parts).map { part, place in
                    [
                        "name": .text(part.field), "type": .text(part.type.rawValue),
                        "case_folded": .bool(part.isFolded || place.isCaseFolded),
                    ]
                }),
        ]
    }
}
