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

    init(_ store: Store, for source: Source) {
        self.init(store, claim: source.feed == nil ? nil : StoredAPI(source.word, server: source.server))
    }

    init(_ store: Store, claim: StoredAPI?) {
        inner = store
        self.claim = claim
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
        try await inner.write { [claim] writing in
            if let claim { try writing.claim(claim) }
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
            }
        } catch let error as PatchbayError where error.code == .conflict {
            // The error is true without the path, too.
            let path = try? await inner.storage.describe().path
            throw error.adding(path.map { ["storage": $0] } ?? [:])
        }
    }
}
