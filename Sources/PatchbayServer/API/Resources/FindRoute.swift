import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

extension Route {
    static let find = Route(
        method: .get, path: "/find", operation: "find",
        summary:
            "Stored rows in whose texts words occur, the best first, of all resources. No request is sent to a source.",
        parameters: [.words.required, .resources, .limit], content: .schema(foundSchema)
    ) { request, api in
        let resources = try request.names(.resources).map { names in
            try names.map { try api.gateways.resource(named: $0, as: Parameter.resources.name).resource }
        }
        let found = try await api.ownQuestions.find(
            request.text(.words) ?? "", resources, request.integer(.limit) ?? Parameter.rowsUsual)
        ServedCall.current?.add(rows: found.rows.count)
        var json = JSONWriter()
        json.beginObject()
        json.key("rows")
        json.beginArray()
        for row in found.rows { json.value(row, api.gateways.name(of: row.resource)) }
        json.endArray()
        json.member("matches", .integer(Int64(found.count)))
        json.member("all_ranked", .bool(!found.isCut))
        json.member("complete", .bool(found.reason == nil))
        json.member("reason", OutputValue(found.reason))
        json.endObject()
        json.newline()
        return api.response(request, json.bytes)
    }

    private static let foundSchema: JSONValue = [
        "type": "object", "required": ["rows", "matches", "all_ranked", "complete", "reason"],
        "properties": [
            "rows": [
                "type": "array",
                "items": [
                    "type": "object",
                    "required": ["resource", "source", "key", "handle", "title", "excerpt", "fetched_at"],
                    "properties": [
                        "resource": ["type": "string"],
                        "source": ["type": "string", "description": "The name of the API."],
                        "key": ["type": "string"], "handle": ["type": "string"], "title": ["type": "string"],
                        "excerpt": [
                            "type": "array", "items": ["type": "string"],
                            "description":
                                "A part of the texts: in turn what is before, in and after a word that was found.",
                        ],
                        "fetched_at": ["type": ["string", "null"], "format": "date-time"],
                    ],
                ],
            ],
            "matches": ["type": "integer", "description": "The number of rows that match, or were ranked."],
            "all_ranked": [
                "type": "boolean",
                "description": "Whether all rows that match were ranked, and not only the latest ones.",
            ],
            "complete": ["type": "boolean", "description": "Whether the latest changes were searched."],
            "reason": ["type": ["string", "null"], "description": "Why rows may be missing."],
        ],
    ]
}

extension Parameter {
    fileprivate static let words = Parameter(
        "q", .words(charactersMax: 1_000),
        "Words that must all occur, \"phrases\", beginnings*, and -words that must not occur.")
}

extension JSONWriter {
    fileprivate mutating func value(_ row: FoundRows.Row, _ resource: String) {
        beginObject()
        member("resource", .text(resource))
        member("source", .text(row.resource.api))
        member("key", .text(row.item.keyText))
        member("handle", .text(row.item.handle))
        member("title", .text(row.item.title))
        member("excerpt", .list(row.excerpt.parts))
        member("fetched_at", OutputValue(row.item.state.fetchedAt?.description))
        endObject()
    }
}
