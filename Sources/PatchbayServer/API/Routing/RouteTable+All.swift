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
}
