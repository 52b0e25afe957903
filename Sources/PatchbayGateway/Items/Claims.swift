import PatchbayCore
import PatchbayDomain

extension Reading {
    /// Checks that the stored rows of an API do not come from another server.
    ///
    /// - Returns: whether the server is recorded; false when there are no rows yet.
    /// - Throws: `conflict` when they come from another server.
    func requireClaim(_ claim: StoredAPI) throws -> Bool {
        guard let known = try get(StoredAPI.self, claim.key) else { return false }
        if known.hasServer(of: claim) { return true }
        throw PatchbayError(
            .conflict,
            "the storage holds rows of \"\(known)\", and those of \"\(claim)\" would be mixed with them; "
                + "set source.as to another word or use another storage for \"\(claim)\", or clear "
                + "the stored rows first")
    }

    /// Whether nothing returned by sources with this word is stored.
    fileprivate func isCleared(of word: String, _ collections: [CollectionSchema]) throws -> Bool {
        // `github_work_users` is not a collection of `github` when there is a source with the word `github_work`.
        let longer = try list(StoredAPI.self, Query(StoredAPI.collection, .prefix(.text(word + "_")))).map(
            \.word)
        let mine = collections.filter { collection in
            collection.name.hasPrefix(word + "_")
                && !longer.contains { collection.name.hasPrefix($0 + "_") }
        }
        let queries = mine.flatMap { collection in
            let name = Bounds.equal(.text(collection.name))
            return [
                Query(collection, limit: 1), Query(StoredEdit.collection, name, limit: 1),
                Query(Favourite.collection, name, limit: 1),
            ]
        }
        return try queries.allSatisfy { try count($0) == 0 }
    }
}

extension Writing {
    /// Records the server that the rows of an API come from.
    ///
    /// - Throws: `conflict` when they come from another one.
    mutating func claim(_ claim: StoredAPI) throws {
        if try !reading.requireClaim(claim) { try put(claim) }
    }

    /// Allows a source of another server to write once no row of the previous server is left.
    ///
    /// - Parameter collections: all collections of the storage.
    mutating func releaseClaim(of word: String, _ collections: [CollectionSchema]) throws {
        if try reading.isCleared(of: word, collections) { try delete(StoredAPI.self, .text(word)) }
    }
}

extension StoredAPI {
    /// Compares servers byte by byte.
    fileprivate func hasServer(of other: StoredAPI) -> Bool {
        (server ?? "").utf8.elementsEqual((other.server ?? "").utf8)
    }
}
