import PatchbayCore

/// Writes the pages that a snapshot uses to a new data.mdb, one after another, without the free ones.
///
/// The copy is the same environment at the same commit, with other page numbers, because children come before their
/// parents. Every page is checked before it is followed, as in reads; entries are copied unchanged, with their seals.
final class PageCopy {
    /// The number of pages between two progress reports.
    private static let pagesBetweenProgress = 2048

    private let snapshot: Snapshot
    private let file: NewFile
    private let progress: (Int) -> Void
    private var met: PageSet
    /// The number of the next page to write, after the two headers.
    private var next: UInt64 = 2
    /// The counts of the tree of names, because by the time they are needed the header may belong to another commit.
    private var names = (levels: 0, branchPages: 0, leafPages: 0)

    /// - Parameters:
    ///   - path: the path of the new file.
    ///   - progress: called with the number of pages written.
    init(_ snapshot: Snapshot, to path: String, progress: @escaping (Int) -> Void) throws {
        self.snapshot = snapshot
        self.progress = progress
        met = PageSet(below: snapshot.pageCount)
        file = try NewFile(path)
    }

    /// Copies a snapshot. The file is synced when this returns, and removed when it throws.
    ///
    /// - Throws: `corrupted` when a page is damaged, `storageFull`.
    static func run(
        _ snapshot: Snapshot, to path: String, _ task: String, _ progress: WorkProgress.Handler
    ) throws {
        let total = try snapshot.usedPageCount()
        try withoutActuallyEscaping({ progress(WorkProgress(task, done: $0, of: total)) }) { tell in
            let copy = try PageCopy(snapshot, to: path, progress: tell)
            do {
                try copy.run()
                tell(total)
            } catch {
                copy.file.discard()
                throw error
            }
        }
    }

    private func run() throws {
        let zeros = [UInt8](repeating: 0, count: snapshot.pageBytes)
        for _ in 0..<2 { try unsafe zeros.withUnsafeBytes { try unsafe file.append($0) } }
        let root = try copy(Snapshot.names, snapshot.main)
        try file.flush()
        try writeHeaders(root)
        try file.finish()
    }

    // MARK: Trees

    private func copy(_ tree: Tree, _ root: Root) throws -> UInt64 {
        if root.isEmpty { return .max }
        return try copy(page: root.page, of: tree, level: 1)
    }

    /// Copies a page and those under it, and returns its new number.
    private func copy(page number: UInt64, of tree: Tree, level: Int) throws -> UInt64 {
        guard level <= Snapshot.levelsMax, number < snapshot.pageCount, met.insert(number),
            let old = unsafe snapshot.bytes(from: number)
        else { throw snapshot.damaged(number) }
        let page = try snapshot.page(number)
        if tree.isNames { countNames(page, level) }
        var bytes = unsafe [UInt8](old)
        for place in 0..<page.count {
            if page.isLeaf {
                try copyValue(place, page, number, tree, &bytes)
            } else {
                guard let offset = page.childOffset(place) else { throw snapshot.damaged(number) }
                let child = try copy(
                    page: try snapshot.child(page, place, number), of: tree, level: level + 1)
                bytes.store(child, at: offset, byteCount: 6)
            }
        }
        return try write(&bytes)
    }

    private func countNames(_ page: Page, _ level: Int) {
        names.levels = max(names.levels, level)
        if page.isLeaf { names.leafPages += 1 } else { names.branchPages += 1 }
    }

    /// Copies the tree or the pages that a node of a leaf points to.
    private func copyValue(
        _ place: Int, _ page: Page, _ number: UInt64, _ tree: Tree, _ bytes: inout [UInt8]
    ) throws {
        let key = try unsafe snapshot.key(page, place, number, tree)
        guard let value = unsafe page.value(place, after: key), let offset = page.valueOffset(place),
            page.isSubDatabase(place) == tree.isNames
        else { throw snapshot.damaged(number) }
        switch value {
        case .large(let first, let count):
            guard !tree.isNames else { throw snapshot.damaged(number) }
            bytes.store(try copyLarge(first, count), at: offset, byteCount: 8)
        case .bytes(let record) where tree.isNames:
            guard record.count == Root.recordBytes else { throw snapshot.damaged(number) }
            let (tree, old) = unsafe Snapshot.tree((key, record))
            let root = try copy(tree, old)
            bytes.store(root, at: offset + Root.pageOffset, byteCount: 8)
        case .bytes: break
        }
    }

    private func copyLarge(_ first: UInt64, _ count: Int) throws -> UInt64 {
        let pages = try snapshot.largePages(first, count)
        for page in first..<first + UInt64(pages) {
            guard met.insert(page) else { throw snapshot.damaged(page) }
        }
        guard let old = unsafe snapshot.bytes(from: first, count: pages) else {
            throw snapshot.damaged(first)
        }
        var bytes = unsafe [UInt8](old)
        return try write(&bytes)
    }

    /// Writes pages under the next number, which is stored in the first of them.
    private func write(_ bytes: inout [UInt8]) throws -> UInt64 {
        let number = next
        bytes.store(number, at: 0, byteCount: 8)
        try unsafe bytes.withUnsafeBytes { try unsafe file.append($0) }
        next += UInt64(bytes.count / snapshot.pageBytes)
        if number / UInt64(PageCopy.pagesBetweenProgress) != next / UInt64(PageCopy.pagesBetweenProgress) {
            try Task.checkCancellation()
            progress(Int(next) - 2)
        }
        return number
    }

    // MARK: Headers

    /// Writes both headers with the same pages: one as the newest commit, the other, where LMDB expects the previous
    /// commit, under its number.
    private func writeHeaders(_ root: UInt64) throws {
        guard var bytes = unsafe snapshot.bytes(from: 0).map([UInt8].init) else { throw snapshot.damaged(0) }
        // An empty free list: page size and kind stay, levels and counts are 0, and there is no first page.
        for offset in 46..<80 { bytes[offset] = 0 }
        bytes.store(.max, at: 80, byteCount: 8)
        bytes.store(UInt64(names.levels), at: 94, byteCount: 2)
        bytes.store(UInt64(names.branchPages), at: 96, byteCount: 8)
        bytes.store(UInt64(names.leafPages), at: 104, byteCount: 8)
        bytes.store(0, at: 112, byteCount: 8)
        bytes.store(UInt64(snapshot.main.entryCount), at: 120, byteCount: 8)
        bytes.store(root, at: 128, byteCount: 8)
        bytes.store(next - 1, at: 136, byteCount: 8)
        for number in [snapshot.number, snapshot.number &- 1] where number != .max {
            bytes.store(number & 1, at: 0, byteCount: 8)
            bytes.store(number, at: 144, byteCount: 8)
            try unsafe bytes.withUnsafeBytes {
                try unsafe file.write($0, at: Int(number & 1) * snapshot.pageBytes)
            }
        }
    }
}

extension Snapshot {
    /// The number of pages in named trees, without the headers, the names and the free list.
    func usedPageCount() throws -> Int {
        try trees().reduce(0) { $0 + $1.root.pageCount(below: pageCount) }
    }
}

extension [UInt8] {
    /// Writes the low bytes of a number, lowest first.
    fileprivate mutating func store(_ number: UInt64, at offset: Int, byteCount: Int) {
        for place in 0..<byteCount {
            self[offset + place] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))
        }
    }
}
