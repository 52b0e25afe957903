import PatchbayCore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A read-only memory map of data.mdb, in addition to LMDB's own, over the same pages of the operating system.
///
/// Unchecked: the map exists until `close`, which is called when no read is left.
final class FileMap: @unchecked Sendable {
    let file: String
    let bytes: UnsafeRawBufferPointer
    let pageBytes: Int
    private let descriptor: Int32
    /// The size of the file when it was last read; the file only grows.
    private let fileBytes = Atomic<Int>(0)
    /// The pages that long walks have touched since pages were last released.
    private let walked = Mutex(PageRelief())

    /// Maps a file that is not open.
    convenience init(file: String, bytes: Int, pageBytes: Int) throws {
        let descriptor = try FileSystem.openForReading(file)
        try self.init(owning: descriptor, file: file, bytes: bytes, pageBytes: pageBytes)
    }

    /// - Parameters:
    ///   - descriptor: closed together with the map, and when this throws.
    ///   - bytes: the address space to reserve; addresses beyond the file's end must not be touched.
    init(owning descriptor: Int32, file: String, bytes: Int, pageBytes: Int) throws {
        guard let start = mmap(nil, bytes, PROT_READ, MAP_SHARED, descriptor, 0), start != MAP_FAILED else {
            let code = errno
            closeFile(descriptor)
            throw PatchbayError.system(code, "cannot map \"\(file)\"", [.systemError(code)])
        }
        // Advice only: a tree is read at random places, so that reading ahead would fetch pages in vain.
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

    /// Releases pages from this process's memory. Nothing is lost, because the map is read-only: the pages are those of
    /// the file, and the operating system still has them.
    func giveBack(_ pages: ClosedRange<UInt64>) {
        // The address must be that of a page of the operating system, which may be larger than LMDB's.
        let unit = sysconf(Int32(_SC_PAGESIZE))
        let start = Int(truncatingIfNeeded: pages.lowerBound) * pageBytes / unit * unit
        let end = min(Int(truncatingIfNeeded: pages.upperBound + 1) * pageBytes, bytes.count)
        guard start < end else { return }
        _ = madvise(UnsafeMutableRawPointer(mutating: bytes.baseAddress! + start), end - start, MADV_DONTNEED)
    }

    /// Releases the pages that long walks have touched, once there are enough. This includes a walk over everything in
    /// batches.
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

    /// Limits a number of pages to those that the file and the map have. Free pages at the end may never have been
    /// written.
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
