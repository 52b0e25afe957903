import CLMDB
import CPlatform
import PatchbayCore

/// Writes a new data.mdb without free pages, and replaces the old one with it.
///
/// Runs while neither this process nor, as LMDB's lock on lock.mdb shows, another has the environment open. A kill or a
/// power cut leaves the old file or the new one; both contain the same rows.
struct Compaction {
    let folder: Folder
    let busyTimeoutMilliseconds: Int

    /// - Throws: `busy` when another process has the environment open, `storageFull`. The old file stays then.
    func run(_ progress: WorkProgress.Handler) throws {
        try folder.locked(busyTimeoutMilliseconds) { try replaceData(progress) }
    }

    private func replaceData(_ progress: WorkProgress.Handler) throws {
        let users = try lockOutOthers()
        defer { close(users) }
        let data = try FileSystem.openForReading(folder.data)
        defer { close(data) }
        let header = try Header(descriptor: data, file: folder.data)
        let map = try FileMap(
            data, file: folder.data, bytes: header.pageCount * header.pageBytes, pageBytes: header.pageBytes)
        defer { map.close() }
        guard let snapshot = try Snapshot(number: header.transaction, map: map) else {
            throw PatchbayError.lmdb(MDB_CORRUPTED, "compact", folder.path)
        }
        let copy = SnapshotCopy(snapshot, "compacting the storage \"\(folder.path)\"")
        try folder.makeData { aside in
            try copy.write(to: aside, progress)
            try keepMode(Folder(path: aside).data)
        }
    }

    /// Makes other processes that open the environment wait until the descriptor is closed.
    private func lockOutOthers() throws -> Int32 {
        let path = folder.path + "/" + Folder.lockFile
        let descriptor = try FileSystem.openLockFile(path)
        if patchbay_lock_alone(descriptor) == 0 { return descriptor }
        let code = errno
        close(descriptor)
        guard code == EAGAIN || code == EACCES else {
            throw PatchbayError.system(code, "cannot lock \"\(path)\"")
        }
        throw PatchbayError(
            .busy,
            "another process has the storage \"\(folder.path)\" open, so it cannot be compacted; "
                + "end that process and try again", [.file(path)])
    }

    /// Gives the new file the permissions of the old one.
    private func keepMode(_ file: String) throws {
        guard let status = try FileStatus(path: folder.data), status.mode != 0o600 else { return }
        guard unsafe chmod(file, status.mode) == 0 else {
            throw PatchbayError.system(errno, "cannot set the permissions of \"\(file)\"")
        }
    }
}
