import PatchbayCore

/// A new storage folder that gets its name only when everything in it is on the disk.
struct NewFolder {
    let path: FolderPath

    /// The name until the folder is complete.
    private var unfinishedName: String { path.name + FileName.unfinished }

    /// Creates the folder. `fill` writes and syncs the files in it and in its folder of index files.
    ///
    /// - Throws: `conflict` when the name is taken, and the errors of `fill`. Nothing is left in either case.
    func make(_ fill: (_ folder: Folder, _ files: Folder) throws -> Void) throws {
        let parent = try path.openParent()
        try StoragePlace.checkIsFree(at: path.text)
        // Remove the rest of an attempt that was killed.
        try parent.removeStorage(unfinishedName)
        let folder = try parent.makeFolder(unfinishedName)
        do {
            let files = try folder.makeFolder(FileName.index)
            try fill(folder, files)
            try files.sync()
            try folder.sync()
            try StoragePlace.checkIsFree(at: path.text)
            try parent.rename(unfinishedName, to: path.name)
        } catch {
            // If this fails, the next attempt removes the rest.
            try? parent.removeStorage(unfinishedName)
            throw error
        }
        try parent.sync()
    }
}

extension Folder {
    /// Removes a storage's folder from this one, if it exists.
    ///
    /// - Throws: `conflict` when it is not a storage's folder, or contains a file that is not a storage's. Nothing is
    ///   removed then.
    func removeStorage(_ name: String) throws {
        if try kind(name) == nil { return }
        guard try kind(name) == .folder else { throw foreign(name) }
        let folder = try folder(name)
        try folder.checkNames { $0 == FileName.index ? nil : FileName.isOwn($0) }
        if try folder.kind(FileName.index) != nil {
            guard try folder.kind(FileName.index) == .folder else { throw folder.foreign(FileName.index) }
            let files = try folder.folder(FileName.index)
            try files.checkNames(FileName.isOwnIndex)
            for name in try files.names() { try files.remove(name) }
            try folder.removeFolder(FileName.index)
        }
        for name in try folder.names() { try folder.remove(name) }
        try removeFolder(name)
    }

    /// - Parameter isOwn: whether a storage makes a file of this name; nil for a name to skip.
    private func checkNames(_ isOwn: (String) -> Bool?) throws {
        for name in try names() {
            guard let isOwn = isOwn(name) else { continue }
            guard isOwn, try kind(name) != .folder else { throw foreign(name) }
        }
    }

    private func foreign(_ name: String) -> PatchbayError {
        PatchbayError(
            .conflict, "\"\(path(name))\" is in the way and is not part of a storage; move it and try again",
            [.file(path(name))])
    }
}
