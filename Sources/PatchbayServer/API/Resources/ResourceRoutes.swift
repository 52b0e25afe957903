import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

extension Route {
    static let listResources = Route(
        method: .get, path: "/resources", operation: "resources",
        summary:
            "What the sources provide: resources with their fields, key, indexes and lists, and what is stored.",
        content: .schema(resourcesSchema)
    ) { request, api in
        try await api.answer(request) {
            var resources: [JSONValue] = []
            for served in api.gateways.resources { resources.append(try await served.description()) }
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
                "lists": ["type": "array", "items": ["type": "object", "required": ["name", "of"]]],
                "searched_by": ["enum": ["source", "storage"]],
                "count": ["type": "integer", "minimum": 0, "description": "How many rows are stored."],
                "fetched_at": [
                    "type": ["string", "null"], "format": "date-time",
                    "description": "When a sync last reached the end of one of its lists.",
                ],
            ],
        ],
    ]
}

extension ServedResource {
    fileprivate func description() async throws -> JSONValue {
        let (resource, declaration) = (resource, resource.declaration)
        let (count, fetchedAt) = try await store.store.read { reading in
            (try reading.count(Query(resource.collection)), try reading.lastFetch(of: resource))
        }
        return [
            "name": .text(name), "source": .text(resource.api), "singular": .text(resource.singular),
            "plural": .text(resource.plural), "key": JSONValue(resource.key.map(\.name)),
            "handle": JSONValue(resource.handle?.name), "title": JSONValue(resource.title.map(\.name)),
            "fields": .array(resource.fields.map(\.description)),
            "indexes": .array(resource.namedIndexes.map(\.description)),
            "lists": .array(
                declaration.lists.map { ["name": JSONValue($0.name), "of": JSONValue($0.words)] }),
            "searched_by": declaration.search == nil ? "storage" : "source",
            "count": JSONValue(Int64(count)), "fetched_at": JSONValue(fetchedAt?.description),
        ]
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
            "name": .text(name), "unique": .bool(index.isUnique),
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

extension Reading {
    /// When a sync last reached the end of one of a resource's lists.
    fileprivate func lastFetch(of resource: Resource) throws -> Timestamp? {
        let name = resource.collection.name
        var newest: Timestamp?
        try scan(Query(StoredListRun.collection, .prefix(.text(name)), limit: 1_000)) { row in
            let run = StoredListRun(row)
            // A longer name is that of another resource.
            let rest = run.list.utf8.dropFirst(name.utf8.count).first
            guard rest == nil || rest == UInt8(ascii: " ") || rest == UInt8(ascii: ".") else { return .next }
            newest = [newest, run.finishedAt].compactMap(\.self).max()
            return .next
        }
        return newest
    }
}
