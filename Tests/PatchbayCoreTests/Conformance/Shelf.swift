import PatchbayCore
@testable import PatchbayTestKit
import Synchronization

/// Where kept storages leave their state between closing and opening: a disk in memory.
final class Shelf: Sendable {
    struct Place: Sendable {
        var schema: Schema
        var storage: MemoryStorage
        var isOpen = false
    }

    private let places = Mutex<[String: Place]>([:])

    subscript(directory: String) -> Place? {
        get { places.withLock { $0[directory] } }
        set { places.withLock { $0[directory] = newValue } }
    }
}

/// A durable storage for testing the kit: the memory storage with a shelf.
final class KeptStorage: Storage {
    private let shelf: Shelf
    private let directory: String
    private let fault: Fault?
    private let current = Mutex<MemoryStorage?>(nil)
    private let beforeLastCommit = Mutex<[Values]?>(nil)

    init(_ shelf: Shelf, _ directory: String, _ fault: Fault? = nil) {
        self.shelf = shelf
        self.directory = directory
        self.fault = fault
    }

    var features: StorageFeatures { [.durable, .readsDuringWrite] }

    func describe() async throws -> StorageDescription { StorageDescription(engine: "a shelf") }

    func open(_ schema: Schema, progress: @escaping Progress.Handler) async throws {
        if let place = shelf[directory], place.isOpen, fault != .opensTwice {
            throw PatchbayError(.busy, "the folder is open")
        }
        let old = fault == .forgetsWhenReopened ? nil : shelf[directory]
        if let old, old.schema.version > schema.version, fault != .opensNewerSchemas {
            throw PatchbayError(.unsupported, "schema \(old.schema.version) is newer than \(schema.version)")
        }
        if fault == .changesBeforeRefusing, let old, old.schema.version < schema.version {
            for collection in old.schema.collections {
                try await old.storage.write { try $0.deleteAll(in: collection) }
            }
        }
        let storage = MemoryStorage()
        try await storage.open(schema)
        if let old { try await migrate(old, to: schema, storage) }
        shelf[directory] = Shelf.Place(schema: schema, storage: storage, isOpen: true)
        current.withLock { $0 = storage }
    }

    /// Copies the rows into a storage of the new schema.
    private func migrate(_ old: Shelf.Place, to schema: Schema, _ storage: MemoryStorage) async throws {
        for collection in schema.collections {
            guard let stored = old.schema.collections.first(where: { $0.name == collection.name }) else {
                continue
            }
            if fault != .migratesAnything { _ = try collection.migration(from: stored) }
            var rows = try await old.storage.rows(Query(stored))
            if fault == .migrationLosesRows, stored != collection { rows = rows.dropLast() }
            if fault == .forgetsLastCommit { rows = rows.dropLast() }
            let padded = rows.map { row in
                Array(row.prefix(collection.fields.count))
                    + Values(repeating: nil, count: max(0, collection.fields.count - row.count))
            }
            try await storage.put(padded, in: collection)
        }
    }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result { try await storage().read(body) }

    func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result { try await storage().write(body) }

    func revision() async throws -> UInt64 { try await storage().revision() }

    func close() async throws {
        if current.withLock({ $0.take() }) != nil { shelf[directory]?.isOpen = false }
    }

    private func storage() throws -> MemoryStorage {
        guard let storage = current.withLock({ $0 }) else { throw PatchbayError(.internalError, "not open") }
        return storage
    }
}
