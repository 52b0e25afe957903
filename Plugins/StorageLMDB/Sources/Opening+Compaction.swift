import CLMDB
import PatchbayCore
import PatchbaySystem

extension Opening {
    /// Writes a new data.mdb without free pages, and replaces the old one with it.
    ///
    /// Runs while neither this process nor, as LMDB's lock on lock.mdb shows, another has the environment open. A kill
    /// or a power cut leaves the old file or the new one; both contain the same rows.
    ///
    /// - Throws: `busy` when another process has the environment open, `storageFull`. The old file stays then.
    func compact(_ progress: WorkProgress.Handler) throws {
        try folder.locked(busyTimeoutMilliseconds) {
            let users = try lockOutOthers()
            defer { withExtendedLifetime(users) {} }
            let data = try EnvironmentFiles.openForReading(folder.data)
            defer { withExtendedLifetime(data) {} }
            let header = try Header(descriptor: data.descriptor, file: folder.data)
            let map = try FileMap(
                data.descriptor, file: folder.data, bytes: header.pageCount * header.pageBytes,
                pageBytes: header.pageBytes)
            defer { map.close() }
            guard let snapshot = try Snapshot(number: header.transaction, map: map) else {
                throw PatchbayError.lmdb(MDB_CORRUPTED, "compact", path)
            }
            let copy = SnapshotCopy(snapshot: snapshot, task: "compacting the storage \"\(path)\"")
            try folder.makeData { aside in
                try copy.write(to: aside, progress)
                try keepMode(Folder(path: aside).data)
            }
        }
    }

    /// Makes other processes that open the environment wait until the file is closed.
    private func lockOutOthers() throws -> OpenFile {
        let file = path + "/" + Folder.lockFile
        let opened = try EnvironmentFiles.openLockFile(file)
        if patchbay_lock_alone(opened.descriptor) == 0 { return opened }
        let error = SystemError.last
        guard error == .tryAgain || error == .accessDenied else {
            throw PatchbayError.system(error.number, "cannot lock \"\(file)\"")
        }
        throw PatchbayError(
            .busy,
            "another process has the storage \"\(path)\" open, so it cannot be compacted; "
                + "end that process and try again", [.file(file)])
    }

    /// Gives the new file the permissions of the old one.
    private func keepMode(_ file: String) throws {
        guard let status = try FileStatus(path: folder.data), status.mode != 0o600 else { return }
        try PatchbayError.reporting("cannot set the permissions of \"\(file)\"") { () throws(SystemError) in
            try FileSystem.setMode(status.mode, of: file)
        }
    }
}
