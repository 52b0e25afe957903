package import PatchbayCore
import PatchbaySystem

extension FlatFileStorage {
    /// Describes the files on the disk, and for each collection how much of its file is rows and how much is waste.
    package func describe() async throws -> StorageDescription {
        let snapshot = try await snapshot(), folder = snapshot.folder
        var files = try Self.files(folder)
        if try folder.kind(FileName.index) == .folder {
            files += try Self.files(folder.folder(FileName.index))
        }
        return StorageDescription(
            engine: "flat files, format \(Log.format)", path: folder.path, files: files,
            settings: settings(snapshot))
    }

    private static func files(_ folder: Folder) throws -> [StorageDescription.File] {
        try folder.names().compactMap { name in
            // A file that the writer removed meanwhile is not part of the storage any more.
            guard let status = try folder.status(name), status.kind == .file else { return nil }
            return StorageDescription.File(path: folder.path(name), bytes: status.bytesOnDisk)
        }
    }

    private func settings(_ snapshot: Snapshot) -> [StorageDescription.Setting] {
        var settings = [
            StorageDescription.Setting("durability", options.durability.rawValue),
            StorageDescription.Setting("compact-at-percent", String(options.compactAtPercent)),
            StorageDescription.Setting("sequence", String(snapshot.transaction)),
        ]
        for table in snapshot.tables {
            let pages = zip(table.declaredIndexes, table.indexes).map { "\($0.name) \($1.pageCount)" }
            let values = [
                ("live_lines", String(table.rowCount)), ("live_bytes", String(table.liveBytes)),
                ("dead_bytes", String(table.waste)), ("index_pages", pages.joined(separator: ", ")),
                ("changes_in_memory", String(table.changeCount)),
            ]
            settings += values.map { .init("\(table.collection.name).\($0)", $1) }
        }
        return settings
    }
}
