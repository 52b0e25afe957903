public import PatchbayCore

extension Schema {
    /// What Patchbay stores beside the rows of resources.
    ///
    /// The collections of resources are added by the source that has them.
    public static let patchbay = Schema(
        version: 1,
        [
            StoredAPI.collection, StoredListPage.collection, StoredListStretch.collection,
            StoredListRun.collection, StoredClearing.collection, StoredFormerHandle.collection,
            StoredEdit.collection, Favourite.collection, StoredPicture.collection,
            StoredRecentSearch.collection, StoredDeniedSearch.collection, StoredSearch.collection,
            StoredLease.collection,
        ])
}
