import CLMDB
import PatchbayCore

import CPlatform

/// Writes a snapshot as a new environment: to a temporary folder, which is synced and renamed into place.
struct Backup {
    /// The folder to create.
    let path: String

    init(to path: String) { self.path = FileSystem.trimmed(path) }

    private var aside: String { path + ".creating" }
    private var parent: String { FileSystem.parent(of: path) }

    /// - Parameter isReplacing: whether to remove an existing environment at the path once the new one is complete.
    /// - Throws: `conflict` when the path exists, or, when replacing, is not an environment.
    func write(_ snapshot: Snapshot, isReplacing: Bool = false, _ progress: WorkProgress.Handler) throws {
        if isReplacing { try checkIsEnvironment() } else { try checkIsFree() }
        try FileSystem.removeEnvironment(aside)
        try FileSystem.makeFolder(aside)
        do {
            let task = "copying the storage to \"\(path)\""
            try PageCopy.run(snapshot, to: aside + "/" + Folder.dataFile, task, progress)
            try FileSystem.sync(folder: aside)
            if isReplacing { try FileSystem.removeEnvironment(path) }
            try moveIntoPlace()
        } catch {
            try? FileSystem.removeEnvironment(aside)  // the first error says more
            throw error
        }
    }

    private func moveIntoPlace() throws {
        guard unsafe patchbay_rename_to_new(aside, path) == 0 else {
            if errno == EEXIST { throw taken }
            throw PatchbayError.system(errno, "cannot create \"\(path)\"")
        }
        do {
            try FileSystem.sync(folder: parent)
        } catch {
            try? FileSystem.removeEnvironment(path)  // it might not survive a power cut
            throw error
        }
    }

    private func checkIsFree() throws {
        if unsafe patchbay_status_of_name(path).error == 0 { throw taken }
        _ = try StoragePlace(at: path)
        try StoragePlace.checkMayBeMade(at: path)
    }

    private func checkIsEnvironment() throws {
        guard let status = try FileStatus(path: path, isLinkFollowed: false) else { return }
        let known = [Folder.dataFile, Folder.lockFile]
        guard status.isFolder, try FileSystem.names(in: path).allSatisfy({ known.contains($0) }) else {
            throw PatchbayError(
                .conflict,
                "\"\(path)\" is the name for the copy of the storage before its schema changes, "
                    + "but it contains something else; move it away")
        }
    }

    private var taken: PatchbayError {
        PatchbayError(.conflict, "\"\(path)\" already exists; choose another path or move it away")
    }
}
