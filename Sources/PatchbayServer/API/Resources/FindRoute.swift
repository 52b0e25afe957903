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
        parameters: [.words.required, .resources, .limit], content: .schema(foundMembers.schema)
    ) { request, api in
        let resources = try request.names(.resources).map { names in
            try names.map { try api.gateways.resource(named: $0, as: Parameter.resources.name).resource }
        }
        let found = try await api.ownQuestions.find(
            request.text(.words) ?? "", resources, request.integer(.limit) ?? Parameter.rowsUsual)
        ServedCall.current?.add(rows: found.rows.count)
        let rows = found.rows.map { ($0, api.gateways.name(of: $0.resource)) }
        return api.response(request, (found, rows), foundMembers)
    }

    private static let foundMembers = Members<
        (found: FoundRows, rows: [(row: FoundRows.Row, resource: String)])
    > {
        Member("rows", of: rowMembers) { $0.rows }
        Member("matches", "The number of rows that match, or were ranked.") { $0.found.count }
        Member("all_ranked", "Whether all rows that match were ranked, and not only the latest ones.") {
            !$0.found.isCut
        }
        Member("complete", "Whether the latest changes were searched.") { $0.found.reason == nil }
        Member("reason", "Why rows may be missing.") { $0.found.reason }
    }

    private static let rowMembers = Members<(row: FoundRows.Row, resource: String)> {
        Member("resource") { $0.resource }
        Member("source", "The name of the API.") { $0.row.resource.api }
        Member("key") { $0.row.item.keyText }
        Member("handle") { $0.row.item.handle }
        Member("title") { $0.row.item.title }
        Member("excerpt", "A part of the texts: in turn what is before, in and after a word that was found.")
        {
            $0.row.excerpt.parts
        }
        Member("fetched_at") { $0.row.item.state.fetchedAt }
    }
}

extension Parameter {
    fileprivate static let words = Parameter(
        "q", .words(charactersMax: 1_000),
        "Words that must all occur, \"phrases\", beginnings*, and -words that must not occur.")
}
