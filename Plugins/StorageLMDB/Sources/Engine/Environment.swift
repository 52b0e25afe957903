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

    /// Opens the folder and reserves address space for `bytesMax`, or for as much as the process may have.
    init(path: String, flags: Int32, bytesMax: Int) throws {
        self.path = path
        var bytes = bytesMax
        while true {
            do {
                (handle, map) = try Environment.open(path, UInt32(MDB_NOTLS | MDB_NORDAHEAD | flags), bytes)
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
            try reserveLockFile(path)
            if code == 0 { code = mdb_env_open(handle, path, flags, 0o600) }
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

    /// Our own map, as large as LMDB's.
    private static func map(_ path: String, _ handle: OpaquePointer) throws -> FileMap {
        var info = MDB_envinfo()
        mdb_env_info(handle, &info)
        var status = MDB_stat()
        mdb_env_stat(handle, &status)
        return try FileMap(
            file: path + "/data.mdb", bytes: Int(info.me_mapsize), pageBytes: Int(status.ms_psize))
    }

    func check(_ code: Int32, _ doing: StaticString) throws {
        guard code == 0 else { throw PatchbayError.lmdb(code, doing.description, path) }
    }

    /// Frees the places of readers whose process has ended.
    func clearStaleReaders() throws {
        try check(mdb_reader_check(handle, nil), "check the readers of")
    }
}

/// Takes the room for lock.mdb on the disk. LMDB writes to it through a map, where a full disk would end
/// the process.
private func reserveLockFile(_ path: String) throws {
    let file = path + "/" + Folder.lockFile
    // LMDB's locks go with any descriptor that this process closes: it has none yet.
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw PatchbayError.system(errno, "cannot open \"\(file)\"") }
    defer { close(descriptor) }
    // A header of less than 4 KiB, and 64 bytes for each reader.
    let code = patchbay_reserve(descriptor, Int64(4096 + Environment.readersMax * 64))
    guard code == 0 else { throw PatchbayError.system(code, "cannot write \"\(file)\"") }
}
