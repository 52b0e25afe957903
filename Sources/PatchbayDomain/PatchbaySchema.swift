public import PatchbayCore

extension Schema {
    /// Everything that Patchbay stores.
    ///
    /// Version 2 added repositories, commits, pages and cursors of lists, and to users why and to whom they
    /// were told: an older Patchbay would write rows without these, so it is refused.
    ///
    /// Version 3 added favourites, edits that wait for their users, and how often a list was cleared: an older
    /// Patchbay would bring back rows that were cleared, and without their edits.
    ///
    /// Version 4 added pictures of users, what searches leave, and to users the folded names that they are found by
    /// offline: an older Patchbay would write users without them, and leave pictures behind when it clears the users.
    ///
    /// Version 5 added which API the rows come from: an older Patchbay would write rows of another one between them.
    ///
    /// Version 6 added former names: an older Patchbay would keep them when it clears the users.
    public static let patchbay = Schema(
        version: 6,
        [
            // First, so that an import of another API's rows ends before any of them.
            StoredSource.collection, StoredAPI.collection,
            StoredUser.collection, StoredUserPage.collection, StoredRepository.collection,
            StoredCommit.collection, StoredListPage.collection, StoredListStretch.collection,
            StoredListRun.collection, StoredAlias.collection,
            StoredUserEdit.collection, StoredClearing.collection, StoredFavourite.collection,
            StoredAvatar.collection,
            StoredRecentSearch.collection, StoredDeniedSearch.collection, StoredSearch.collection,
            StoredFormerHandle.collection, StoredEdit.collection, Favourite.collection,
            StoredPicture.collection,
        ])
}
