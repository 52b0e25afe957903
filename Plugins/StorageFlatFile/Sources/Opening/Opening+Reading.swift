import PatchbayCore
import PatchbaySystem

/// Opening for reading, possibly while another process writes: without the lock, and without writing a byte. New
/// index entries stay in memory.
///
/// Data files only grow, so the lines that a reader has seen stay. When the writer replaces a file while the folder is
/// being read, the files may not match each other, so the reader tries again.
extension Opening {
    private static let attemptsMax = 20
    /// With more changes in memory than this, a reader opens the folder again once the writer has moved them to the
    /// index file.
    private static let changesMax = 1 << 13

    /// - Parameter usesFiles: false to ignore the index files because one is damaged.
    /// - Throws: `unsupported` when the storage would have to be migrated to be read.
    func openForReading(_ schema: Schema?, usingFiles usesFiles: Bool = true) throws -> Snapshot {
        var attempts = 0
        while true {
            attempts += 1
            let folder = try path.open()
            guard try folder.holdsStorage() else { throw StoragePlace.notFound(path.text) }
            let schemaStamp = try folder.status(FileName.schema)?.stamp
            let stored = try SchemaFile.read(in: folder, expecting: schema)
            let names = stored.collections.map(\.name)
            // Its creation has not finished.
            if names.isEmpty { throw StoragePlace.notFound(path.text) }
            let stamps = try FileStamps(folder, names), isLast = attempts == Opening.attemptsMax
            guard stamps.schema == schemaStamp || isLast else { continue }
            do {
                try schema?.checkReads(stored)
                let hasFiles = try usesFiles && folder.kind(FileName.index) != nil
                let files = hasFiles ? try folder.folder(FileName.index) : nil
                let found = try find(merge(schema, stored).collections, in: folder, files, .reading)
                return Snapshot(
                    found.transaction, found.tables, in: folder, schemaVersion: stored.version, stamps)
            } catch let error as PatchbayError where [.corrupted, .notFound].contains(error.code) && !isLast {
                // Not found means an index file that the writer has just removed.
                if try stamps == FileStamps(folder, names) { throw error }
            }
        }
    }

    /// Returns the snapshot after the later commits of other processes.
    func follow(_ snapshot: Snapshot, _ schema: Schema?) throws -> Snapshot {
        let tables = snapshot.tables
        let stamps = try FileStamps(snapshot.folder, tables.map(\.collection.name))
        guard let old = snapshot.stamps, canFollow(snapshot, old, stamps) else {
            return try openForReading(schema, usingFiles: !snapshot.isIndexDamaged)
        }
        do {
            let found = try recover(tables.map { try OpeningTable($0) }, from: snapshot.transaction)
            return Snapshot(
                found.transaction, found.tables, in: snapshot.folder,
                schemaVersion: snapshot.schemaVersion, stamps)
        } catch let error as PatchbayError where error.code == .corrupted {
            return try openForReading(schema)
        }
    }

    /// Whether the open files contain all later commits.
    private func canFollow(_ snapshot: Snapshot, _ old: FileStamps, _ new: FileStamps) -> Bool {
        let areEntriesInFiles = new.checkpoint != old.checkpoint
        if snapshot.isIndexDamaged || old.schema != new.schema { return false }
        if areEntriesInFiles, snapshot.tables.contains(where: { $0.changeCount > Opening.changesMax }) {
            return false
        }
        return zip(snapshot.tables, zip(old.logs, new.logs)).allSatisfy { table, logs in
            logs.1 != nil && logs.0?.identity == logs.1?.identity && logs.1!.bytes >= table.length
        }
    }
}
