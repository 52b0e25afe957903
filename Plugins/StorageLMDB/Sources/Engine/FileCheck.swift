import PatchbayCore

/// Checks every page of a snapshot and every entry's seal, and collects the faults.
///
/// Continues after a fault, but skips the pages under a damaged one and the counts that depend on them.
final class FileCheck {
    /// Further faults are dropped.
    static let faultsMax = 100
    private static let pagesBetweenProgress = 4096

    /// The counts of one tree while its pages are visited.
    struct Tally {
        var branchPages: UInt64 = 0
        var leafPages: UInt64 = 0
        var largePages: UInt64 = 0
        var entries = 0
        var levels = 0
    }

    let snapshot: Snapshot
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
        used = PageSet(below: snapshot.lastPage + 1)
        free = PageSet(below: snapshot.lastPage + 1)
    }

    /// Checks everything and returns the named trees whose roots could be read.
    ///
    /// - Throws: `CancellationError`.
    func run() throws -> [Snapshot.NamedTree] {
        checkFreeList()
        var trees: [Snapshot.NamedTree] = []
        unsafe TreeCheck(self, Snapshot.names) { _, name, record in
            unsafe trees.append(Snapshot.tree((name, record)))
        }.run(snapshot.main)
        for (tree, root) in trees { check(tree, root) }
        try Task.checkCancellation()
        checkNothingIsLost()
        return trees
    }

    /// Whether the check should stop.
    var isOver: Bool { isFull || Task.isCancelled }

    private var isFull: Bool { faults.count >= FileCheck.faultsMax }

    func report(_ page: UInt64?, _ message: String) {
        guard !isFull else { return }
        faults.append(StorageFault(file: snapshot.file, place: page.map { "page \($0)" }, message))
    }

    // MARK: Pages

    /// Counts a page as in use. Returns false when the file does not have it, or it was counted before.
    func claim(_ page: UInt64, for tree: Tree) -> Bool {
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

    private func checkFreeList() {
        unsafe TreeCheck(self, Snapshot.freePages) { [self] page, commit, list in
            let number = unsafe commit.loadUnaligned(as: UInt64.self)
            if number > snapshot.number {
                report(page, "the list of free pages names commit \(number), which does not exist yet")
            }
            // The error's message would only name the root.
            guard let pages = try? unsafe snapshot.freePages(list) else {
                report(page, "an entry of the list of free pages is damaged")
                return
            }
            for free in pages { countFree(free, page) }
        }.run(snapshot.free)
    }

    private func countFree(_ page: UInt64, _ list: UInt64) {
        guard free.insert(page) else {
            report(list, "the list of free pages names page \(page) twice")
            return
        }
        if used.contains(page) {
            report(page, "it is part of the list of free pages, but the list names it as free")
        }
        freeCount += 1
    }

    /// Reports pages that nothing leads to, unless other faults kept pages from being visited.
    private func checkNothingIsLost() {
        guard faults.isEmpty else { return }
        let lost = snapshot.lastPage + 1 - 2 - usedCount - freeCount
        guard lost > 0 else { return }
        let first = (2...snapshot.lastPage).first { !used.contains($0) && !free.contains($0) }
        report(
            first,
            "\(lost) pages, of which this is the first, are neither in use nor in the list of free pages")
    }

    // MARK: Trees

    private func check(_ tree: Tree, _ root: Root) {
        let before = faults.count
        let tally = unsafe TreeCheck(self, tree) { [self] page, key, value in
            if let fault = unsafe tree.fault(of: value, under: key) {
                report(
                    page, unsafe "the entry \(tree.describe(key)) of \"\(tree.name)\" is damaged: \(fault)")
            }
        }.run(root)
        guard faults.count == before else { return }
        let isAsCounted =
            tally.branchPages == root.branchPages && tally.leafPages == root.leafPages
            && tally.largePages == root.largePages && tally.levels == root.levels
        if !isAsCounted { report(nil, "\"\(tree.name)\" does not have the pages that its header counts") }
    }
}
