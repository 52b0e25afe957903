import class Foundation.FileManager
import struct Foundation.Data
import struct Foundation.URL
import struct Foundation.UUID
import PatchbayCore
@testable import PatchbayTestKit
import Synchronization

/// The state of closed storages: a disk in memory. A small file represents each storage, so that it can be moved like a
/// real one.
final class Shelf: Sendable {
    struct Place: Sendable {
        var schema: Schema
        var storage: MemoryStorage
        var isOpen = false
    }

    private let places = Mutex<[String: Place]>([:])

    /// The state of the file at a path; the file is created with the first state.
    subscript(path: String) -> Place? {
        get { name(at: path).flatMap { name in places.withLock { $0[name] } } }
        set {
            let name = name(at: path) ?? makeFile(path)
            places.withLock { $0[name] = newValue }
        }
    }

    func hasFile(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    func mayWrite(_ path: String) -> Bool { FileManager.default.isWritableFile(atPath: path) }

    /// Writes the contents of the file again.
    func touch(_ path: String) throws { try Data(name(at: path)!.utf8).write(to: URL(filePath: path)) }

    func remove(_ path: String) throws { try FileManager.default.removeItem(atPath: path) }

    /// Notes that a storage is closed, wherever its file is now.
    func close(_ name: String) { places.withLock { $0[name]?.isOpen = false } }

    /// The name of the storage whose file has the path.
    func name(at path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func makeFile(_ path: String) -> String {
        let name = UUID().uuidString
        _ = FileManager.default.createFile(atPath: path, contents: Data(name.utf8))
        return name
    }
}

/// A durable storage to test the kit: the memory storage with a shelf.
final class KeptStorage: Storage {
    let shelf: Shelf
    let path: String
    let fault: Fault?
    private let current = Mutex<MemoryStorage?>(nil)
    /// The name of the open storage on the shelf.
    private let name = Mutex<String?>(nil)
    /// The storage that still answers after it was closed.
    private let lastOpen = Mutex<MemoryStorage?>(nil)
    /// Why nothing may be written.
    private let refusal = Mutex<PatchbayError?>(nil)

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
        let isReading = opening.access == .reading
        let old = try stored(opening.access)
        let schema = try wanted(opening.schema, old?.schema, mayCreate: opening.access == .creating)
        if isReading, let old, fault != .migratesForReading { try opening.schema?.checkReads(old.schema) }
        if let old, old.schema.version > schema.version, fault != .opensNewerSchemas {
            throw PatchbayError(.unsupported, "schema \(old.schema.version) is newer than \(schema.version)")
        }
        if fault == .changesBeforeRefusing, let old, old.schema.version < schema.version {
            for collection in old.schema.collections {
                try await old.storage.write { try $0.deleteAll(in: collection) }
            }
        }
        let kept = fault == .reopensOldState ? lastOpen.withLock { $0 } : nil
        let storage = kept ?? MemoryStorage()
        try await storage.open(schema)
        if let old, kept == nil { try await migrate(old, to: schema, storage) }
        if let old, old.schema.version < schema.version, !isReading, fault != .migratesWithoutBackup {
            let kept = Shelf.Place(schema: old.schema, storage: old.storage)
            shelf[path + ".before-schema-\(schema.version)"] = kept
        }
        shelf[path] = Shelf.Place(schema: schema, storage: storage, isOpen: true)
        name.withLock { $0 = shelf.name(at: path) }
        if fault == .readingTouches { try shelf.touch(path) }
        current.withLock { $0 = storage }
        let mayWrite = shelf.mayWrite(path) && (!isReading || fault == .writesWhenReading)
        refusal.withLock { $0 = mayWrite ? nil : StoragePlace.openForReading(path) }
        return fault == .returnsRequestedOnly ? opening.schema ?? schema : schema
    }

    /// The stored state; nil when there is none.
    private func stored(_ access: StorageAccess) throws -> Shelf.Place? {
        if fault == .forgetsWhenReopened { return nil }
        if fault == .needsWriting, shelf.hasFile(path), !shelf.mayWrite(path) {
            throw PatchbayError(.permissionDenied, "the folder cannot be written")
        }
        if shelf[path] == nil, shelf.hasFile(path), fault != .takesEmptyForNew {
            throw PatchbayError(.corrupted, "the file is empty")
        }
        return shelf[path]
    }

    private func wanted(_ schema: Schema?, _ stored: Schema?, mayCreate: Bool) throws -> Schema {
        let mayCreate = mayCreate || fault == .makesForReading
        guard stored != nil || mayCreate || fault == .forgetsWhenReopened, let wanted = schema ?? stored
        else {
            throw StoragePlace.notFound(path)
        }
        return fault == .forgetsCollections ? wanted : wanted.joined(with: stored?.collections ?? [])
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
    ) async throws -> Result {
        let storage = try storage()
        if let refusal = refusal.withLock({ $0 }) { throw refusal }
        if name.withLock({ $0 }) != shelf.name(at: path), fault != .writesWhenGone {
            if fault == .failedCommitStaysVisible { _ = try await storage.write(body) }
            throw StoragePlace.removed(path)
        }
        let identity = try identity()
        return try await storage.write { try body(IdentifiedWriter(inner: $0, identity: identity)) }
    }

    private func identity() throws -> StorageIdentity? {
        switch fault {
        case .hasNoIdentity: nil
        case .sharesIdentity: StorageIdentity(place: shelf.name(at: path) ?? "")
        // A fault may have removed the file.
        default: try shelf.hasFile(path) ? StorageIdentity(ofFileAt: path, durability: .full) : nil
        }
    }

    func revision() async throws -> UInt64 { try await storage().revision() }

    func close() async throws {
        if let open = current.withLock({ $0.take() }) {
            if let name = name.withLock({ $0.take() }) { shelf.close(name) }
            if fault == .answersWhenClosed || fault == .reopensOldState { lastOpen.withLock { $0 = open } }
        }
    }

    func storage() throws -> MemoryStorage {
        let closed = fault == .answersWhenClosed ? lastOpen.withLock { $0 } : nil
        guard let storage = current.withLock({ $0 }) ?? closed else {
            throw PatchbayError.storageNotOpen(path)
        }
        return storage
    }
}

/// A transaction of a storage with an identity.
private final class IdentifiedWriter: StorageWriterWrapper {
    let inner: any StorageWriter
    let identity: StorageIdentity?

    init(inner: any StorageWriter, identity: StorageIdentity?) {
        self.inner = inner
        self.identity = identity
    }
}
