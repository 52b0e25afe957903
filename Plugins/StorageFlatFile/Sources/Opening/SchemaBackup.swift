import PatchbayCore

/// Keeps a copy of a storage's files beside it before its schema becomes a newer one: `NAME.before-schema-N`.
struct SchemaBackup {
    let layout: FolderLayout
    /// The schema that is stored.
    let stored: SchemaFile
    /// The version that the schema is to have.
    let version: Int
    let disk: Disk

    /// Copies the files byte by byte: those of the stored collections, and the index files in use. A copy that is
    /// there comes from a migration that did not finish, because the stored schema is still the older one; it is
    /// replaced.
    func run(_ progress: WorkProgress.Handler) throws {
        let target = FolderLayout(path: "\(layout.path).before-schema-\(version)")
        try target.removeStorage(disk)
        try NewFolder(layout: target, disk: disk).make { aside in
            for name in stored.collections.map(\.name) {
                try copy(layout.data(name), to: aside.data(name), progress)
            }
            try copy(layout.schema, to: aside.schema, progress)
            guard let checkpoint = try Checkpoint.read(layout, disk) else { return }
            try disk.makeFolder(aside.index)
            for number in checkpoint.runNumbers.sorted() {
                let path = "\(layout.index)/\(number).run"
                // Without it the indexes are made anew, from the copy as from the original.
                guard try disk.kind(of: path) == .file else { continue }
                try copy(path, to: "\(aside.index)/\(number).run", progress)
            }
            try copy(layout.checkpoint, to: aside.checkpoint, progress)
            try disk.syncFolder(aside.index)
        }
    }

    private func copy(_ path: String, to newPath: String, _ progress: WorkProgress.Handler) throws {
        let source = try DiskFile(path, .read, disk), target = try DiskFile(newPath, .create, disk)
        let buffer = ByteBuffer(capacity: 1 << 20), total = try source.byteCount()
        var done = 0
        while done < total {
            progress(WorkProgress("keeping a copy of \(path)", done: done, of: total))
            buffer.count = try source.read(min(buffer.capacity, total - done), at: done, into: buffer.base)
            // Cut while it was read; opening the storage tells what is damaged.
            if buffer.count == 0 { break }
            try buffer.withBytes { try target.write($0, at: done) }
            done += buffer.count
        }
        try target.sync()
    }
}
