import PatchbayCore
public import PatchbayDomain

/// Takes away the name that was edited here, so that the upstream one is shown again.
public struct RevertUser: Sendable {
    let store: Store

    /// - Throws: `notFound` when the user is not stored.
    @discardableResult
    public func callAsFunction(_ login: String) async throws -> Edited<StoredUser> {
        try await store.edit(login) { $0.nameOverride = nil }
    }
}
