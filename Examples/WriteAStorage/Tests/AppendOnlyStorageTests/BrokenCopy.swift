import AppendOnlyStorage
import Patchbay
import Synchronization

/// The append-only storage with a deliberate fault.
final class BrokenCopy: Storage {
    enum Fault: CaseIterable {
        case losesARowOnReopening, walksIndexesBackwards, readsDirty

        /// The topic of the promises that must detect the fault.
        var topic: String {
            switch self {
            case .losesARowOnReopening: "reopen"
            case .walksIndexesBackwards: "order"
            case .readsDirty: "snapshots"
            }
        }

        /// Parts of the expected message.
        var signs: [String] {
            switch self {
            case .losesARowOnReopening: ["get of", "expected", "got nothing"]
            case .walksIndexesBackwards: ["row 0 should be", "but is"]
            case .readsDirty: ["a read while a write is open", "but is"]
            }
        }
    }

    private let inner: AppendOnlyStorage
    private let fault: Fault
    private let underWay = Mutex<Unfinished?>(nil)

    /// The open write transaction, used by readers that should not see it.
    private struct Unfinished: @unchecked Sendable { let writer: any StorageWriter }

    init(path: String, _ fault: Fault) {
        inner = AppendOnlyStorage(path: path, durability: .off)
        self.fault = fault
    }

    var features: StorageFeatures { inner.features }

    func open(_ opening: StorageOpening) async throws -> Schema {
        let schema = try await inner.open(opening)
        guard fault == .losesARowOnReopening else { return schema }
        for collection in schema.collections {
            try await inner.write { writer in
                var key: Key?
                try writer.scan(Query(collection, order: .descending, limit: 1)) { row in
                    key = collection.key(of: row)
                    return .next
                }
                if let key { _ = try writer.delete(key, in: collection) }
            }
        }
        return schema
    }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        if fault == .readsDirty, let unfinished = underWay.withLock({ $0 }) {
            return try body(unfinished.writer)
        }
        return try await inner.read { [fault] in try body(BrokenReader($0, fault)) }
    }

    func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await inner.write { writer in
            let unfinished = Unfinished(writer: writer)
            underWay.withLock { $0 = unfinished }
            defer { underWay.withLock { $0 = nil } }
            return try body(writer)
        }
    }

    func revision() async throws -> UInt64 { try await inner.revision() }
    func describe() async throws -> StorageDescription { try await inner.describe() }
    func close() async throws { try await inner.close() }
}

private final class BrokenReader: StorageReader {
    private let inner: any StorageReader
    private let fault: BrokenCopy.Fault

    init(_ inner: any StorageReader, _ fault: BrokenCopy.Fault) {
        self.inner = inner
        self.fault = fault
    }

    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        try inner.get(key, in: collection, fields: fields, visit)
    }

    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        var query = query
        if fault == .walksIndexesBackwards, !query.walksPrimaryKey {
            query.order = query.order == .ascending ? .descending : .ascending
        }
        try inner.scan(query, visit)
    }

    func count(_ query: Query) throws -> Int { try inner.count(query) }
}
