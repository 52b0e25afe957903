public import PatchbayCore

extension Schema {
    /// Everything that Patchbay stores.
    public static let patchbay = Schema(version: 1, [StoredUser.collection, StoredUserPage.collection])
}
