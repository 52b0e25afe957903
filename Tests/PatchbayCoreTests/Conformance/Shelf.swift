import class Foundation.FileManager
import struct Foundation.Data
import struct Foundation.UUID
import PatchbayCore
@testable import PatchbayTestKit
import Synchronization

/// Where kept storages leave their state between closing and opening: a disk in memory. A small file stands for each,
/// so that it can be moved like a real one.
final class Shelf: Sendable {
    struct Place: Sendable {
        var schema: Schema
        var storage: MemoryStorage
        var isOpen = false
    }

    private let places = Mutex<[String: Place]>([:])

    /// The state behind the file at a path; the file is made when a state is first left there.
    subscript(path: String) -> Place? {
        get { name(at: path).flatMap { name in places.withLock { $0[name] } } }
        set {
            let name = name(at: path) ?? makeFile(path)
            places.withLock { $0[name] = newValue }
        }
    }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    private func name(at path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func makeFile(_ path: String) -> String {
        let name = UUID().uuidString
        _ = FileManager.default.createFile(atPath: path, contents: Data(name.utf8))
        return name
    }
}

/// A durable storage for testing the kit: the memory storage with a shelf.
final class KeptStorage: Storage {
    let shelf: Shelf
    let path: String
    let fault: Fault?
    private let current = Mutex<MemoryStorage?>(nil)

    init(_ shelf: Shelf, _ directory: String, _ fault: Fault? = nil) {
        self.shelf = shelf
        self.path = directory + "/kept"
        self.fault = fault
    }

    var features: StorageFeatures { [.durable, .readsDuringWrite, .backup] }

    func open(_ opening: StorageOpening) async throws -> Schema {
        if let place = shelf[path], place.isOpen, fault != .opensTwice {
            throw PatchbayError(.busy, "the folder is open")
        }
        let old = fault == .forgetsWhenReopened ? nil : shelf[path]
        guard let schema = opening.schema ?? old?.schema, old != nil || opening.access == .creating else {
            throw PatchbayError(.notFound, "nothing is stored there")
        }
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
        if let old, old.schema.version < schema.version, fault != .migratesWithoutBackup {
            let kept = Shelf.Place(schema: old.schema, storage: old.storage)
            shelf[path + ".before-schema-\(schema.version)"] = kept
        }
        shelf[path] = Shelf.Place(schema: schema, storage: storage, isOpen: true)
        current.withLock { $0 = storage }
        return schema
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
        if current.withLock({ $0.take() }) != nil { shelf[path]?.isOpen = false }
    }

    func storage() throws -> MemoryStorage {
        guard let storage = current.withLock({ $0 }) else { throw PatchbayError(.internalError, "not open") }
        return storage
    }
}
