import PatchbayCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// data.mdb as memory, read-only: our own map beside LMDB's, over the same pages of the operating system.
///
/// Unchecked: the map stands until `close`, which is called once nobody reads.
final class FileMap: @unchecked Sendable {
    let file: String
    let bytes: UnsafeRawBufferPointer
    let pageBytes: Int
    private let descriptor: Int32
    /// The bytes of the file when we last looked; it only grows.
    private let fileBytes = Atomic<Int>(0)
    /// What long walks have touched since pages were given back.
    private let walked = Mutex(PageRelief())

    /// Maps a file that nobody has open.
    convenience init(file: String, bytes: Int, pageBytes: Int) throws {
        let descriptor = try FileSystem.openForReading(file)
        try self.init(owning: descriptor, file: file, bytes: bytes, pageBytes: pageBytes)
    }

    /// - Parameters:
    ///   - descriptor: is closed with the map, and when this throws.
    ///   - bytes: the address space to take; what lies behind the file's end must not be touched.
    init(owning descriptor: Int32, file: String, bytes: Int, pageBytes: Int) throws {
        guard let start = mmap(nil, bytes, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
            let code = errno
            closeFile(descriptor)
            throw PatchbayError.system(code, "cannot map \"\(file)\"", ["errno": String(code)])
        }
        // Advice only: a tree is read here and there, so that reading ahead would fetch what nobody asked
        // for.
        _ = madvise(start, bytes, MADV_RANDOM)
        self.file = file
        self.pageBytes = pageBytes
        self.descriptor = descriptor
        self.bytes = UnsafeRawBufferPointer(start: start, count: bytes)
    }

    func close() {
        munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
        closeFile(descriptor)
    }

    /// Takes pages out of this process's memory. Nothing is lost: the map is read-only, so that the pages are
    /// the file's own, and the operating system still has them.
    func giveBack(_ pages: ClosedRange<UInt64>) {
        // The address is that of a page of the operating system, which may be larger than LMDB's.
        let unit = sysconf(Int32(_SC_PAGESIZE))
        let start = Int(truncatingIfNeeded: pages.lowerBound) * pageBytes / unit * unit
        let end = min(Int(truncatingIfNeeded: pages.upperBound + 1) * pageBytes, bytes.count)
        guard start < end else { return }
        _ = madvise(UnsafeMutableRawPointer(mutating: bytes.baseAddress! + start), end - start, MADV_DONTNEED)
    }

    /// Gives back what long walks have touched, once it is enough: a walk in batches is one over everything, too.
    func hasWalked(_ walk: PageRelief) {
        let pages = walked.withLock { walked in
            walked.add(walk)
            return walked.takeFull()
        }
        if let pages { giveBack(pages) }
    }

    func header() throws -> Header { try Header(descriptor: descriptor, file: file) }

    var identity: FileStatus.Identity {
        get throws { try FileStatus(descriptor: descriptor, path: file).identity }
    }

    /// The number of the newest commit.
    var newestCommit: UInt64 {
        [0, 1].map { bytes.loadUnaligned(fromByteOffset: $0 * pageBytes + 144, as: UInt64.self) }.max() ?? 0
    }

    /// The size of the file now.
    func currentFileBytes() throws -> Int { try FileStatus(descriptor: descriptor, path: file).bytes }

    /// As many of some pages as the file and the map have. Pages at the end that are free may never have
    /// been written.
    @inline(__always)
    func pagesInside(file wanted: UInt64) throws -> Int {
        let count = Int(clamping: wanted)
        if count <= fileBytes.load(ordering: .relaxed) / pageBytes { return count }
        let known = min(try currentFileBytes(), bytes.count)
        fileBytes.store(known, ordering: .relaxed)
        return min(count, known / pageBytes)
    }
}

/// `close` of the C library, whose name a method takes here.
private func closeFile(_ descriptor: Int32) { _ = close(descriptor) }
