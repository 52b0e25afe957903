import CLMDB
import PatchbayCore
import PatchbaySystem
import Synchronization

/// An open LMDB environment: a folder with data.mdb and lock.mdb.
///
/// Safe and unchecked: LMDB synchronizes threads itself, and `close` is called once, when no transaction is left.
@safe final class Environment: @unchecked Sendable {
    /// The number of reader places in lock.mdb, for all processes together.
    static let readersMax = 1024
    private static let subDatabasesMax = 512

    let path: String
    let handle: OpaquePointer
    let map: FileMap
    /// Whether the list of free pages has been checked, which the first write does.
    let isFreeListChecked = Atomic(false)
    /// The number of handles in use. They are numbered from 0; LMDB's own two trees have the first ones.
    let handleCount = Atomic(2)
    /// Whether a write has been committed, which ``close()`` then syncs.
    let hasCommitted = Atomic(false)

    /// How long a write waits for a write of another process.
    private let busyTimeoutMilliseconds: Int
    /// The number of times that the writer lock was taken and not released.
    private let writerLocks = Atomic(0)
    /// Whether reads take no place among the readers, so that a writer may reuse the pages that they see.
    let isUnlocked: Bool

    /// Opens the folder and reserves `bytesMax` of address space twice, or as much as the process is allowed.
    init(path: String, flags: Int32, bytesMax: Int, busyTimeoutMilliseconds: Int) throws {
        self.path = path
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        isUnlocked = flags & MDB_NOLOCK != 0
        unsafe (handle, map) = try unsafe Environment.open(
            path, UInt32(MDB_NOTLS | MDB_NORDAHEAD | flags), bytesMax)
    }

    /// Syncs the commits that were not synced yet, whatever the durability.
    func sync() throws { try unsafe check(mdb_env_sync(handle, 1), "sync") }

    /// Syncs what was written, and closes the environment.
    func close() {
        if hasCommitted.load(ordering: .relaxed) { unsafe mdb_env_sync(handle, 1) }
        unsafe mdb_env_close(handle)
        map.close()
    }

    private static func open(_ path: String, _ flags: UInt32, _ bytes: Int) throws -> (OpaquePointer, FileMap)
    {
        var handle: OpaquePointer?
        var code = unsafe mdb_env_create(&handle)
        guard code == 0, let handle = unsafe handle else { throw PatchbayError.lmdb(code, "open", path) }
        unsafe mdb_env_set_maxreaders(handle, UInt32(readersMax))
        unsafe mdb_env_set_maxdbs(handle, UInt32(subDatabasesMax))
        unsafe mdb_env_set_mapsize(handle, bytes)
        do {
            try EnvironmentFiles.anchoring(path) { folder in
                if flags & UInt32(MDB_RDONLY | MDB_NOLOCK) == 0 { try reserveLockFile(in: folder, of: path) }
                code = unsafe mdb_env_open(handle, folder, flags, 0o600)
            }
            guard code == 0 else { throw PatchbayError.lmdb(code, "open", path) }
            return unsafe (handle, try map(path, handle))
        } catch let error as PatchbayError {
            unsafe mdb_env_close(handle)
            // The address space is limited (ulimit -v), so request less.
            guard error.systemError == SystemError.noMemory.number, bytes > 16 << 20 else { throw error }
            return try unsafe open(path, flags, bytes / 2)
        }
    }

    /// Adds our own map, as large as LMDB's, of the file that LMDB has opened.
    private static func map(_ path: String, _ handle: OpaquePointer) throws -> FileMap {
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(handle, &info)
        var status = MDB_stat()
        unsafe mdb_env_stat(handle, &status)
        var descriptor: Int32 = -1
        unsafe mdb_env_get_fd(handle, &descriptor)
        CurrentProcess.keepFromChildren(descriptor)
        let map = try unsafe FileMap(
            descriptor, file: path + "/" + Folder.dataFile, bytes: Int(info.me_mapsize),
            pageBytes: Int(status.ms_psize))
        // A tree is read at random places, so reading ahead would be in vain.
        unsafe MemoryMap.expectRandomReads(map.bytes)
        return map
    }

    /// Takes the writer lock that all processes of Patchbay share, waiting up to the time-out, because LMDB itself
    /// would wait forever. ``unlockWriter()`` must follow as often. Only the thread that writes calls both.
    ///
    /// - Throws: `busy` after the time-out.
    func lockWriter() throws {
        if writerLocks.load(ordering: .relaxed) == 0 { try lockOutWriters() }
        writerLocks.wrappingAdd(1, ordering: .relaxed)
    }

    func unlockWriter() {
        let isLast = writerLocks.wrappingSubtract(1, ordering: .relaxed).newValue == 0
        if isLast { patchbay_unlock_writer(map.descriptor) }
    }

    private func lockOutWriters() throws {
        var writer: Int64 = 0
        let isLocked = try waiting(upTo: busyTimeoutMilliseconds) {
            if patchbay_lock_writer(map.descriptor) == 0 { return true }
            let error = SystemError.last
            guard error == .tryAgain || error == .accessDenied else {
                throw PatchbayError.system(error.number, "cannot lock \"\(map.file)\"")
            }
            writer = patchbay_writer(map.descriptor)
            return false
        }
        guard isLocked else {
            let who = writer > 0 ? "process \(writer)" : "another process"
            throw PatchbayError(
                .busy,
                "\(who) is writing to the storage \"\(path)\"; try again, end that process, or set a "
                    + "longer storage.busy-timeout-ms", [.file(map.file)])
        }
    }

    /// Throws `busy` when a snapshot without a place among the readers may have lost pages. The third commit after it
    /// reuses them, and may have begun once there are two.
    func checkValid(_ snapshot: Snapshot) throws {
        guard isUnlocked, map.newestCommit > snapshot.number + 1 else { return }
        throw PatchbayError(
            .busy, "another process began to write to \"\(path)\" while it was being read; try again",
            [.file(map.file)])
    }

    func check(_ code: Int32, _ doing: StaticString) throws {
        guard code == 0 else { throw PatchbayError.lmdb(code, doing.description, path) }
    }

    /// Whether data.mdb was removed, or another file has its name.
    var isRemoved: Bool {
        do {
            return try FileStatus(path: map.file)?.identity != map.identity
        } catch {
            // A file whose status cannot be read is not gone; reading it reports the error.
            return false
        }
    }

    /// Frees the reader places of processes that have ended.
    func clearStaleReaders() throws {
        try unsafe check(mdb_reader_check(handle, nil), "check the readers of")
    }
}

/// Reserves disk space for lock.mdb. LMDB writes to it through a map, where a full disk would end the process.
///
/// - Parameter path: the path of the folder, for messages.
private func reserveLockFile(in folder: String, of path: String) throws {
    let file = path + "/" + Folder.lockFile
    // Closing any descriptor of the file drops this process's locks on it, but LMDB has none yet.
    let opened = try EnvironmentFiles.openLockFile(folder + "/" + Folder.lockFile, named: file)
    // A header of less than 4 KiB, and 64 bytes for each reader.
    let bytes = 4096 + Environment.readersMax * 64
    if let reserved = FileStatus(descriptor: opened.descriptor)?.bytesOnDisk, reserved >= bytes { return }
    let code = withExtendedLifetime(opened) { patchbay_reserve(opened.descriptor, Int64(bytes)) }
    guard code == 0 else { throw PatchbayError.system(code, "cannot write \"\(file)\"") }
}
