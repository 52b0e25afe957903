import PatchbayCore
import PatchbaySystem
import Synchronization

/// A read-only memory map of data.mdb, in addition to LMDB's own map and over the same pages of the operating system.
///
/// Safe and unchecked: the map exists until `close`, which is called when no read is left.
@safe final class FileMap: @unchecked Sendable {
    let file: String
    let bytes: UnsafeRawBufferPointer
    let pageBytes: Int
    /// The open file; it must stay open until `close`, which does not close it.
    let descriptor: Int32
    /// The identity of the open file, which may have lost its name.
    let identity: FileStatus.Identity
    /// The size of the file when it was last read; the file only grows.
    private let fileBytes = Atomic(0)

    /// - Parameter bytes: the address space to reserve; addresses beyond the file's end must not be touched.
    init(_ descriptor: Int32, file: String, bytes: Int, pageBytes: Int) throws {
        let status = try FileStatus(descriptor: descriptor, path: file)
        unsafe self.bytes = try unsafe PatchbayError.reporting("cannot map \"\(file)\"") {
            () throws(SystemError) in try unsafe MemoryMap.make(of: descriptor, bytes: bytes)
        }
        identity = status.identity
        fileBytes.store(min(status.bytes, bytes), ordering: .relaxed)
        self.file = file
        self.pageBytes = pageBytes
        self.descriptor = descriptor
    }

    func close() { unsafe MemoryMap.remove(bytes) }

    /// The status of the open file, which may have lost its name.
    func fileStatus() throws -> FileStatus { try FileStatus(descriptor: descriptor, path: file) }

    /// The number of the newest commit.
    var newestCommit: UInt64 {
        unsafe max(
            bytes.number(UInt64.self, at: Header.transactionOffset),
            bytes.number(UInt64.self, at: pageBytes + Header.transactionOffset))
    }

    /// Limits a number of pages to those that the file and the map have. Free pages at the end may never have been
    /// written.
    @inline(__always)
    func pagesInside(file wanted: UInt64) throws -> Int {
        let count = Int(clamping: wanted)
        if count <= fileBytes.load(ordering: .relaxed) / pageBytes { return count }
        let known = unsafe min(try fileStatus().bytes, bytes.count)
        fileBytes.store(known, ordering: .relaxed)
        return min(count, known / pageBytes)
    }
}
