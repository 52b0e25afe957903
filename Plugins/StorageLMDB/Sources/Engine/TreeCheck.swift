import PatchbayCore

/// Checks every page of one tree: its form, the order of its keys, and that they are within the bounds of its parent.
///
/// Safe, because its transaction keeps the bytes in place.
@safe struct TreeCheck {
    typealias Key = UnsafeRawBufferPointer

    private let check: FileCheck
    private let tree: Tree
    private let visit: (_ page: UInt64, _ key: Key, _ value: UnsafeRawBufferPointer) -> Void

    /// - Parameter visit: called with every entry whose bytes can be reached.
    init(
        _ check: FileCheck, _ tree: Tree,
        visit: @escaping (_ page: UInt64, _ key: Key, _ value: UnsafeRawBufferPointer) -> Void
    ) {
        self.check = check
        self.tree = tree
        unsafe self.visit = unsafe visit
    }

    /// Returns the counts. When there is no other fault, compares the number of entries with the root's count.
    @discardableResult
    func run(_ root: Root) -> FileCheck.Tally {
        var tally = FileCheck.Tally()
        let before = check.faults.count
        if !root.isEmpty { unsafe look(at: root.page, 1, nil, nil, &tally) }
        if check.faults.count == before, tally.entries != root.entryCount {
            check.report(
                nil, "\"\(tree.name)\" has \(tally.entries) entries but counts \(root.entryCount)")
        }
        return tally
    }

    /// Checks a page and those under it. Keys must be in `lower..<upper`, where nil means unbounded.
    private func look(
        at number: UInt64, _ level: Int, _ lower: Key?, _ upper: Key?, _ tally: inout FileCheck.Tally
    ) {
        guard !check.isOver, check.claim(number, for: tree) else { return }
        guard level <= Snapshot.levelsMax, let page = soundPage(number) else {
            return check.report(number, "it is not a sound page of \"\(tree.name)\"")
        }
        if page.isLeaf {
            tally.leafPages += 1
            if tally.levels == 0 { tally.levels = level }
            if tally.levels != level {
                check.report(
                    number, "it is on level \(level) of \"\(tree.name)\", other leaves on \(tally.levels)")
            }
        } else {
            tally.branchPages += 1
        }
        guard unsafe checkKeys(page, number, lower, upper) else { return }
        for place in 0..<page.count {
            if page.isLeaf {
                lookAtEntry(page, place, number, &tally)
            } else {
                guard let child = page.child(place) else { continue }
                unsafe look(
                    at: child, level + 1, place == 0 ? lower : page.key(place),
                    place + 1 < page.count ? page.key(place + 1) : upper, &tally)
            }
        }
    }

    /// The page, if it has its own number and every node is inside it.
    private func soundPage(_ number: UInt64) -> Page? {
        do {
            let page = try check.snapshot.page(number)
            try check.snapshot.checkNodes(page, number, tree)
            // Only other programs keep entries of their own among the names.
            guard page.isLeaf, tree.isNames else { return page }
            return (0..<page.count).allSatisfy(page.isSubDatabase) ? page : nil
        } catch {
            return nil
        }
    }

    private func checkKeys(_ page: Page, _ number: UInt64, _ lower: Key?, _ upper: Key?) -> Bool {
        var previous = unsafe page.isLeaf ? nil : lower
        for place in (page.isLeaf ? 0 : 1)..<page.count {
            guard let key = unsafe page.key(place) else { return false }
            if let previous = unsafe previous, unsafe !tree.precedes(previous, key) {
                return unsafe isOutOfOrder(key, number)
            }
            if let lower = unsafe lower, unsafe tree.precedes(key, lower) {
                return unsafe isOutOfOrder(key, number)
            }
            if let upper = unsafe upper, unsafe !tree.precedes(key, upper) {
                return unsafe isOutOfOrder(key, number)
            }
            unsafe previous = unsafe key
        }
        return true
    }

    private func isOutOfOrder(_ key: Key, _ number: UInt64) -> Bool {
        check.report(number, unsafe "the key \(tree.describe(key)) of \"\(tree.name)\" is out of order")
        return false
    }

    private func lookAtEntry(_ page: Page, _ place: Int, _ number: UInt64, _ tally: inout FileCheck.Tally) {
        tally.entries += 1
        guard let key = unsafe page.key(place), let value = unsafe page.value(place, after: key) else {
            return
        }
        switch value {
        case .bytes(let bytes):
            if unsafe !tree.isNames || isRecord(bytes, number) { unsafe visit(number, key, bytes) }
        case .large(let first, let count):
            guard let bytes = unsafe large(first, count, &tally) else { return }
            unsafe visit(number, key, bytes)
        }
    }

    private func isRecord(_ bytes: UnsafeRawBufferPointer, _ number: UInt64) -> Bool {
        if bytes.count == Root.recordBytes { return true }
        check.report(number, "the record of a tree has \(bytes.count) bytes")
        return false
    }

    /// Checks a value in its own pages and returns its bytes.
    private func large(
        _ first: UInt64, _ count: Int, _ tally: inout FileCheck.Tally
    ) -> UnsafeRawBufferPointer? {
        guard let pages = try? check.snapshot.largePages(first, count),  // the report below says as much
            let bytes = unsafe check.snapshot.bytes(from: first, count: pages),
            unsafe bytes.loadUnaligned(as: UInt64.self) == first
        else {
            check.report(first, "it is not a sound start of a large value of \"\(tree.name)\"")
            return nil
        }
        for page in first..<first + UInt64(pages) where !check.claim(page, for: tree) { return nil }
        tally.largePages += UInt64(pages)
        return unsafe UnsafeRawBufferPointer(rebasing: bytes[Page.headerBytes..<Page.headerBytes + count])
    }
}
