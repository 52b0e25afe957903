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
    private static let nodeHeaderBytes = 8

    /// The value of a node; safe for the same reason as its page.
    @safe enum Value {
        /// In the page itself.
        case bytes(UnsafeRawBufferPointer)
        /// In its own pages.
        case large(page: UInt64, count: Int)
    }

    let isLeaf: Bool
    let count: Int
    private let bytes: UnsafeRawBufferPointer
    private let nodesStart: Int

    /// The number that the page itself states.
    var number: UInt64 { unsafe bytes.loadUnaligned(as: UInt64.self) }

    /// Nil when the bytes are not a page of a tree.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer) {
        let kind = unsafe bytes.loadUnaligned(fromByteOffset: 10, as: UInt16.self) & Page.kinds
        let offsetsEnd = unsafe Int(bytes.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        let nodesStart = unsafe Int(bytes.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
        guard kind == Page.branch || kind == Page.leaf, offsetsEnd >= Page.headerBytes,
            offsetsEnd <= nodesStart,
            nodesStart <= bytes.count
        else { return nil }
        unsafe self.bytes = unsafe bytes
        self.nodesStart = nodesStart
        isLeaf = kind == Page.leaf
        count = (offsetsEnd - Page.headerBytes) / 2
    }

    /// The key of a node; nil when it is not inside the page.
    @inline(__always)
    func key(_ place: Int) -> UnsafeRawBufferPointer? {
        guard let node = node(place) else { return nil }
        let count = unsafe Int(bytes.loadUnaligned(fromByteOffset: node + 6, as: UInt16.self))
        let start = node + Page.nodeHeaderBytes
        guard unsafe start + count <= bytes.count else { return nil }
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
    }

    /// The page under a node of a branch.
    @inline(__always)
    func child(_ place: Int) -> UInt64? {
        guard let node = node(place) else { return nil }
        return unsafe bytes.loadUnaligned(fromByteOffset: node, as: UInt64.self) & 0xFFFF_FFFF_FFFF
    }

    /// Whether a node of a leaf contains the record of a tree.
    func isSubDatabase(_ place: Int) -> Bool {
        guard let node = node(place) else { return false }
        return unsafe bytes.loadUnaligned(fromByteOffset: node + 4, as: UInt16.self) == Page.subDatabase
    }

    /// The offset in the page of a leaf node's value.
    func valueOffset(_ place: Int) -> Int? {
        guard let node = node(place), let key = unsafe key(place) else { return nil }
        return node + Page.nodeHeaderBytes + key.count
    }

    /// The value after a key of a leaf.
    @inline(__always)
    func value(_ place: Int, after key: UnsafeRawBufferPointer) -> Value? {
        guard let node = node(place) else { return nil }
        let count = unsafe Int(bytes.loadUnaligned(fromByteOffset: node, as: UInt32.self))
        let start = node + Page.nodeHeaderBytes + key.count
        switch unsafe bytes.loadUnaligned(fromByteOffset: node + 4, as: UInt16.self) {
        case 0, Page.subDatabase:
            guard unsafe count <= bytes.count - start else { return nil }
            return unsafe .bytes(UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
        case Page.large:
            guard unsafe start + 8 <= bytes.count else { return nil }
            return unsafe .large(
                page: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self), count: count)
        default: return nil
        }
    }

    private static let large: UInt16 = 1, subDatabase: UInt16 = 2

    /// The offset of a node whose header is inside the page.
    @inline(__always)
    private func node(_ place: Int) -> Int? {
        let node = unsafe Int(
            bytes.loadUnaligned(fromByteOffset: Page.headerBytes + 2 * place, as: UInt16.self))
        guard node >= nodesStart, unsafe node + Page.nodeHeaderBytes <= bytes.count else { return nil }
        return node
    }
}
