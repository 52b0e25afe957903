import PatchbayCore

/// Walks the entries of an index.
struct EntryCursor {
    private let index: IndexState
    /// The key at which the walk ends: exclusive when ascending, inclusive when descending. Nil when it ends with the
    /// index.
    private let border: [UInt8]?
    private let isDescending: Bool
    /// The branches above the leaf, and the position in each.
    private var branches: [(page: Page, slot: Int)] = []
    /// Nil after the last entry.
    private var leaf: Page?
    /// The entry that ``next()`` returned.
    private var slot = 0

    /// Creates a cursor before the first entry of a range in walking order.
    init(_ index: IndexState, _ range: KeyRange, _ order: Query.Order) throws {
        self.index = index
        isDescending = order == .descending
        border = isDescending ? range.lower : range.upper
        guard !range.isEmpty, let root = index.root else { return }
        try descend(root, to: isDescending ? range.upper : range.lower)
    }

    /// Moves to before the first entry from a key on in walking order; without a key, from the end of the page.
    private mutating func descend(_ child: Child, to start: [UInt8]?) throws {
        var page = try index.page(child)
        while !page.isLeaf {
            let slot =
                unsafe start?.withUnsafeBytes { unsafe page.childIndex(of: $0) }
                ?? (isDescending ? page.count - 1 : 0)
            branches.append((page, slot))
            page = try index.page(page.children[slot])
        }
        leaf = page
        let position = unsafe start?.withUnsafeBytes { unsafe page.position(of: $0).slot }
        slot = position.map { isDescending ? $0 : $0 - 1 } ?? (isDescending ? page.count : -1)
    }

    /// Moves to the next key and returns its place; nil at the end.
    mutating func next() throws -> Place? {
        while let leaf {
            slot += isDescending ? -1 : 1
            if slot >= 0, slot < leaf.count {
                if isInside(leaf) { return leaf.place(slot) }
                self.leaf = nil
            } else {
                try turnPage()
            }
        }
        return nil
    }

    /// The key of the entry that ``next()`` returned.
    var key: UnsafeRawBufferPointer { unsafe leaf!.key(slot) }

    @inline(__always)
    private func isInside(_ leaf: Page) -> Bool {
        guard let border else { return true }
        let order = unsafe border.withUnsafeBytes { unsafe leaf.key(slot).order(to: $0) }
        return isDescending ? order >= 0 : order < 0
    }

    private mutating func turnPage() throws {
        leaf = nil
        while let (branch, slot) = branches.popLast() {
            let next = slot + (isDescending ? -1 : 1)
            guard branch.children.indices.contains(next) else { continue }
            branches.append((branch, next))
            return try descend(branch.children[next], to: nil)
        }
    }
}
