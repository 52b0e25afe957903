extension RouteTable {
    /// Every operation of the API.
    static let all: RouteTable = RouteTable([
        .home, .listResources, .listRows, .showRow, .editRow, .revertField, .addFavourite, .removeFavourite,
        .showPicture,
        .startSync, .listSyncs, .showSync, .interruptSync, .search, .recentSearches, .deniedSearches,
        .forgetRecentSearches, .forgetDeniedSearches, .listFavourites, .changes, .query,
        .postQuery, .limits, .events, .live,
        .ready,
        .metrics,
        .openAPI,
    ])
}
