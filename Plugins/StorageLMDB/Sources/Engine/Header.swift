import PatchbayCore
import PatchbaySystem

/// A header page of data.mdb. The headers are checked before LMDB maps the file, because LMDB trusts them, and a wrong
/// size in them ends the process.
///
/// Each of the first two pages contains one; the one with the greater transaction number is valid. From byte 16 of the
/// page, as a 64-bit little-endian machine writes it (LMDB 0.9, data format 1):
///
///     16 magic 4 | 20 format 4 | 24 address 8 | 32 map size 8 | 40 free list 48 | 88 main tree 48
///     136 last page 8 | 144 transaction 8
///
/// The free list's first field is the page size; the last 8 bytes of each tree are its root page, or all
/// ones.
struct Header {
    /// The magic and, in the upper half, the format.
    private static let mark: UInt64 = 0x1_BEEF_C0DE
    static let transactionOffset = 144
    static let bytesNeeded = 152

    let pageBytes: Int
    let free: Root
    let main: Root
    /// The last page in use.
    let lastPage: UInt64
    /// The number of the commit.
    let transaction: UInt64

    /// The pages up to the last one in use. Only for a header that was checked.
    var pageCount: Int { Int(lastPage) + 1 }

    /// Reads ``bytesNeeded`` bytes, unchecked.
    init(_ bytes: UnsafeRawBufferPointer) {
        pageBytes = unsafe Int(bytes.number(UInt32.self, at: 40))
        free = unsafe Root(bytes.part(40..<88))
        main = unsafe Root(bytes.part(88..<136))
        lastPage = unsafe bytes.number(UInt64.self, at: 136)
        transaction = unsafe bytes.number(UInt64.self, at: Header.transactionOffset)
    }

    /// Reads and checks the newest header.
    ///
    /// - Throws: `corrupted` when the file is truncated or is not an LMDB file.
    init(file: String) throws {
        let opened = try EnvironmentFiles.openForReading(file)
        defer { withExtendedLifetime(opened) {} }
        try self.init(descriptor: opened.descriptor, file: file)
    }

    /// Reads the header of an open file; opening and closing it once more would drop the lock of a writer.
    init(descriptor: Int32, file: String) throws {
        func header(at offset: Int) throws -> Header {
            try unsafe Header.read(descriptor, at: offset, file).withUnsafeBytes { unsafe Header($0) }
        }
        let first = try header(at: 0)
        guard (512...65536).contains(first.pageBytes), first.pageBytes.nonzeroBitCount == 1 else {
            throw Header.damaged(file, "its page size is \(first.pageBytes)")
        }
        let second = try header(at: first.pageBytes)
        self = first.transaction > second.transaction ? first : second
        let last = lastPage
        let arePagesThere = [free.page, main.page].allSatisfy { $0 == .max || $0 >= 2 && $0 <= last }
        guard pageBytes == first.pageBytes, last >= 1, last < 1 << 47, arePagesThere else {
            throw Header.damaged(file, "its header names pages that do not exist")
        }
    }

    /// Reads the bytes of one header.
    static func read(_ descriptor: Int32, at offset: Int, _ file: String) throws -> [UInt8] {
        let bytes = try PatchbayError.reporting("cannot read \"\(file)\"") { () throws(SystemError) in
            try OpenFile.bytes(bytesNeeded, at: offset, of: descriptor)
        }
        guard bytes.count == bytesNeeded else { throw damaged(file, "it is truncated inside its header") }
        guard unsafe bytes.withUnsafeBytes({ unsafe $0.number(UInt64.self, at: 16) }) == mark else {
            throw damaged(file, "it is not an LMDB file")
        }
        return bytes
    }

    /// Checks that the file has the pages that its header counts.
    ///
    /// Pages at the end that one transaction allocated and freed need never have been written, so a short file is sound
    /// when the missing pages are free.
    /// - Throws: `corrupted` when pages in use are missing.
    func checkLength(_ map: FileMap, _ snapshot: Snapshot) throws {
        if try map.pagesInside(file: UInt64(pageCount)) == pageCount { return }
        let bytes = try map.fileStatus().bytes
        guard bytes < pageBytes * pageCount else { return }
        let whole = bytes / pageBytes
        let freeCount = try PageCheck(snapshot).checkFreeList(countingFrom: UInt64(whole))
        guard bytes % pageBytes == 0, freeCount == pageCount - whole else {
            throw Header.damaged(
                snapshot.file, "it is truncated: it has \(bytes) of \(pageBytes * pageCount) bytes")
        }
    }

    private static func damaged(_ file: String, _ fault: String) -> PatchbayError {
        PatchbayError(
            .corrupted, "the file \"\(file)\" is damaged: \(fault); restore it from a copy", [.file(file)])
    }
}
