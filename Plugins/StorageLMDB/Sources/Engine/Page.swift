/// One page of a tree in data.mdb, with every offset checked before it is followed.
///
/// The bytes, as a 64-bit little-endian machine writes them (LMDB 0.9, data format 1):
///
///     0 page number 8 | 8 unused 2 | 10 kind 2 | 12 end of offsets 2 | 14 start of nodes 2
///     16 offsets of the nodes, 2 each
///
/// A node of a leaf: size of the value 4 | flags 2 | size of the key 2 | key | value, or the page number 8
/// of a large one. A node of a branch: page number of the child 6 | size of the key 2 | key; the first key
/// counts as nothing.
struct Page {
    static let headerBytes = 16
    private static let branch: UInt16 = 1, leaf: UInt16 = 2, kinds: UInt16 = 0x2F
    private static let nodeHeaderBytes = 8

    enum Value {
        /// In the page itself.
        case bytes(UnsafeRawBufferPointer)
        /// In pages of its own.
        case large(page: UInt64, count: Int)
    }

    let isLeaf: Bool
    let count: Int
    private let bytes: UnsafeRawBufferPointer
    private let nodesStart: Int

    /// Nil when the bytes are no page of a tree.
    @inline(__always)
    init?(_ bytes: UnsafeRawBufferPointer) {
        let kind = bytes.loadUnaligned(fromByteOffset: 10, as: UInt16.self) & Page.kinds
        let offsetsEnd = Int(bytes.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
        let nodesStart = Int(bytes.loadUnaligned(fromByteOffset: 14, as: UInt16.self))
        guard kind == Page.branch || kind == Page.leaf, offsetsEnd >= Page.headerBytes,
            offsetsEnd <= nodesStart,
            nodesStart <= bytes.count
        else { return nil }
        self.bytes = bytes
        self.nodesStart = nodesStart
        isLeaf = kind == Page.leaf
        count = (offsetsEnd - Page.headerBytes) / 2
    }

    /// The key of a node; nil when it does not lie inside the page.
    @inline(__always)
    func key(_ place: Int) -> UnsafeRawBufferPointer? {
        guard let node = node(place) else { return nil }
        let count = Int(bytes.loadUnaligned(fromByteOffset: node + 6, as: UInt16.self))
        let start = node + Page.nodeHeaderBytes
        guard start + count <= bytes.count else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
    }

    /// The page under a node of a branch.
    @inline(__always)
    func child(_ place: Int) -> UInt64? {
        guard let node = node(place) else { return nil }
        return bytes.loadUnaligned(fromByteOffset: node, as: UInt64.self) & 0xFFFF_FFFF_FFFF
    }

    /// Whether a node of a leaf holds the record of a tree.
    func isSubDatabase(_ place: Int) -> Bool {
        guard let node = node(place) else { return false }
        return bytes.loadUnaligned(fromByteOffset: node + 4, as: UInt16.self) == Page.subDatabase
    }

    /// Where a node's number of a child page (6 bytes), or what stands behind its key, begins in the page.
    func childOffset(_ place: Int) -> Int? { node(place) }

    func valueOffset(_ place: Int) -> Int? {
        guard let node = node(place), let key = key(place) else { return nil }
        return node + Page.nodeHeaderBytes + key.count
    }

    /// The value behind a key of a leaf.
    @inline(__always)
    func value(_ place: Int, behind key: UnsafeRawBufferPointer) -> Value? {
        guard let node = node(place) else { return nil }
        let count = Int(bytes.loadUnaligned(fromByteOffset: node, as: UInt32.self))
        let start = node + Page.nodeHeaderBytes + key.count
        switch bytes.loadUnaligned(fromByteOffset: node + 4, as: UInt16.self) {
        case 0, Page.subDatabase:
            guard count <= bytes.count - start else { return nil }
            return .bytes(UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]))
        case Page.large:
            guard start + 8 <= bytes.count else { return nil }
            return .large(page: bytes.loadUnaligned(fromByteOffset: start, as: UInt64.self), count: count)
        default: return nil
        }
    }

    /// Whether every node of a leaf lies inside the page with its key and its value. False too when a value has
    /// pages of its own, which are to be looked at one by one.
    ///
    /// - Parameter keyBytes: how many bytes each key must have; nil is any number but none.
    func holdsItsNodes(keyBytes: Int?) -> Bool {
        guard let start = bytes.baseAddress else { return false }
        for place in 0..<count {
            let node = Int(
                start.loadUnaligned(fromByteOffset: Page.headerBytes &+ 2 &* place, as: UInt16.self))
            guard node >= nodesStart, node &+ Page.nodeHeaderBytes <= bytes.count else { return false }
            // Size, flags and size of the key, which a node begins with.
            let header = start.loadUnaligned(fromByteOffset: node, as: UInt64.self)
            let size = Int(header & 0xFFFF_FFFF), key = Int(header >> 48), flags = header >> 32 & 0xFFFF
            guard flags == 0, keyBytes.map({ $0 == key }) ?? (key > 0),
                node &+ Page.nodeHeaderBytes &+ key &+ size <= bytes.count
            else { return false }
        }
        return true
    }

    private static let large: UInt16 = 1, subDatabase: UInt16 = 2

    /// Where a node begins; its header lies inside the page.
    @inline(__always)
    private func node(_ place: Int) -> Int? {
        let node = Int(bytes.loadUnaligned(fromByteOffset: Page.headerBytes + 2 * place, as: UInt16.self))
        guard node >= nodesStart, node + Page.nodeHeaderBytes <= bytes.count else { return nil }
        return node
    }
}
