import PatchbayCore
import PatchbayDomain

/// The store as use cases write to it what a source returns: only rows of one server of each API.
///
/// The first write notes the server of the source's word; with a source of another server of that word every write
/// fails, and nothing is changed. Other words have other collections, so they share a storage.
struct SourceStore: Sendable {
    /// The store itself, for what does not come from a source.
    let inner: Store
    /// The API and the server that rows come from; nil for a source that never returns any.
    let claim: StoredAPI?
    /// ``Source/api`` of a source without resources; goes with the use cases of its rows.
    let api: String?

    init(_ store: Store, for source: Source) {
        inner = store
        claim = source.feed == nil ? nil : StoredAPI(source.word, server: source.server)
        api = source.feed == nil ? source.api : nil
    }

    func read<Result: Sendable>(
        _ body: @Sendable (borrowing Reading) throws -> Result
    ) async throws -> Result {
        try await inner.read(body)
    }

    /// Writes what the source returned.
    ///
    /// - Throws: `conflict` when the stored rows come from another server.
    func write<Result: Sendable>(
        _ body: @Sendable (inout Writing) throws -> Result
    ) async throws -> Result {
        try await inner.write { [claim, api] writing in
            if let claim { try writing.claim(claim) }
            if let api { try writing.claim(for: api) }
            return try body(&writing)
        }
    }

    /// Checks that the source may write, before a request is sent.
    ///
    /// - Throws: `conflict` when the stored rows come from another server.
    func check() async throws {
        do {
            try await inner.read { reading in
                if let claim { _ = try reading.requireClaim(claim) }
                if let api { _ = try reading.requireClaim(for: api) }
            }
        } catch let error as PatchbayError where error.code == .conflict {
            // The error is true without the path, too.
            let path = try? await inner.storage.describe().path
            throw error.adding(path.map { ["storage": $0] } ?? [:])
        }
    }
}

extension Reading {
    /// Checks that the rows come from no other API.
    ///
    /// - Returns: whether it is noted that they come from this one; false when there are none yet, or when the note
    ///   does not name their server.
    /// - Throws: `conflict` when they do.
    func requireClaim(for api: String) throws -> Bool {
        guard let source = try get(StoredSource.self, StoredSource.key) else { return false }
        let known = source.api
        if known.utf8.elementsEqual(api.utf8) { return true }
        if let server = source.server(of: api), try hasRows(at: server) { return false }
        let clear =
            try isCleared(ofUsersOnly: true) ? ", or empty this one with \"patchbay users clear\"" : ""
        throw PatchbayError(
            .conflict,
            "the storage holds what the source \"\(known)\" told, and \"\(api)\" would be mixed with it; "
                + "set another storage.path for \"\(api)\"\(clear)")
    }

    /// Whether the rows have addresses at a server or a name below its own, as far as the first one tells.
    private func hasRows(at server: String) throws -> Bool {
        let address =
            try list(StoredUser.self, Query(StoredUser.collection, limit: 1)).first?.user.url
            ?? list(StoredRepository.self, Query(StoredRepository.collection, limit: 1)).first?.repository.url
            ?? list(StoredFavourite.self, Query(StoredFavourite.collection, limit: 1)).first?.url
        guard let address = address?.lowercased(), let scheme = address.firstRange(of: "://") else {
            return false
        }
        let host = address[scheme.upperBound...].prefix { $0 != "/" }
        return host == server || host.hasSuffix("." + server)
    }

    /// Whether nothing is stored that a source told; or nothing else than users, which can be cleared.
    func isCleared(ofUsersOnly: Bool = false) throws -> Bool {
        let users = [StoredUser.collection, StoredUserEdit.collection]
        let others = [StoredFavourite.collection, StoredRepository.collection, StoredCommit.collection]
        return try (ofUsersOnly ? others : users + others).allSatisfy {
            try count(Query($0, limit: 1)) == 0
        }
    }
}

extension Writing {
    /// Notes that the rows come from an API.
    ///
    /// - Throws: `conflict` when they come from another one.
    mutating func claim(for api: String) throws {
        if try !reading.requireClaim(for: api) { try put(StoredSource(api: api)) }
    }

    /// Lets another API's source write when nothing is left of what the last one told.
    ///
    /// The pages of lists and searches go, too: their keys would find the rows of the next source.
    mutating func releaseIfCleared() throws {
        guard try reading.isCleared() else { return }
        try deleteAll(StoredListPage.self)
        try deleteAll(StoredAlias.self)
        try deleteAll(StoredListRun.self)
        try deleteAll(StoredSearch.self)
        try deleteAll(StoredDeniedSearch.self)
        try deleteAll(StoredSource.self)
    }
}
