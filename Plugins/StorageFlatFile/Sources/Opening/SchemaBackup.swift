import PatchbayCore

/// Keeps a copy of a storage's files next to its folder before a migration to a newer schema: `NAME.before-schema-N`.
struct SchemaBackup {
    let path: FolderPath
    let folder: Folder
    /// The folder of the index files; nil when there is none.
    let files: Folder?
    /// The stored schema.
    let stored: SchemaFile
    let progress: WorkProgress.Handler

    /// Copies the files byte by byte: those of the stored collections, and the index files in use. An existing copy is
    /// replaced: it comes from a migration that did not finish, because the stored schema is still the older one.
    ///
    /// - Parameter version: the version that the schema is to have.
    func run(before version: Int) throws {
        let target = path.appending(".before-schema-\(version)")
        try target.openParent().removeStorage(target.name)
        try NewFolder(path: target).make { aside, asideFiles in
            for collection in stored.collections {
                try copy(FileName.data(collection.name), from: folder, to: aside)
            }
            try copy(FileName.schema, from: folder, to: aside)
            guard let files, let checkpoint = try Checkpoint.read(in: files) else { return }
            for name in checkpoint.runNumbers.sorted().map(FileName.run) {
                // If it is missing, the indexes are rebuilt, in the copy as in the original.
                guard try files.kind(name) == .file else { continue }
                try copy(name, from: files, to: asideFiles)
            }
            try copy(FileName.checkpoint, from: files, to: asideFiles)
        }
    }

    private func copy(_ name: String, from folder: Folder, to aside: Folder) throws {
        let source = try folder.open(name, .read), target = try aside.open(name, .create)
        let buffer = ByteBuffer(capacity: 1 << 20), total = try source.byteCount()
        var done = 0
        while done < total {
            progress(WorkProgress("keeping a copy of \(source.path)", done: done, of: total))
            buffer.count = try source.read(min(buffer.capacity, total - done), at: done, into: buffer.base)
            // The file was truncated while it was being read; opening the storage reports the damage.
            if buffer.count == 0 { break }
            try buffer.withBytes { try target.write($0, at: done) }
            done += buffer.count
        }
        try target.sync()
    }
}
