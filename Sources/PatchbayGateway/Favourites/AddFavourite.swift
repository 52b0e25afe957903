import PatchbayCore
public import PatchbayDomain

/// Marks a stored user as a favourite, with a copy of how the user is now.
///
/// A second time it takes a new copy; when nothing has changed since, nothing is written.
public struct AddFavourite: Sendable {
    let store: Store
    let now: @Sendable () -> Timestamp

    /// There are at most so many favourites, so that all of them fit a page.
    public static let favouritesMax = Limits.pageRows

    /// - Throws: `notFound` when the user is not stored, `invalidValue` when there are ``favouritesMax`` already.
    @discardableResult
    public func callAsFunction(_ login: String) async throws -> Edited<StoredFavourite> {
        let time = now()
        if let known = try await store.read({ try $0.favourite(of: $0.requireUser(login), at: time) }),
            !known.hasChanged
        {
            return known
        }
        return try await store.write { writing in
            let user = try writing.reading.requireUser(login)
            if let known = try writing.reading.favourite(of: user, at: time) {
                if known.hasChanged { try writing.put(known.value) }
                return known
            }
            guard try writing.reading.count(Query(StoredFavourite.collection)) < Self.favouritesMax else {
                throw PatchbayError(
                    .invalidValue,
                    "there are \(Self.favouritesMax) favourites, and there cannot be more; remove one first")
            }
            let favourite = StoredFavourite(of: user.user, addedAt: time)
            try writing.put(favourite)
            return Edited(value: favourite, hasChanged: true)
        }
    }
}

extension Reading {
    /// The favourite as a new copy of the user would leave it; nil when the user is none yet.
    fileprivate func favourite(of user: StoredUser, at time: Timestamp) throws -> Edited<StoredFavourite>? {
        guard let known = try get(StoredFavourite.self, .integer(user.user.id)) else { return nil }
        var copy = StoredFavourite(of: user.user, addedAt: known.addedAt)
        guard copy != known else { return Edited(value: known, hasChanged: false) }
        copy.addedAt = time
        return Edited(value: copy, hasChanged: true)
    }
}
