import CLMDB
import PatchbayCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Writes a snapshot as an environment of its own: aside, synced and renamed into place.
struct Backup {
    /// The folder to make.
    let path: String

    init(to path: String) { self.path = FileSystem.trimmed(path) }

    private var aside: String { path + ".creating" }
    private var parent: String { FileSystem.parent(of: path) }

    /// - Parameter isReplacing: whether an environment at the path goes, once the new one is whole.
    /// - Throws: `conflict` when something is there, or something else than an environment when replacing.
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
            try? FileSystem.removeEnvironment(aside)  // the failure before says more
            throw error
        }
    }

    private func moveIntoPlace() throws {
        guard patchbay_rename_to_new(aside, path) == 0 else {
            if errno == EEXIST { throw taken }
            throw PatchbayError.system(errno, "cannot create \"\(path)\"")
        }
        do {
            try FileSystem.sync(folder: parent)
        } catch {
            try? FileSystem.removeEnvironment(path)  // a copy that may go with a power cut is none
            throw error
        }
    }

    private func checkIsFree() throws {
        if patchbay_status_of_name(path).error == 0 { throw taken }
        _ = try StoragePlace(at: path)
        try StoragePlace.checkMayBeMade(at: path)
    }

    private func checkIsEnvironment() throws {
        guard let status = try FileStatus(path: path, isLinkFollowed: false) else { return }
        let known = [Folder.dataFile, Folder.lockFile]
        guard status.isFolder, try FileSystem.names(in: path).allSatisfy({ known.contains($0) }) else {
            throw PatchbayError(
                .conflict,
                "\"\(path)\" is where the storage is kept as it was before a change of its schema, "
                    + "but something else is there; move it away")
        }
    }

    private var taken: PatchbayError {
        PatchbayError(.conflict, "\"\(path)\" is there already; choose another path or move it away")
    }
}
