public import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Writes the rows of one collection, or of all that the storage holds, as text that ``ImportRows`` reads back.
///
/// The API that rows come from is first, because an import refuses rows of another one. Then collections come in the
/// order of their names, and rows in the order of their primary keys, so two storages with the same rows give the same
/// bytes. They are read in short transactions; ``Exported/changedMeanwhile`` says whether somebody wrote in between.
public struct ExportRows: Sendable {
    /// What was written.
    public struct Exported: Sendable {
        public var rows = 0
        /// Whether a commit fell between two batches, so that the rows are of several moments.
        public var changedMeanwhile = false
    }

    private let store: Store
    private let collections: [CollectionSchema]
    private let namesCollections: Bool
    private let format: TransferFormat

    /// - Parameter collection: nil for all of them, each behind a line that names it.
    /// - Throws: `unsupported` when the format cannot hold several collections.
    public init(_ store: Store, _ collection: CollectionSchema?, as format: TransferFormat) throws {
        if collection == nil, format == .csv {
            let names = store.schema.withoutCopyMark.collections.map(\.name).joined(separator: ", ")
            throw PatchbayError(
                .unsupported, "CSV holds one collection; choose one of \(names), or take NDJSON")
        }
        self.store = store
        self.format = format
        let all = store.schema.withoutCopyMark.collections
        // First, so that an import of another server's rows ends before any of them.
        let first = StoredAPI.collection
        collections = collection.map { [$0] } ?? all.filter { $0 == first } + all.filter { $0 != first }
        namesCollections = collection == nil
    }

    /// Hands the text to `write`, a batch of rows at a time.
    ///
    /// - Throws: what `write` throws; `invalidValue` when a text is not UTF-8, which only another program can have
    ///   written.
    public func run(
        progress: @escaping WorkProgress.Handler = { _ in }, _ write: ([UInt8]) throws -> Void
    ) async throws -> Exported {
        let storage = store.storage
        let revision = try await storage.revision()
        var exported = Exported()
        for collection in collections {
            let total = try await storage.read { try $0.count(Query(collection)) }
            var text = RowWriter(format, collection)
            text.begin(isNamed: namesCollections)
            var query: Query? = Query(collection), done = 0
            while let next = query {
                let batch = try await storage.batch(next)
                for position in 0..<batch.count { try text.write(batch.row(position)) }
                try write(text.takeBytes())
                query = batch.rest(of: next)
                done += batch.count
                progress(WorkProgress("exporting \(collection.name)", done: done, of: total))
            }
            exported.rows += done
        }
        exported.changedMeanwhile = try await storage.revision() != revision
        return exported
    }
}
