import PatchbayCore

/// A storage that reports how many rows each committed transaction put.
struct MeasuredStorage: StorageWrapper {
    let inner: any Storage
    let saved: @Sendable (_ collection: String, _ rows: Int) -> Void

    func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        let (result, rows) = try await inner.write { writer in
            let counting = CountingWriter(writer)
            return (try body(counting), counting.rows)
        }
        for (collection, count) in rows { saved(collection, count) }
        return result
    }
}

/// Passes a transaction on and counts its puts.
private final class CountingWriter: StorageWriterWrapper {
    let inner: any StorageWriter
    private(set) var rows: [String: Int] = [:]

    init(_ inner: any StorageWriter) { self.inner = inner }

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        try inner.put(row, in: collection)
        rows[collection.name, default: 0] += 1
    }
}
