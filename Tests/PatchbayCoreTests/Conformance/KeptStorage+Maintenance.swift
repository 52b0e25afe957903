import PatchbayCore
@testable import PatchbayTestKit

extension KeptStorage {
    /// Each row counts as one byte.
    func describe() async throws -> StorageDescription {
        _ = try storage()
        var rows = 0
        for collection in shelf[path]?.schema.collections ?? [] {
            rows += try await read { try $0.count(Query(collection)) }
        }
        return StorageDescription(
            engine: "a shelf", path: path, files: [StorageDescription.File(path: path, bytes: rows)])
    }

    func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        _ = try storage()
        return fault == .findsFaults ? [StorageFault(file: path, "found by the test")] : []
    }

    func compact(progress: WorkProgress.Handler) async throws {
        _ = try storage()
        guard fault == .compactingLosesRows, let collection = shelf[path]?.schema.collections.first else {
            return
        }
        let first = try await rows(Query(collection, limit: 1))
        guard case .integer(let id)? = first.first?.first else { return }
        try await write { _ = try $0.delete(.integer(id), in: collection) }
    }

    func backup(to other: String, progress: WorkProgress.Handler) async throws {
        _ = try storage()
        guard let schema = shelf[path]?.schema else { return }
        if fault == .backupReplaces, shelf[other] != nil { try shelf.remove(other) }
        try StoragePlace.checkIsFree(at: other)
        let copy = MemoryStorage()
        try await copy.open(schema)
        let everything = try await read { reader in
            try schema.collections.map { try reader.rows(Query($0)) }
        }
        for (collection, rows) in zip(schema.collections, everything) {
            var rows = rows
            // The second half contains rows that were written after the copy began.
            if fault == .backupIsTorn { rows = try await self.rows(Query(collection)).dropLast() }
            try await copy.put(rows, in: collection)
        }
        shelf[other] = Shelf.Place(schema: schema, storage: copy)
    }
}
