import PatchbayCore

/// A folder that appears under its name only when everything in it is on the disk.
struct NewFolder {
    let layout: FolderLayout
    let disk: Disk

    /// The name until then.
    private var aside: FolderLayout { FolderLayout(path: layout.path + FolderLayout.unfinished) }

    /// Makes the folder; `fill` writes the files into it, synced.
    ///
    /// - Throws: `conflict` when something has the name already. Nothing is left then, nor when `fill` throws.
    func make(_ fill: (FolderLayout) throws -> Void) throws {
        try refuseExisting()
        try layout.checkParent(disk)
        // What a killed one left.
        try aside.removeStorage(disk)
        try disk.makeFolder(aside.path)
        do {
            try fill(aside)
            try disk.syncFolder(aside.path)
            try refuseExisting()
            try disk.rename(aside.path, to: layout.path)
        } catch {
            // What cannot be removed is removed by the next attempt.
            try? aside.removeStorage(disk)
            throw error
        }
        try disk.syncFolder(FolderLayout.parent(of: layout.path))
    }

    private func refuseExisting() throws {
        guard try disk.isTaken(layout.path) else { return }
        throw PatchbayError(
            .conflict, "\"\(layout.path)\" is there already; choose another path", ["path": layout.path])
    }
}

extension FolderLayout {
    /// Removes a storage's folder, when it is there.
    ///
    /// - Throws: `conflict` when it holds something that no storage does; nothing is removed then.
    func removeStorage(_ disk: Disk) throws {
        guard try disk.isTaken(path) else { return }
        let files = try storageFiles(disk)
        for file in files where file != index { try disk.remove(file) }
        if files.contains(index) { try disk.removeFolder(index) }
        try disk.removeFolder(path)
    }

    /// The files of the folder, then the folder ``index``.
    private func storageFiles(_ disk: Disk) throws -> [String] {
        guard try disk.kind(of: path) == .folder else { throw foreign(path) }
        var files: [String] = []
        for name in try disk.names(in: path) where name != "index" {
            guard FolderLayout.isStorageFile(name), try disk.kind(of: "\(path)/\(name)") != .folder else {
                throw foreign("\(path)/\(name)")
            }
            files.append("\(path)/\(name)")
        }
        guard try disk.kind(of: index) == .folder else { return files }
        return files + (try disk.names(in: index).map { "\(index)/\($0)" }) + [index]
    }

    /// Whether a storage makes files of this name in its folder.
    static func isStorageFile(_ name: String) -> Bool {
        name == "lock" || name == "schema.json" || name.hasSuffix(".jsonl") || name.hasSuffix(unfinished)
    }

    private func foreign(_ path: String) -> PatchbayError {
        PatchbayError(
            .conflict, "\"\(path)\" is in the way and is no part of a storage; move it and try again",
            ["path": path])
    }
}
