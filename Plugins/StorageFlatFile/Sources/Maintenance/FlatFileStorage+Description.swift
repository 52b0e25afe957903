public import PatchbayCore

extension FlatFileStorage {
    /// The files on the disk, and for each collection how much of its file is rows and how much is waste.
    public func describe() async throws -> StorageDescription {
        let snapshot = try shared.snapshot()
        return StorageDescription(
            engine: "flat files, format \(Log.format)", path: layout.path, files: try files(),
            settings: settings(snapshot))
    }

    private func files() throws -> [StorageDescription.File] {
        var files: [StorageDescription.File] = []
        for folder in [layout.path, layout.index] {
            for name in try disk.names(in: folder).sorted() {
                let path = "\(folder)/\(name)"
                // A file that the writer removed meanwhile is no part of the storage any more.
                guard try disk.kind(of: path) == .file, let bytes = try? disk.bytesOnDisk(path) else {
                    continue
                }
                files.append(StorageDescription.File(path: path, bytes: bytes))
            }
        }
        return files
    }

    private func settings(_ snapshot: Snapshot) -> [StorageDescription.Setting] {
        var settings = [
            StorageDescription.Setting("durability", options.durability.rawValue),
            StorageDescription.Setting("compact-at-percent", String(options.compactAtPercent)),
            StorageDescription.Setting("sequence", String(snapshot.transaction)),
        ]
        for table in snapshot.tables {
            let runs = zip(table.declaredIndexes, table.indexes).map { "\($0.name) \($1.runs.count)" }
            let values = [
                ("live_lines", String(table.rowCount)), ("live_bytes", String(table.liveBytes)),
                ("dead_bytes", String(table.waste)), ("index_runs", runs.joined(separator: ", ")),
                ("entries_in_memory", String(table.deltaCount)),
            ]
            settings += values.map { .init("\(table.collection.name).\($0)", $1) }
        }
        return settings
    }
}
