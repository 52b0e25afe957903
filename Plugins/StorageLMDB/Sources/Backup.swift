import CLMDB
import PatchbayCore
import PatchbaySystem

/// Writes a snapshot as a new environment: to a temporary folder, which is synced and renamed into place.
struct Backup {
    /// The folder to create.
    let path: String

    init(to path: String) { self.path = FileSystem.trimmed(path) }

    /// - Parameter isReplacing: whether to remove an existing environment at the path once the new one is complete.
    /// - Throws: `conflict` when the path exists, or, when replacing, is not an environment.
    func write(_ snapshot: Snapshot, isReplacing: Bool = false, _ progress: WorkProgress.Handler) throws {
        if isReplacing { try checkIsEnvironment() } else { try StoragePlace.checkIsFree(at: path) }
        let aside = isReplacing ? StoragePlace.unfinishedReplacement(path) : StoragePlace.unfinished(path)
        let copy = SnapshotCopy(snapshot: snapshot, task: "copying the storage to \"\(path)\"")
        try EnvironmentFiles.makeEnvironment(aside, { try copy.write(to: $0, progress) }) {
            if isReplacing { try EnvironmentFiles.removeEnvironment(path) }
            guard unsafe patchbay_rename_to_new(aside, path) == 0 else {
                let error = SystemError.last
                if error.isTaken { throw StoragePlace.taken(path) }
                throw PatchbayError.system(error.number, "cannot create \"\(path)\"")
            }
        }
        do {
            try EnvironmentFiles.sync(folder: FileSystem.parent(of: path))
        } catch {
            try? EnvironmentFiles.removeEnvironment(path)  // it might not survive a power cut
            throw error
        }
    }

    private func checkIsEnvironment() throws {
        guard let status = try FileStatus(path: path, isLinkFollowed: false) else { return }
        let known = [Folder.dataFile, Folder.lockFile]
        guard status.kind == .folder, try EnvironmentFiles.names(in: path).allSatisfy({ known.contains($0) })
        else {
            throw PatchbayError(
                .conflict,
                "\"\(path)\" is the name for the copy of the storage before its schema changes, "
                    + "but it contains something else; move it away")
        }
    }
}
