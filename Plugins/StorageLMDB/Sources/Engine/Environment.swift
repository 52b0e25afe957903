import CLMDB
import PatchbayCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An open LMDB environment: a folder with data.mdb and lock.mdb.
///
/// Unchecked: LMDB guards the environment for all threads, and `close` is called once, when no transaction
/// is left.
final class Environment: @unchecked Sendable {
    /// The reader places in lock.mdb, for all processes together.
    static let readersMax = 1024
    static let subDatabasesMax = 512
    /// LMDB counts two trees of its own before them.
    static let handlesMax = subDatabasesMax + 2

    let path: String
    let handle: OpaquePointer
    let map: FileMap
    /// Whether the list of free pages has been looked at; the first write does.
    let isFreeListChecked = Atomic(false)

    /// How long a write waits for another process's.
    private let busyTimeoutMilliseconds: Int
    /// LMDB's descriptor of data.mdb.
    private let dataDescriptor: Int32
    /// Whether nothing keeps the pages that are read from being used again by a writer that comes.
    let isUnlocked: Bool

    /// Opens the folder and reserves address space for `bytesMax`, or for as much as the process may have.
    init(path: String, flags: Int32, bytesMax: Int, busyTimeoutMilliseconds: Int) throws {
        self.path = path
        self.busyTimeoutMilliseconds = busyTimeoutMilliseconds
        isUnlocked = flags & MDB_NOLOCK != 0
        var bytes = bytesMax
        while true {
            do {
                (handle, map) = try Environment.open(path, UInt32(MDB_NOTLS | MDB_NORDAHEAD | flags), bytes)
                dataDescriptor = Environment.descriptor(handle)
                return
            } catch let error as NoAddressSpace {
                // A limit on address space (ulimit -v): ask for less.
                guard bytes > 16 << 20 else { throw error.error }
                bytes /= 2
            }
        }
    }

    private struct NoAddressSpace: Error { let error: PatchbayError }

    /// Gives the environment back. A commit that was not synced yet is, whatever the durability.
    func close() {
        mdb_env_sync(handle, 1)
        mdb_env_close(handle)
        map.close()
    }

    private static func open(_ path: String, _ flags: UInt32, _ bytes: Int) throws -> (OpaquePointer, FileMap)
    {
        var handle: OpaquePointer?
        var code = mdb_env_create(&handle)
        guard code == 0, let handle else { throw PatchbayError.lmdb(code, "open", path) }
        mdb_env_set_maxreaders(handle, UInt32(readersMax))
        mdb_env_set_maxdbs(handle, UInt32(subDatabasesMax))
        code = mdb_env_set_mapsize(handle, bytes)
        do {
            try FolderAnchor(path).with { folder in
                if flags & UInt32(MDB_RDONLY) == 0 { try reserveLockFile(in: folder) }
                if code == 0 { code = mdb_env_open(handle, folder, flags, 0o600) }
            }
            guard code == 0 else { throw PatchbayError.lmdb(code, "open", path) }
            return (handle, try map(path, handle))
        } catch let error as PatchbayError {
            mdb_env_close(handle)
            if code == ENOMEM || error.context["errno"] == String(ENOMEM) {
                throw NoAddressSpace(error: error)
            }
            throw error
        }
    }

    /// Our own map, as large as LMDB's, of the file that LMDB has opened.
    private static func map(_ path: String, _ handle: OpaquePointer) throws -> FileMap {
        var info = MDB_envinfo()
        mdb_env_info(handle, &info)
        var status = MDB_stat()
        mdb_env_stat(handle, &status)
        let file = path + "/" + Folder.dataFile
        let descriptor = fcntl(descriptor(handle), F_DUPFD_CLOEXEC, 0)
        guard descriptor >= 0 else { throw PatchbayError.system(errno, "cannot open \"\(file)\"") }
        return try FileMap(
            owning: descriptor, file: file, bytes: Int(info.me_mapsize), pageBytes: Int(status.ms_psize))
    }

    private static func descriptor(_ handle: OpaquePointer) -> Int32 {
        var descriptor: Int32 = -1
        mdb_env_get_fd(handle, &descriptor)
        return descriptor
    }

    /// Takes the place of the one writer among all processes of Patchbay, as long as it takes up to the time-out: LMDB
    /// itself would wait without end. ``unlockWriter()`` must follow.
    ///
    /// - Throws: `busy`.
    func lockWriter() throws {
        let wait = LimitedWait(milliseconds: busyTimeoutMilliseconds)
        while patchbay_lock_writer(dataDescriptor) != 0 {
            guard errno == EAGAIN || errno == EACCES else {
                throw PatchbayError.system(errno, "cannot lock \"\(map.file)\"")
            }
            let writer = patchbay_writer(dataDescriptor)
            let who = writer > 0 ? "process \(writer)" : "another process"
            guard wait.pause() else {
                throw PatchbayError(
                    .busy,
                    "\(who) is writing to the storage \"\(path)\"; try again, end that process, or set a "
                        + "longer storage.busy-timeout-ms", ["file": map.file])
            }
        }
    }

    func unlockWriter() { patchbay_unlock_writer(dataDescriptor) }

    /// Throws `busy` when a snapshot that nothing protects may have lost pages: those that it needs are used again by
    /// the third commit behind it, which comes once there are two.
    func checkStands(_ snapshot: Snapshot) throws {
        guard isUnlocked, map.newestCommit > snapshot.number + 1 else { return }
        throw PatchbayError(
            .busy, "another process began to write to \"\(path)\" while it was read; try again",
            ["file": map.file])
    }

    func check(_ code: Int32, _ doing: StaticString) throws {
        guard code == 0 else { throw PatchbayError.lmdb(code, doing.description, path) }
    }

    /// Frees the places of readers whose process has ended.
    func clearStaleReaders() throws {
        try check(mdb_reader_check(handle, nil), "check the readers of")
    }
}

/// A folder by its descriptor, so that no other can take its place between a look at its files and their use.
private struct FolderAnchor {
    private let path: String

    init(_ path: String) { self.path = path }

    /// Hands over a path that leads to the folder as it is now.
    func with(_ body: (String) throws -> Void) throws {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw PatchbayError.system(errno, "cannot open \"\(path)\"") }
        defer { close(descriptor) }
        let anchored = "/proc/self/fd/\(descriptor)"
        // Without /proc the path must do.
        let isThere = try FileStatus(path: anchored)?.isFolder ?? false
        try body(isThere ? anchored : path)
    }
}

/// Takes the room for lock.mdb on the disk. LMDB writes to it through a map, where a full disk would end
/// the process.
private func reserveLockFile(in folder: String) throws {
    let file = folder + "/" + Folder.lockFile
    // LMDB's locks go with any descriptor that this process closes: it has none yet.
    let descriptor = try FileSystem.openLockFile(file)
    defer { close(descriptor) }
    // A header of less than 4 KiB, and 64 bytes for each reader.
    let code = patchbay_reserve(descriptor, Int64(4096 + Environment.readersMax * 64))
    guard code == 0 else { throw PatchbayError.system(code, "cannot write \"\(file)\"") }
}
