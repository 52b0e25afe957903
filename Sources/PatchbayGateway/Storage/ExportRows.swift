package import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Writes the rows of one collection, or of all collections of the storage, as text that ``ImportRows`` reads.
///
/// The APIs that rows come from are written first, because an import refuses rows of another one. The other collections
/// follow in the order of their names, and rows in the order of their primary keys, so two storages with the same rows
/// produce the same bytes. Rows are read in short transactions; ``Exported/changedMeanwhile`` is true if there was a
/// commit in between.
package struct ExportRows: Sendable {
    /// The result of an export.
    package struct Exported: Sendable {
        /// The number of rows written, of all exported collections.
        package var rows = 0
        /// Whether rows were committed during the export, so that it may not be a consistent snapshot.
        package var changedMeanwhile = false
    }

    private let store: Store
    private let collections: [CollectionSchema]
    private let namesCollections: Bool
    private let format: TransferFormat

    /// - Parameter collection: nil for all collections, each after a line that names it.
    /// - Throws: `unsupported` when the format cannot hold several collections.
    package init(_ store: Store, _ collection: CollectionSchema?, as format: TransferFormat) throws {
        if collection == nil, format == .csv {
            let names = store.schema.transferable.collections.map(\.name).joined(separator: ", ")
            throw PatchbayError(
                .unsupported, "a CSV file contains one collection; choose one of \(names), or use JSON Lines")
        }
        self.store = store
        self.format = format
        let all = store.schema.transferable.collections
        // First, so that an import of another server's rows fails before any of them.
        let first = StoredAPI.collection
        collections = collection.map { [$0] } ?? all.filter { $0 == first } + all.filter { $0 != first }
        namesCollections = collection == nil
    }

    /// Passes the text to `write`, a batch of rows at a time.
    ///
    /// - Throws: the errors of `write`; `invalidValue` for a text that is not UTF-8, which only another program can
    ///   have written, or damage.
    package func run(
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

/// The formats of exported files. Both preserve every value exactly.
package enum TransferFormat: String, Sendable, CaseIterable {
    /// One JSON object per line with the fields that are not null, in the order of the collection:
    ///
    ///     integer   digits; as text beyond 2^53 either way, where other readers would round
    ///     real      the fewest digits that read back as the same; "Infinity" and "-Infinity" as text
    ///     text      a JSON string
    ///     bytes     base64 (RFC 4648, section 4) as text
    ///
    /// A file with several collections has a line before the rows of each, which contains its name and definition:
    ///
    ///     {"_collection":"users","_definition":"users(id integer, ...)"}
    case jsonl
    /// One collection: a line with the names of the fields, then the rows (RFC 4180, but lines end in a line feed).
    /// Null is an empty field, an empty text and empty bytes are `""`, and other bytes are base64.
    case csv
}
