import PatchbayCore

/// A tree of a snapshot, as described by LMDB's record of it.
///
/// The record, as a 64-bit little-endian machine writes it (LMDB 0.9, data format 1):
///
///     0 unused 4 | 4 kind 2 | 6 levels 2 | 8 branch pages 8 | 16 leaf pages 8 | 24 large-value pages 8
///     32 entries 8 | 40 first page 8
struct SubDatabase {
    private static let integerKeys: UInt16 = 0x08

    let name: String
    let root: Snapshot.Root
    let hasIntegerKeys: Bool
    let levels: Int
    let branchPages, leafPages, largePages: UInt64

    /// - Parameter record: ``Snapshot/Root/recordBytes`` bytes.
    init(_ name: String, _ record: UnsafeRawBufferPointer) {
        self.name = name
        root = Snapshot.Root(record)
        hasIntegerKeys =
            record.loadUnaligned(fromByteOffset: 4, as: UInt16.self) & SubDatabase.integerKeys != 0
        levels = Int(record.loadUnaligned(fromByteOffset: 6, as: UInt16.self))
        branchPages = record.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        leafPages = record.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        largePages = record.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
    }

    /// The tree, for reads that do not use LMDB.
    var tree: Tree { Tree(name, 0, hasIntegerKeys: hasIntegerKeys) }

    /// The pages that the record counts, limited because a damaged record may count too many.
    func pageCount(below limit: UInt64) -> Int {
        Int([branchPages, leafPages, largePages].reduce(0) { min($0 + min($1, limit), limit) })
    }
}

extension Snapshot {
    /// The list of free pages, by the commit that freed them.
    static let freePages = Tree("free pages", 0, hasIntegerKeys: true)

    /// Every named tree.
    func subDatabases() throws -> [SubDatabase] {
        var found: [SubDatabase] = []
        var walk = PageWalk(self, Snapshot.names)
        var entry = try walk.first(from: nil, main)
        while let record = entry {
            guard record.value.count == Root.recordBytes else { throw damaged(main.page) }
            found.append(SubDatabase(String(decoding: record.key, as: UTF8.self), record.value))
            entry = try walk.next()
        }
        return found
    }

    /// One entry of the list of free pages: a count, then that many page numbers, 8 bytes each.
    func freePages(_ list: UnsafeRawBufferPointer) throws -> [UInt64] {
        let room = list.count / 8 - 1
        guard room >= 0, list.loadUnaligned(as: UInt64.self) <= UInt64(room) else {
            throw damaged(free.page)
        }
        return try (0..<Int(list.loadUnaligned(as: UInt64.self))).map { place in
            let page = list.loadUnaligned(fromByteOffset: 8 + 8 * place, as: UInt64.self)
            guard page > 1, page <= lastPage else { throw damaged(free.page) }
            return page
        }
    }

    /// The number of pages in the list of free pages.
    ///
    /// - Throws: `corrupted` when the list names pages that do not exist.
    func freePageCount() throws -> Int {
        var count = 0
        var walk = PageWalk(self, Snapshot.freePages)
        var entry = try walk.first(from: nil, free)
        while let list = entry {
            count += try freePages(list.value).count
            entry = try walk.next()
        }
        return count
    }
}
