/// LMDB's record of a tree: its first page and its counts.
///
/// The record, as a 64-bit little-endian machine writes it (LMDB 0.9, data format 1):
///
///     0 unused 4 | 4 kind 2 | 6 levels 2 | 8 branch pages 8 | 16 leaf pages 8 | 24 large-value pages 8
///     32 entries 8 | 40 first page 8
struct Root {
    static let recordBytes = 48
    /// More than any tree has. A damaged record may count more, whose sums would be too large.
    private static let entriesMax: UInt64 = 1 << 48
    private static let integerKeys: UInt16 = 0x08

    let hasIntegerKeys: Bool
    let levels: Int
    let branchPages, leafPages, largePages: UInt64
    let entryCount: Int
    let page: UInt64

    /// - Parameter record: ``recordBytes`` bytes.
    init(_ record: UnsafeRawBufferPointer) {
        hasIntegerKeys = unsafe record.number(UInt16.self, at: 4) & Root.integerKeys != 0
        levels = unsafe Int(record.number(UInt16.self, at: 6))
        branchPages = unsafe record.number(UInt64.self, at: 8)
        leafPages = unsafe record.number(UInt64.self, at: 16)
        largePages = unsafe record.number(UInt64.self, at: 24)
        entryCount = unsafe Int(min(record.number(UInt64.self, at: 32), Root.entriesMax))
        page = unsafe record.number(UInt64.self, at: 40)
    }

    var isEmpty: Bool { page == .max }
}

extension Snapshot {
    /// A tree by its name in the snapshot.
    typealias NamedTree = (tree: Tree, root: Root)

    /// The tree that contains the roots of all others.
    static let names = Tree("names", 1)
    /// The list of free pages, by the commit that freed them.
    static let freePages = Tree("free pages", 0, hasIntegerKeys: true)

    /// Every named tree, for reads that do not use LMDB.
    func trees() throws -> [NamedTree] {
        var found: [NamedTree] = []
        try unsafe forEach(in: Snapshot.names, main) { entry in
            guard unsafe entry.value.count == Root.recordBytes else { throw damaged(main.page) }
            unsafe found.append(Snapshot.tree(entry))
        }
        return found
    }

    /// - Parameter entry: one of the tree of names, whose value is a record.
    static func tree(_ entry: Entry) -> NamedTree {
        let root = unsafe Root(entry.value), name = unsafe String(decoding: entry.key, as: UTF8.self)
        return (Tree(name, 0, hasIntegerKeys: root.hasIntegerKeys), root)
    }

    /// One entry of the list of free pages: a count, then that many page numbers, 8 bytes each.
    func freePages(_ list: UnsafeRawBufferPointer) throws -> [UInt64] {
        let room = list.count / 8 - 1
        guard room >= 0, unsafe list.number(UInt64.self, at: 0) <= UInt64(room) else {
            throw damaged(free.page)
        }
        return try unsafe (0..<Int(list.number(UInt64.self, at: 0))).map { place in
            let page = unsafe list.number(UInt64.self, at: 8 + 8 * place)
            guard page > 1, page <= lastPage else { throw damaged(free.page) }
            return page
        }
    }

    /// The number of pages in the list of free pages.
    ///
    /// - Throws: `corrupted` when the list names pages that do not exist.
    func freePageCount() throws -> Int {
        var count = 0
        try unsafe forEach(in: Snapshot.freePages, free) { unsafe count += try freePages($0.value).count }
        return count
    }
}
