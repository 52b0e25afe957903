import PatchbayCore

/// One index at one moment: a B+ tree of pages. A change copies the pages on the way to the entry unless they are new,
/// so that snapshots share the others.
struct IndexState: Sendable {
    /// The leaves of a tree with more pages than this are not kept in memory once they are in the file.
    private static let pagesInMemoryMax = 2048

    /// Nil when all pages are in memory, because no index file could be read.
    let file: IndexFile?
    /// Nil when the index is empty.
    private(set) var root: Child?

    init(_ file: IndexFile?, _ root: Child? = nil) {
        self.file = file
        self.root = root
    }

    func pageCount() throws -> Int { try root?.pageCount(in: file) ?? 0 }

    func page(_ child: Child) throws -> Page {
        try child.pageInMemory(file) ?? file!.page(child.reference!)
    }

    /// The place that a key leads to; nil when no row has the key.
    func find(_ key: UnsafeRawBufferPointer) throws -> Place? {
        guard let page = try root.map(page) else { return nil }
        return try unsafe find(key, below: page)
    }

    /// References are counted only for pages that are not in memory, because the tree keeps the others.
    private func find(_ key: UnsafeRawBufferPointer, below root: Page) throws -> Place? {
        var next = unsafe Unmanaged.passUnretained(root)
        while true {
            switch unsafe next._withUnsafeGuaranteedRef({ unsafe $0.step(to: key) }) {
            case .found(let place): return place
            case .below(let page): unsafe next = page
            case .onDemand(let child): return try unsafe find(key, below: page(child))
            }
        }
    }

    /// Whether an entry starts with these bytes.
    func holds(prefix: UnsafeRawBufferPointer) throws -> Bool {
        guard var page = try root.map(page) else { return false }
        var next: Child?
        while !page.isLeaf {
            let index = unsafe page.childIndex(of: prefix)
            if index + 1 < page.children.count { next = page.children[index + 1] }
            page = try self.page(page.children[index])
        }
        let slot = unsafe page.position(of: prefix).slot
        if slot < page.count { return unsafe page.key(slot).hasPrefix(prefix) }
        guard var first = try next.map(self.page) else { return false }
        while !first.isLeaf { first = try self.page(first.children[0]) }
        return unsafe first.key(0).hasPrefix(prefix)
    }

    /// Walks the entries of a range.
    func walk(_ range: KeyRange = KeyRange(), _ order: Query.Order = .ascending) throws -> EntryCursor {
        try EntryCursor(self, range, order)
    }

    /// Sets the place that a key leads to, replacing an earlier one.
    ///
    /// - Throws: `corrupted` when a page is damaged; the index must not be used after that.
    mutating func set(_ key: UnsafeRawBufferPointer, _ place: Place) throws {
        if root == nil { root = Child(page: Page(), reference: nil) }
        guard let upper = try unsafe root!.set(key, place, file) else { return }
        let page = Page()
        page.children = [root!]
        // A key that is not after any other: smaller ones may follow.
        let least = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        _ = unsafe page.insert(least, Place(offset: 0, length: 0), at: 0, isLast: true)
        _ = page.insert(upper, at: 1, isLast: true)
        root = Child(page: page, reference: nil)
    }

    /// Removes a key.
    ///
    /// - Throws: `corrupted` as ``set(_:_:)`` does.
    mutating func remove(_ key: UnsafeRawBufferPointer) throws {
        if try unsafe root?.remove(key, file) == true { root = nil }
        // A branch stays below another one: as the root, it would need a first key that is not after any other.
        if let children = root?.page?.children, children.count == 1, children[0].level == 0 {
            root = children[0]
        }
    }

    /// The same index with all its pages in the writer's file, so that the root has a place in it.
    func written(by writer: PageWriter) throws -> IndexState {
        let keepsLeaves = try pageCount() <= IndexState.pagesInMemoryMax
        let root = try root?.written(by: writer, from: file, keepingLeaves: keepsLeaves)
        try writer.writeOut()
        return IndexState(writer.pages, root)
    }
}
