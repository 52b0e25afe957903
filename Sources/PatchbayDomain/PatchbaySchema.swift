public import PatchbayCore

extension Schema {
    /// Everything that Patchbay stores.
    ///
    /// Version 2 added repositories, commits, pages and cursors of lists, and to users why and to whom they
    /// were told: an older Patchbay would write rows without these, so it is refused.
    public static let patchbay = Schema(
        version: 2,
        [
            StoredUser.collection, StoredUserPage.collection, StoredRepository.collection,
            StoredCommit.collection, StoredListPage.collection, StoredListRun.collection,
        ])
}
