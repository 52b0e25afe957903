import PatchbayCore
public import PatchbayDomain

/// Takes a favourite's mark away. The user's own row stays as it is.
public struct RemoveFavourite: Sendable {
    let store: Store

    /// - Parameter login: the login that the favourite was added with, or the one that the user has now.
    /// - Returns: what was removed.
    /// - Throws: `notFound` when there is no such favourite.
    @discardableResult
    public func callAsFunction(_ login: String) async throws -> StoredFavourite {
        try await store.write { writing in
            guard let favourite = try writing.reading.favourite(named: login) else {
                throw PatchbayError(
                    .notFound, "\"\(login)\" is no favourite; \"patchbay favourites list\" shows them")
            }
            try writing.delete(StoredFavourite.self, .integer(favourite.id))
            return favourite
        }
    }
}

extension Reading {
    /// The favourite whose user has the login now, else the one that was added last with it.
    fileprivate func favourite(named login: String) throws -> StoredFavourite? {
        if let user = try user(named: login),
            let favourite = try get(StoredFavourite.self, .integer(user.user.id))
        {
            return favourite
        }
        let query = Query(
            StoredFavourite.collection, by: StoredFavourite.byLogin, .equal(.text(login)), limit: 10)
        return try list(StoredFavourite.self, query).max { $0.addedAt < $1.addedAt }
    }
}
