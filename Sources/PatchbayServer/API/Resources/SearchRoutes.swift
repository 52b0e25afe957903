import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

extension Route {
    static let search = Route(
        method: .get, path: "/search", operation: "search",
        summary:
            "Rows that match a text: the stored result of the source, its new answer, or stored rows with that prefix.",
        parameters: [
            .resource.required, .text.required, .limit, .after, .fields, .policy,
        ], answers: [.json, .jsonLines, .ndjson], content: .found
    ) { request, api in
        let name = request.text(.resource) ?? ""
        let served = try api.gateways.resource(named: name, as: Parameter.resource.name)
        return try await api.search(served, request)
    }

    static let recentSearches = Route(
        method: .get, path: "/search/recent", operation: "recentSearches",
        summary: "Recent searches, the newest first.",
        content: .schema(recentMembers.schemaOfArray)
    ) { request, api in
        let searches = try await api.searches {
            try await $0.recentSearches.list()
        } resource: {
            $0.collection
        }
        return api.response(request, searches, recentMembers)
    }

    static let deniedSearches = Route(
        method: .get, path: "/search/denied", operation: "deniedSearches",
        summary: "Searches that found nothing and are not sent again for a while, the newest first.",
        content: .schema(deniedMembers.schemaOfArray)
    ) { request, api in
        let searches = try await api.searches {
            try await $0.deniedSearches.list()
        } resource: {
            $0.collection
        }
        return api.response(request, searches, deniedMembers)
    }

    private static let recentMembers = Members<(search: RecentSearch, resource: String?)> {
        Member("resource") { $0.resource }
        Member("q") { $0.search.text }
        Member("searched_at") { $0.search.searchedAt }
    }

    private static let deniedMembers = Members<(search: DeniedSearch, resource: String?)> {
        Member("resource") { $0.resource }
        Member("q") { $0.search.text }
        Member("denied_at") { $0.search.deniedAt }
        Member("holds_for_seconds") { $0.search.holdsFor.components.seconds }
    }

    static let forgetRecentSearches = Route(
        method: .delete, path: "/search/recent", operation: "forgetRecentSearches",
        summary: "Removes a recent search, ignoring case and outer white space, or all of them.",
        parameters: [.text],
        answers: [], status: .noContent
    ) { request, api in
        try await api.forget(request, { try await $0.recentSearches.remove($1) }) {
            _ = try await $0.recentSearches.clear()
        }
    }

    static let forgetDeniedSearches = Route(
        method: .delete, path: "/search/denied", operation: "forgetDeniedSearches",
        summary: "Allows a search that found nothing to be sent again, or all of them.", parameters: [.text],
        answers: [], status: .noContent
    ) { request, api in
        try await api.forget(request, { try await $0.deniedSearches.remove($1) }) {
            _ = try await $0.deniedSearches.clear()
        }
    }
}

extension ServedGateways {
    /// One gateway per store, because searches are kept in stores.
    fileprivate var searched: [(gateway: Gateway, store: ServedStore)] {
        stores.compactMap { store in
            gateways.first { $0.store === store.store }.map { ($0, store) }
        }
    }
}

extension API {
    /// The remembered searches of all stores, with the names of their resources.
    fileprivate func searches<Search>(
        _ list: (Gateway) async throws -> [Search], resource collection: (Search) -> String
    ) async throws -> [(search: Search, resource: String?)] {
        var searches: [(search: Search, resource: String?)] = []
        for (gateway, store) in gateways.searched {
            searches += try await list(gateway).map { search in
                (search, gateways.resource(ofCollection: collection(search), in: store)?.name)
            }
        }
        return searches
    }

    fileprivate func forget(
        _ request: APIRequest, _ remove: (Gateway, String) async throws -> Void,
        all: (Gateway) async throws -> Void
    ) async throws -> ServerResponse {
        var missing: (any Error)?, isFound = false
        for (gateway, _) in gateways.searched {
            do {
                if let text = request.text(.text) {
                    try await remove(gateway, text)
                } else {
                    try await all(gateway)
                }
                isFound = true
            } catch let error as PatchbayError where error.code == .notFound {
                missing = error
            }
        }
        if let missing, !isFound { throw missing }
        return ServerResponse(head: HTTPResponse(status: .noContent))
    }

    /// Every search is recorded, which changes the revision, so the tag depends on the content only.
    fileprivate func search(_ served: ServedResource, _ request: APIRequest) async throws -> ServerResponse {
        let rows = try RowsAnswer(request, of: served)
        let page = try SearchPage(request, of: served)
        try served.requireWhole()
        let policy = request.policy ?? served.usualPolicy
        let answers = { @Sendable in page.answers(policy) }
        return try await answer(
            request, from: served.store, question: request.question, policy: policy, hasRevision: false
        ) {
            let chosen = await ServedAnswer(answers(), policy) {
                $0.origin == .source && !$0.isPartial && !$0.items.isEmpty
            }
            if chosen.isContinued { refresh(request) { _ = await answers().ending } }
            let window = try chosen.served().value ?? .unmatched
            var provenance = chosen.provenance(from: served.gateway.source.name)
            provenance.found = window.origin.word
            provenance.total = window.total
            provenance.hasMore = window.hasMore || window.isPartial
            let isConfirmed = chosen.answer.outcome.isConfirmed
            let isComplete = window.isComplete(limit: page.limit, isConfirmed: isConfirmed)
            provenance.isComplete = isComplete
            provenance.reason = isComplete ? nil : window.reason
            let foundBy = window.origin == .local ? "local" : "source"
            let body = try await rows.body(window.items, of: served.gateway) { json in
                json.key("found_by")
                json.string(foundBy)
            }
            let next = page.next(after: window).map { request.address(.after, $0) }
            return APIAnswer(body, provenance, next: next)
        }
    }
}

/// A page of a search, from the parameters of a request.
private struct SearchPage: Sendable {
    let served: ServedResource
    let text: String
    let limit: Int
    let number: Int
    let stretch: UInt64

    init(_ request: APIRequest, of served: ServedResource) throws(Problem) {
        self.served = served
        text = request.text(.text) ?? ""
        limit = request.integer(.limit) ?? Parameter.rowsUsual
        stretch = request.stretch(of: served.name)
        guard let token = request.text(.after) else {
            number = 1
            return
        }
        guard case .rows(let number) = try PageToken.position(token, of: stretch),
            (1...Limits.pageRows / limit).contains(number)
        else {
            throw .notFound(
                "there is no such page of this search; start again without \"after\"",
                parameter: Parameter.after.name)
        }
        self.number = number
    }

    func answers(_ policy: Policy) -> Answers<SearchWindow<Item>> {
        served.gateway.search(served.full, text, page: number, limit: limit, policy: policy)
    }

    /// Returns the token of the next page; nil when there is none or it would exceed the maximum number of results.
    func next(after window: SearchWindow<Item>) -> String? {
        guard window.hasMore, number < Limits.pageRows / limit else { return nil }
        return PageToken.text(.rows(number + 1), of: stretch)
    }
}

extension SearchWindow.Origin {
    fileprivate var word: String {
        switch self {
        case .source: "source"
        case .local: "local"
        case .denied: "denied"
        }
    }
}
