public import PatchbayCore

extension Schema {
    /// The collections that Patchbay stores besides the rows of resources.
    ///
    /// A source adds the collections of its resources.
    public static let patchbay = Schema(
        version: 2,
        [
            StoredAPI.collection, StoredListPage.collection, StoredListStretch.collection,
            StoredListRun.collection, StoredClearing.collection, StoredFormerHandle.collection,
            StoredEdit.collection, Favourite.collection, StoredPicture.collection,
            StoredRecentSearch.collection, StoredDeniedSearch.collection, StoredSearch.collection,
            StoredLease.collection, Incarnation.collection,
        ])
}
