import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

extension Route {
    private static let text = Parameter(
        "q", .words(charactersMax: SearchText.charactersMax), "A text that the handle or title contains.")

    static let listFavourites = Route(
        method: .get, path: "/favourites", operation: "favourites",
        summary: "The favourites of one resource, or of all, ordered by title.",
        parameters: [.resource, text, .limit, .after], content: .schema(schema)
    ) { request, api in
        var resources = api.gateways.resources.filter(\.showsFavourites)
        if let name = request.text(.resource) {
            let served = try api.gateways.resource(named: name, as: Parameter.resource.name)
            try served.requireWhole()
            resources = [served]
        }
        let wanted = resources
        return try await api.answer(request) {
            var favourites: [(favourite: Favourite, of: ServedResource)] = []
            for served in wanted {
                let found = try await served.gateway.favourites(
                    matching: request.text(text) ?? "", of: served.full)
                favourites += found.map { ($0, served) }
            }
            if wanted.count > 1 { favourites.sort { $0.favourite.comesBefore($1.favourite) } }
            return try page(of: favourites, request)
        }
    }

    private static func page(
        of favourites: [(favourite: Favourite, of: ServedResource)], _ request: APIRequest
    ) throws(Problem) -> APIAnswer {
        let stretch = request.stretch(of: "favourites"),
            limit = request.integer(.limit) ?? Parameter.rowsUsual
        var start = 0
        if let token = request.text(.after) {
            guard case .rows(let count) = try PageToken.position(token, of: stretch), count >= 0 else {
                throw .notFound("there is no such page of favourites", parameter: Parameter.after.name)
            }
            start = count
        }
        ServedCall.current?.add(rows: favourites.dropFirst(start).prefix(limit).count)
        var json = JSONWriter()
        json.beginArray()
        for (favourite, served) in favourites.dropFirst(start).prefix(limit) {
            json.favourite(favourite, of: served)
        }
        json.endArray()
        json.newline()
        var provenance = Provenance(source: "", age: nil, .localOnly)
        provenance.hasMore = favourites.count - start > limit
        let next = provenance.hasMore == true ? PageToken.text(.rows(start + limit), of: stretch) : nil
        return APIAnswer(json.bytes, provenance, next: next.map { request.address(.after, $0) })
    }

    private static let schema: JSONValue = [
        "type": "array",
        "items": [
            "type": "object", "required": ["resource", "handle", "title", "initial", "added_at", "item"],
            "properties": [
                "resource": ["type": "string"], "handle": ["type": "string"], "title": ["type": "string"],
                "initial": ["type": "string", "description": "The letter under which it is grouped."],
                "added_at": ["type": "string", "format": "date-time"],
                "item": [
                    "type": ["object", "null"], "description": "The row as it was when it was marked.",
                ],
            ],
        ],
    ]
}

extension Favourite {
    /// Whether the title comes first in the order of the storage: by bytes, with A to Z equal to a to z.
    fileprivate func comesBefore(_ other: Favourite) -> Bool {
        folded.lexicographicallyPrecedes(other.folded)
    }

    private var folded: [UInt8] { sortTitle.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
}

extension JSONWriter {
    fileprivate mutating func favourite(_ favourite: Favourite, of served: ServedResource) {
        beginObject()
        member("resource", .text(served.name))
        member("handle", .text(favourite.handle))
        member("title", .text(favourite.title))
        member("initial", .text(String(Initial(of: favourite.title).character)))
        member("added_at", .text(favourite.addedAt.description))
        key("item")
        if let item = favourite.item(of: served.full) {
            beginObject()
            served.write(item, to: &self)
            endObject()
        } else {
            null()
        }
        endObject()
    }
}
