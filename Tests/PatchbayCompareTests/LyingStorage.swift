import PatchbayCore
import Synchronization

/// A storage in memory that gives wrong answers.
final class LyingStorage: StorageWrapper {
    enum Lie: Sendable {
        /// Drops every n-th row that is put.
        case dropsWrites(every: Int)
        /// Returns the old row in every n-th read of a replaced row.
        case readsStale(every: Int)
        /// Returns the first two rows of the index of logins in the wrong order.
        case sortsWrongly
    }

    /// The key of the first wrong answer, as text.
    let firstLie = Mutex<String?>(nil)
    fileprivate let lie: Lie
    fileprivate let counts = Mutex<(puts: Int, gets: Int)>((0, 0))
    fileprivate let before = Mutex<[String: [UInt8]]>([:])
    let inner: any Storage = MemoryStorage()

    init(_ lie: Lie) { self.lie = lie }

    func describe() async throws -> StorageDescription { StorageDescription(engine: "liar") }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await inner.read { try body(LyingTransaction(self, $0, nil)) }
    }

    func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await inner.write { try body(LyingTransaction(self, $0, $0)) }
    }

    fileprivate func note(_ key: Key) { firstLie.withLock { $0 = $0 ?? key.description } }
}

private final class LyingTransaction: StorageWriter {
    private let storage: LyingStorage
    private let reader: any StorageReader
    private let writer: (any StorageWriter)?

    init(_ storage: LyingStorage, _ reader: any StorageReader, _ writer: (any StorageWriter)?) {
        self.storage = storage
        self.reader = reader
        self.writer = writer
    }

    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        if let old = staleRow(key, in: collection) {
            try unsafe visit(RowView(unchecked: old.span.bytes))
            return true
        }
        return try reader.get(key, in: collection, fields: fields, visit)
    }

    /// The row before its last change, in every n-th read of it. A writer gets the right row, because it would store a
    /// wrong one.
    private func staleRow(_ key: Key, in collection: CollectionSchema) -> [UInt8]? {
        guard case .readsStale(let every) = storage.lie, writer == nil,
            let old = storage.before.withLock({ $0["\(collection.name) \(key)"] }),
            storage.counts.withLock({ counts in
                counts.gets += 1
                return counts.gets % every == 0
            })
        else { return nil }
        storage.note(key)
        return old
    }

    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        if case .readsStale = storage.lie {
            return try reader.scan(query) { row in
                guard let old = staleRow(query.collection.key(of: row), in: query.collection) else {
                    return try visit(row)
                }
                return try unsafe visit(RowView(unchecked: old.span.bytes))
            }
        }
        guard case .sortsWrongly = storage.lie, query.index.name == "by_login" else {
            return try reader.scan(query, visit)
        }
        var rows: [[UInt8]] = [], firstKey: Key?
        try reader.scan(query) { row in
            firstKey = firstKey ?? query.collection.key(of: row)
            rows.append(row.copyBytes())
            return .next
        }
        if rows.count > 1, let firstKey {
            storage.note(firstKey)
            rows.swapAt(0, 1)
        }
        for row in rows where try unsafe visit(RowView(unchecked: row.span.bytes)) == .stop { return }
    }

    func count(_ query: Query) throws -> Int { try reader.count(query) }

    func put(_ row: borrowing RowView, in collection: CollectionSchema) throws {
        let key = collection.key(of: row)
        if case .dropsWrites(let every) = storage.lie,
            storage.counts.withLock({ counts in
                counts.puts += 1
                return counts.puts % every == 0
            })
        {
            return storage.note(key)
        }
        var old: [UInt8]?
        _ = try reader.get(key, in: collection) { old = $0.copyBytes() }
        if let old { storage.before.withLock { $0["\(collection.name) \(key)"] = old } }
        try writer!.put(row, in: collection)
    }

    func delete(_ key: Key, in collection: CollectionSchema) throws -> Bool {
        try writer!.delete(key, in: collection)
    }

    func deleteAll(in collection: CollectionSchema) throws { try writer!.deleteAll(in: collection) }
}
