import PatchbayCore

import CPlatform

/// The header pages of data.mdb. They are checked before LMDB maps the file, because LMDB trusts them, and a wrong size
/// in them ends the process.
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
    private static let magic: UInt32 = 0xBEEF_C0DE
    private static let format: UInt32 = 1
    static let bytesNeeded = 152

    let pageBytes: Int
    /// The pages up to the last one in use.
    let pageCount: Int
    /// The number of the newest commit.
    let transaction: UInt64
    private let file: String

    /// - Throws: `corrupted` when the file is truncated or is not an LMDB file.
    init(file: String) throws {
        let descriptor = try FileSystem.openForReading(file)
        defer { close(descriptor) }
        try self.init(descriptor: descriptor, file: file)
    }

    /// Reads the header of an open file, because opening and closing it once more would drop the lock of a writer.
    init(descriptor: Int32, file: String) throws {
        self.file = file
        let first = try Header.page(descriptor, at: 0, file)
        pageBytes = Int(first.loadUnaligned(40, as: UInt32.self))
        guard (512...65536).contains(pageBytes), pageBytes.nonzeroBitCount == 1 else {
            throw Header.damaged(file, "its page size is \(pageBytes)")
        }
        let second = try Header.page(descriptor, at: pageBytes, file)
        let newest = first.transaction > second.transaction ? first : second
        transaction = newest.transaction
        pageCount = try Header.pageCount(newest, file)
    }

    private static func page(_ descriptor: Int32, at offset: Int, _ file: String) throws -> Page {
        var bytes = [UInt8](repeating: 0, count: bytesNeeded)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, $0.count, off_t(offset))
        }
        guard count >= 0 else { throw PatchbayError.system(errno, "cannot read \"\(file)\"") }
        let page = Page(bytes: bytes)
        guard count == bytesNeeded else { throw damaged(file, "it is truncated inside its header") }
        guard page.loadUnaligned(16, as: UInt32.self) == magic,
            page.loadUnaligned(20, as: UInt32.self) == format
        else { throw damaged(file, "it is not an LMDB file") }
        return page
    }

    /// The number of pages of the file, when the roots of both trees are among them.
    private static func pageCount(_ page: Page, _ file: String) throws -> Int {
        let last = page.loadUnaligned(136, as: UInt64.self)
        let roots = [page.loadUnaligned(80, as: UInt64.self), page.loadUnaligned(128, as: UInt64.self)]
        guard last >= 1, last < 1 << 47, roots.allSatisfy({ $0 == .max || $0 >= 2 && $0 <= last }) else {
            throw damaged(file, "its header names pages that do not exist")
        }
        return Int(last) + 1
    }

    /// Checks that the file has the pages that its header counts.
    ///
    /// Pages at the end that one transaction allocated and freed need never have been written, so a short file is sound
    /// when the missing pages are free.
    /// - Throws: `corrupted` when pages in use are missing.
    func checkLength(_ bytes: Int, _ snapshot: Snapshot) throws {
        guard bytes < pageBytes * pageCount else { return }
        let whole = bytes / pageBytes
        let freeCount = try PageCheck(snapshot).checkFreeList(countingFrom: UInt64(whole))
        guard bytes % pageBytes == 0, freeCount == pageCount - whole else {
            throw Header.damaged(
                file, "it is truncated: it has \(bytes) of \(pageBytes * pageCount) bytes")
        }
    }

    private static func damaged(_ file: String, _ fault: String) -> PatchbayError {
        PatchbayError(
            .corrupted, "the file \"\(file)\" is damaged: \(fault); restore it from a copy", [.file(file)])
    }

    private struct Page {
        let bytes: [UInt8]

        var transaction: UInt64 { loadUnaligned(144, as: UInt64.self) }

        func loadUnaligned<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: Number.Type)
            -> Number
        {
            unsafe bytes.withUnsafeBytes {
                unsafe Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: type))
            }
        }
    }
}
