import CChecksum
import CLMDB

/// One page of a tree in data.mdb, with every offset checked before it is followed.
///
/// The bytes, as a 64-bit little-endian machine writes them (LMDB 0.9, data format 1):
///
///     0 page number 8 | 8 unused 2 | 10 kind 2 | 12 end of offsets 2 | 14 start of nodes 2
///     16 offsets of the nodes, 2 each
///
/// A node of a leaf: size of the value 4 | flags 2 | size of the key 2 | key | value, or, for a large value, its page
/// number 8. A node of a branch: page number of the child 6 | size of the key 2 | key; the first key is ignored.
///
/// Safe, because each offset is checked before it is followed, and a transaction keeps the bytes in place.
@safe struct Page {
    static let headerBytes = 16
    private static let branch: UInt16 = 1, leaf: UInt16 = 2, kinds: UInt16 = 0x2F
    private static let large: UInt16 = 1, subDatabase: UInt16 = 2
    private static let nodeHeaderBytes = 8
    /// The number of nodes whose offsets are in the first line of the processor's cache, with the page's header.
    private static let fewNodes = 24

    /// The value of a node; safe for the same reason as its page.
    @safe enum Value {
        /// In the page itself.
        case bytes(UnsafeRawBufferPointer)
        /// In its own pages.
        case large(page: UInt64, count: Int)
    }

    /// The number under which the page was found; a damaged page may state another (``statedNumber``).
    let number: UInt64
    let isLeaf: Bool
    let count: Int
    private let bytes: UnsafeRawBufferPointer
    private let nodesStart: Int

    var statedNumber: UInt64 { unsafe bytes.number(UInt64.self, at: 0) }

    /// Nil when the bytes are not a page of a tree.
    @inline(__always)
    init?(_ number: UInt64, _ bytes: UnsafeRawBufferPointer) {
        let kind = unsafe bytes.number(UInt16.self, at: 10) & Page.kinds
        let offsetsEnd = unsafe Int(bytes.number(UInt16.self, at: 12))
        let nodesStart = unsafe Int(bytes.number(UInt16.self, at: 14))
        guard kind == Page.branch || kind == Page.leaf, offsetsEnd >= Page.headerBytes,
            offsetsEnd <= nodesStart, nodesStart <= bytes.count
        else { return nil }
        self.number = number
        unsafe self.bytes = unsafe bytes
        self.nodesStart = nodesStart
        isLeaf = kind == Page.leaf
        count = (offsetsEnd - Page.headerBytes) / 2
    }

    /// The key of a node; nil when it is not inside the page.
    @inline(__always)
    func key(_ place: Int) -> UnsafeRawBufferPointer? {
        guard let node = node(place) else { return nil }
        let count = unsafe Int(bytes.number(UInt16.self, at: node + 6))
        let start = node + Page.nodeHeaderBytes
        guard unsafe start + count <= bytes.count else { return nil }
        return unsafe bytes.part(start..<start + count)
    }

    /// Whether the page has only a few nodes.
    var isShort: Bool { count <= Page.fewNodes }

    /// Asks the processor to fetch the start of a node, so that a search does not wait for one node after another.
    @inline(__always)
    func fetchNode(_ place: Int) {
        guard place < count else { return }
        let node = unsafe Int(bytes.number(UInt16.self, at: Page.headerBytes + 2 * place))
        // Fetching does not fail, wherever a damaged offset leads.
        unsafe patchbay_fetch_soon(bytes.baseAddress! + node, 1)
    }

    /// The page under a node of a branch.
    @inline(__always)
    func child(_ place: Int) -> UInt64? {
        guard let node = node(place) else { return nil }
        return unsafe bytes.number(UInt64.self, at: node) & 0xFFFF_FFFF_FFFF
    }

    /// Whether a node of a leaf contains the record of a tree.
    func isSubDatabase(_ place: Int) -> Bool {
        guard let node = node(place) else { return false }
        return unsafe bytes.number(UInt16.self, at: node + 4) == Page.subDatabase
    }

    /// The value after a key of a leaf.
    @inline(__always)
    func value(_ place: Int, after key: UnsafeRawBufferPointer) -> Value? {
        guard let node = node(place) else { return nil }
        let count = unsafe Int(bytes.number(UInt32.self, at: node))
        let start = node + Page.nodeHeaderBytes + key.count
        switch unsafe bytes.number(UInt16.self, at: node + 4) {
        case 0, Page.subDatabase:
            guard unsafe count <= bytes.count - start else { return nil }
            return unsafe .bytes(bytes.part(start..<start + count))
        case Page.large:
            guard unsafe start + 8 <= bytes.count else { return nil }
            return unsafe .large(page: bytes.number(UInt64.self, at: start), count: count)
        default: return nil
        }
    }

    /// The offset of a node whose header is inside the page.
    @inline(__always)
    private func node(_ place: Int) -> Int? {
        let node = unsafe Int(bytes.number(UInt16.self, at: Page.headerBytes + 2 * place))
        guard node >= nodesStart, unsafe node + Page.nodeHeaderBytes <= bytes.count else { return nil }
        return node
    }
}

extension UnsafeRawBufferPointer {
    /// The number at an offset, which need not be aligned.
    @inline(__always)
    func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type, at offset: Int) -> Number {
        unsafe loadUnaligned(fromByteOffset: offset, as: type)
    }

    /// A part of the bytes.
    @inline(__always)
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: self[range])
    }
}

extension MDB_val {
    /// Drops `const`, because LMDB does not write through this pointer.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    @inline(__always)
    var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}
