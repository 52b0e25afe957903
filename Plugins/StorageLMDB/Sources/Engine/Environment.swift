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
/// Unchecked: LMDB guards the environment for all threads, and `close` is called once, when no transaction is left.
final class Environment: @unchecked Sendable {
    /// The reader places in lock.mdb, for all processes together.
    static let readersMax = 1024
    static let subDatabasesMax = 512

    let path: String
    let handle: OpaquePointer
    private let mapBytes: UInt
    /// Where the map begins; 0 before `locateMap`, when nothing counts as mapped.
    private let mapStart = Atomic<UInt>(0)
    /// The address behind the last byte of data.mdb when we last looked.
    private let fileEnd = Atomic<UInt>(0)

    /// Opens the folder and reserves address space for `bytesMax`, or for as much as the process may have.
    init(path: String, flags: Int32, bytesMax: Int) throws {
        self.path = path
        handle = try Environment.open(path, UInt32(MDB_NOTLS | MDB_NORDAHEAD | flags), bytesMax)
        var info = MDB_envinfo()
        mdb_env_info(handle, &info)
        mapBytes = UInt(info.me_mapsize)
    }

    /// Gives the environment back. A commit that was not synced yet is, whatever the durability.
    func close() {
        mdb_env_sync(handle, 1)
        mdb_env_close(handle)
    }

    private static func open(_ path: String, _ flags: UInt32, _ bytesMax: Int) throws -> OpaquePointer {
        var bytes = bytesMax
        while true {
            var handle: OpaquePointer?
            var code = mdb_env_create(&handle)
            guard code == 0, let handle else { throw PatchbayError.lmdb(code, "open", path) }
            mdb_env_set_maxreaders(handle, UInt32(readersMax))
            mdb_env_set_maxdbs(handle, UInt32(subDatabasesMax))
            code = mdb_env_set_mapsize(handle, bytes)
            if code == 0 { code = mdb_env_open(handle, path, flags, 0o600) }
            if code == 0 { return handle }
            mdb_env_close(handle)
            // A limit on address space (ulimit -v): ask for less.
            guard code == ENOMEM, bytes > 16 << 20 else { throw PatchbayError.lmdb(code, "open", path) }
            bytes /= 2
        }
    }

    func check(_ code: Int32, _ doing: StaticString) throws {
        guard code == 0 else { throw PatchbayError.lmdb(code, doing.description, path) }
    }

    /// The number of the newest commit, by any process.
    var lastTransaction: UInt64 {
        var info = MDB_envinfo()
        mdb_env_info(handle, &info)
        return UInt64(info.me_last_txnid)
    }

    /// Frees the places of readers whose process has ended.
    func clearStaleReaders() throws {
        try check(mdb_reader_check(handle, nil), "check the readers of")
    }

    /// Finds where the map begins, which LMDB does not tell, from bytes it returned: every page starts with its own
    /// number, and page 0 with a header.
    ///
    /// - Throws: `corrupted` when the page has another number.
    func locateMap(by bytes: UnsafeRawBufferPointer) throws {
        guard mapStart.load(ordering: .relaxed) == 0 else { return }
        var status = MDB_stat()
        mdb_env_stat(handle, &status)
        let pageBytes = UInt(status.ms_psize)
        let page = UInt(bitPattern: bytes.baseAddress) & ~(pageBytes - 1)
        // The file was found to be long enough for its pages, so the page that holds the bytes can be read.
        let number = UInt(UnsafeRawPointer(bitPattern: page)!.load(as: UInt64.self))
        let (distance, isTooFar) = number.multipliedReportingOverflow(by: pageBytes)
        guard !isTooFar, distance < page, distance < mapBytes, isHeader(page - distance) else {
            throw PatchbayError.lmdb(MDB_CORRUPTED, "open", path)
        }
        mapStart.store(page - distance, ordering: .relaxed)
    }

    /// Whether a page is the first of an LMDB file; false for an address where nothing is.
    private func isHeader(_ page: UInt) -> Bool {
        guard let start = UnsafeMutableRawPointer(bitPattern: page) else { return false }
        var residency: UInt8 = 0
        guard mincore(start, 1, &residency) == 0 else { return false }
        return start.load(fromByteOffset: 16, as: UInt32.self) == Header.magic
    }

    /// Whether an address belongs to the map; pages that a write has changed lie outside.
    @inline(__always)
    func isMapped(_ bytes: UnsafeRawBufferPointer) -> Bool {
        UInt(bitPattern: bytes.baseAddress) &- mapStart.load(ordering: .relaxed) < mapBytes
    }

    /// Whether mapped bytes lie inside the file, so that touching them cannot end the process.
    @inline(__always)
    func isInsideFile(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (end, isTooFar) = UInt(bitPattern: bytes.baseAddress).addingReportingOverflow(UInt(bytes.count))
        return !isTooFar && (end <= fileEnd.load(ordering: .relaxed) || end <= lookForFileEnd())
    }

    private func lookForFileEnd() -> UInt {
        // A file that cannot be measured counts as empty.
        let end = mapStart.load(ordering: .relaxed) + UInt((try? fileBytes()) ?? 0)
        fileEnd.store(end, ordering: .relaxed)
        return end
    }

    /// The size of data.mdb.
    func fileBytes() throws -> Int {
        try FileStatus(descriptor: try fileDescriptor(), path: path + "/data.mdb").bytes
    }

    /// Makes data.mdb longer or shorter. Only while holding the write transaction.
    func setFileBytes(_ count: Int) throws {
        guard ftruncate(try fileDescriptor(), off_t(count)) == 0 else {
            throw PatchbayError.system(errno, "cannot resize \"\(path)/data.mdb\"")
        }
    }

    private func fileDescriptor() throws -> Int32 {
        var descriptor: Int32 = -1
        try check(mdb_env_get_fd(handle, &descriptor), "measure")
        return descriptor
    }
}
