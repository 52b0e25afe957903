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
        parameters: [.resource, text, .limit, .after], content: .schema(members.schemaOfArray)
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
        let shown = favourites.dropFirst(start).prefix(limit)
        ServedCall.current?.add(rows: shown.count)
        var provenance = Provenance(source: "", age: nil, .localOnly)
        provenance.hasMore = favourites.count - start > limit
        let next = provenance.hasMore == true ? PageToken.text(.rows(start + limit), of: stretch) : nil
        return APIAnswer(members.line(shown), provenance, next: next.map { request.address(.after, $0) })
    }

    private static let members = Members<(favourite: Favourite, of: ServedResource)> {
        Member("resource") { $0.of.name }
        Member("handle") { $0.favourite.handle }
        Member("title") { $0.favourite.title }
        Member("initial", "The letter under which it is grouped.") {
            String(Initial(of: $0.favourite.title).character)
        }
        Member("added_at") { $0.favourite.addedAt }
        Member("item", "The row as it was when it was marked.", ["type": ["object", "null"]]) { row, json in
            guard let item = row.favourite.item(of: row.of.full) else { return json.null() }
            row.of.write(item, to: &json)
        }
    }
}

extension Favourite {
    /// Whether the title comes first in the order of the storage: by bytes, with A to Z equal to a to z.
    fileprivate func comesBefore(_ other: Favourite) -> Bool {
        folded.lexicographicallyPrecedes(other.folded)
    }

    private var folded: [UInt8] { sortTitle.utf8.map(\.caseFolded) }
}
