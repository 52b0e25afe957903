extension RouteTable {
    /// Every operation of the API.
    static let all = RouteTable(withoutQuestions.routes + [.query, .postQuery, .find])

    /// The operations of a program that neither answers SQL nor finds words.
    static let withoutQuestions = RouteTable([
        .home, .listResources, .listRows, .showRow, .editRow, .revertField, .addFavourite, .removeFavourite,
        .showPicture,
        .startSync, .listSyncs, .showSync, .interruptSync, .search, .recentSearches, .deniedSearches,
        .forgetRecentSearches, .forgetDeniedSearches, .listFavourites, .changes, .limits, .events, .live,
        .ready,
        .metrics,
        .openAPI,
    ])

    /// The operations that exist for a client. Searches are noted among those of the owner, and figures count rows and
    /// requests of all resources.
    func seen(by client: ClientOptions) -> RouteTable {
        let ofOwner: [Route] = [.search, .addFavourite, .removeFavourite, .listFavourites]
        let ofAll: [Route] = [
            .recentSearches, .deniedSearches, .forgetRecentSearches, .forgetDeniedSearches,
        ]
        let hidden =
            (client.isOwner ? [] : ofOwner) + (client.seesAll ? [] : ofAll)
            + (client.grants == nil ? [] : [.metrics])
        let names = Set(hidden.map(\.operation))
        return RouteTable(routes.filter { !names.contains($0.operation) })
    }
}
