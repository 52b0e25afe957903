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

    /// The numbers of levels and of pages by kind.
    struct Pages: Equatable {
        var levels = 0
        var branches: UInt64 = 0
        var leaves: UInt64 = 0
        var large: UInt64 = 0
    }

    let hasIntegerKeys: Bool
    let pages: Pages
    let entryCount: Int
    let page: UInt64

    /// - Parameter record: ``recordBytes`` bytes.
    init(_ record: UnsafeRawBufferPointer) {
        hasIntegerKeys = unsafe record.number(UInt16.self, at: 4) & Root.integerKeys != 0
        pages = unsafe Pages(
            levels: Int(record.number(UInt16.self, at: 6)), branches: record.number(UInt64.self, at: 8),
            leaves: record.number(UInt64.self, at: 16), large: record.number(UInt64.self, at: 24))
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
        try unsafe forEach(in: Snapshot.names, header.main) { entry in
            guard unsafe entry.value.count == Root.recordBytes else { throw damaged(header.main.page) }
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
            throw damaged(header.free.page)
        }
        return try unsafe (0..<Int(list.number(UInt64.self, at: 0))).map { place in
            let page = unsafe list.number(UInt64.self, at: 8 + 8 * place)
            guard page > 1, page <= header.lastPage else { throw damaged(header.free.page) }
            return page
        }
    }
}
