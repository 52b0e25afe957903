import PatchbayCore

/// Checks every page of a snapshot, the order of its keys and every entry's seal, and collects the faults.
///
/// Continues after a fault, but skips the pages under a damaged one and the counts that depend on them.
final class FileCheck {
    typealias Bytes = UnsafeRawBufferPointer
    /// Called with every entry whose bytes can be reached.
    private typealias Visitor = (_ page: UInt64, _ key: Bytes, _ value: Bytes) -> Void

    private static let pagesBetweenProgress = 4096

    /// The counts of one tree while its pages are visited.
    private struct Tally {
        var pages = Root.Pages()
        var entries = 0
    }

    private let snapshot: Snapshot
    private(set) var faults: [StorageFault] = []
    private let progress: (Int) -> Void
    private var used: PageSet
    private var free: PageSet
    private var usedCount: UInt64 = 0
    private var freeCount: UInt64 = 0

    /// - Parameter progress: called with the number of pages checked.
    init(_ snapshot: Snapshot, progress: @escaping (Int) -> Void) {
        self.snapshot = snapshot
        self.progress = progress
        used = PageSet(below: snapshot.header.lastPage + 1)
        free = PageSet(below: snapshot.header.lastPage + 1)
    }

    /// Checks everything and returns the named trees whose roots could be read.
    ///
    /// - Throws: `CancellationError`.
    func run() throws -> [Snapshot.NamedTree] {
        unsafe check(Snapshot.freePages, snapshot.header.free) { unsafe countFree($0, $1, $2) }
        var trees: [Snapshot.NamedTree] = []
        unsafe check(Snapshot.names, snapshot.header.main) { page, name, record in
            if record.count == Root.recordBytes {
                unsafe trees.append(Snapshot.tree((name, record)))
            } else {
                report(page, "the record of a tree has \(record.count) bytes")
            }
        }
        for (tree, root) in trees {
            unsafe check(tree, root) { page, key, value in
                guard let fault = unsafe tree.fault(of: (key, value)) else { return }
                report(
                    page, unsafe "the entry \(tree.describe(key)) of \"\(tree.name)\" is damaged: \(fault)")
            }
        }
        try Task.checkCancellation()
        checkNothingIsLost()
        return trees
    }

    func report(_ page: UInt64?, _ message: String) {
        guard !isFull else { return }
        faults.append(StorageFault(file: snapshot.file, place: page.map { "page \($0)" }, message))
    }

    private var isFull: Bool { faults.count >= Verification.faultsMax }

    // MARK: Pages

    /// Counts a page as in use. Returns false when the file does not have it, or it was counted before.
    private func claim(_ page: UInt64, for tree: Tree) -> Bool {
        guard page > 1, page < snapshot.pageCount else {
            report(page, "\"\(tree.name)\" leads to this page, which the file does not have")
            return false
        }
        guard used.insert(page) else {
            report(page, "\"\(tree.name)\" leads to this page, which is also in use elsewhere")
            return false
        }
        if free.contains(page) {
            report(page, "it is in use by \"\(tree.name)\" and in the list of free pages")
        }
        usedCount += 1
        if usedCount % UInt64(FileCheck.pagesBetweenProgress) == 0 { progress(Int(usedCount)) }
        return true
    }

    /// Counts the pages of one entry of the list of free pages.
    private func countFree(_ page: UInt64, _ commit: Bytes, _ list: Bytes) {
        let number = unsafe commit.number(UInt64.self, at: 0)
        if number > snapshot.number {
            report(page, "the list of free pages names commit \(number), which does not exist yet")
        }
        // The error's message would only name the root.
        guard let pages = try? unsafe snapshot.freePages(list) else {
            return report(page, "an entry of the list of free pages is damaged")
        }
        for freePage in pages {
            guard free.insert(freePage) else {
                report(page, "the list of free pages names page \(freePage) twice")
                continue
            }
            if used.contains(freePage) {
                report(freePage, "it is part of the list of free pages, but the list names it as free")
            }
            freeCount += 1
        }
    }

    /// Reports pages that nothing leads to, unless other faults kept pages from being visited.
    private func checkNothingIsLost() {
        guard faults.isEmpty else { return }
        let lost = snapshot.header.lastPage + 1 - 2 - usedCount - freeCount
        guard lost > 0 else { return }
        let first = (2...snapshot.header.lastPage).first { !used.contains($0) && !free.contains($0) }
        report(
            first,
            "\(lost) pages, of which this is the first, are neither in use nor in the list of free pages")
    }

    // MARK: Trees

    /// Checks a tree, and its root's counts unless there is another fault.
    private func check(_ tree: Tree, _ root: Root, _ visit: Visitor) {
        var tally = Tally()
        let before = faults.count
        if !root.isEmpty { unsafe look(at: root.page, of: tree, level: 1, nil, nil, &tally, visit) }
        guard faults.count == before else { return }
        if tally.entries != root.entryCount {
            report(nil, "\"\(tree.name)\" has \(tally.entries) entries but counts \(root.entryCount)")
        } else if tally.pages != root.pages {
            report(nil, "\"\(tree.name)\" does not have the pages that its header counts")
        }
    }

    /// Checks a page and those under it. Keys must be in `lower..<upper`, where nil means unbounded.
    private func look(
        at number: UInt64, of tree: Tree, level: Int, _ lower: Bytes?, _ upper: Bytes?,
        _ tally: inout Tally, _ visit: Visitor
    ) {
        guard !isFull, !Task.isCancelled, claim(number, for: tree) else { return }
        guard level <= Snapshot.levelsMax, let page = soundPage(number, tree) else {
            return report(number, "it is not a sound page of \"\(tree.name)\"")
        }
        if let key = unsafe keyOutOfOrder(page, tree, lower, upper) {
            return report(
                number, unsafe "the key \(tree.describe(key)) of \"\(tree.name)\" is out of order")
        }
        guard page.isLeaf else {
            tally.pages.branches += 1
            for place in 0..<page.count {
                guard let child = page.child(place) else { continue }
                unsafe look(
                    at: child, of: tree, level: level + 1, place == 0 ? lower : page.key(place),
                    place + 1 < page.count ? page.key(place + 1) : upper, &tally, visit)
            }
            return
        }
        tally.pages.leaves += 1
        if tally.pages.levels == 0 { tally.pages.levels = level }
        if tally.pages.levels != level {
            report(
                number, "it is on level \(level) of \"\(tree.name)\", other leaves on \(tally.pages.levels)")
        }
        for place in 0..<page.count { unsafe look(atEntry: place, page, tree, &tally, visit) }
    }

    /// The page, if it has its own number and every node is inside it.
    private func soundPage(_ number: UInt64, _ tree: Tree) -> Page? {
        // The caller's report says as much as the error.
        guard let page = try? snapshot.page(number),
            (try? snapshot.checkNodes(page, tree)) != nil
        else { return nil }
        // Only other programs keep entries of their own among the names.
        guard page.isLeaf, tree.isNames else { return page }
        return (0..<page.count).allSatisfy(page.isSubDatabase) ? page : nil
    }

    /// The first key of a sound page that is not after the one before it, or not within the bounds.
    private func keyOutOfOrder(_ page: Page, _ tree: Tree, _ lower: Bytes?, _ upper: Bytes?) -> Bytes? {
        var previous: Bytes?
        // The first key of a branch is ignored.
        for place in (page.isLeaf ? 0 : 1)..<page.count {
            guard let key = unsafe page.key(place) else { continue }
            let isAfter = unsafe previous.map { unsafe tree.precedes($0, key) } ?? true
            let isInside =
                unsafe lower.map { unsafe !tree.precedes(key, $0) } ?? true
                && upper.map { unsafe tree.precedes(key, $0) } ?? true
            if !isAfter || !isInside { return unsafe key }
            unsafe previous = unsafe key
        }
        return nil
    }

    /// Checks the pages of a large value, and visits the entry.
    private func look(
        atEntry place: Int, _ page: Page, _ tree: Tree, _ tally: inout Tally, _ visit: Visitor
    ) {
        tally.entries += 1
        // The page was checked, so that both are there.
        guard let key = unsafe page.key(place),
            let value = try? unsafe snapshot.value(page, place, after: key)
        else { return }
        if case .large(let first, _)? = unsafe page.value(place, after: key) {
            let pages = snapshot.largePageCount(value.count)
            for page in first..<first + UInt64(pages) where !claim(page, for: tree) { return }
            tally.pages.large += UInt64(pages)
        }
        unsafe visit(page.number, key, value)
    }
}
