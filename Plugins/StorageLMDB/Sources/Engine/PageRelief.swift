/// Counts the pages that long walks touch, and releases them before they fill the memory.
///
/// A page of a map counts as this process's memory once it is touched, so walks over everything, whole or in batches,
/// would take as much memory as the file has bytes.
struct PageRelief {
    /// 32 MiB with pages of 4 KiB.
    static let pagesMax = 8192
    /// The pages of shorter walks stay, because others are likely to need them again.
    static let pagesOfLongWalk = 256

    private var count = 0
    private var lowest = UInt64.max
    private var highest: UInt64 = 0

    /// - Parameter page: a page that no earlier pointer reads.
    @inline(__always)
    mutating func touches(_ page: UInt64, of snapshot: Snapshot) {
        count += 1
        lowest = min(lowest, page)
        highest = max(highest, page)
        if count >= PageRelief.pagesMax, let pages = takeFull() { snapshot.giveBack(pages) }
    }

    /// Hands the touched pages to the map, which releases them together with those of later walks.
    func end(in snapshot: Snapshot) {
        if count >= PageRelief.pagesOfLongWalk { snapshot.hasWalked(self) }
    }

    /// Adds the pages that another walk has touched.
    mutating func add(_ other: PageRelief) {
        count += other.count
        lowest = min(lowest, other.lowest)
        highest = max(highest, other.highest)
    }

    /// Returns the pages to release once there are enough, and starts again.
    mutating func takeFull() -> ClosedRange<UInt64>? {
        guard count >= PageRelief.pagesMax else { return nil }
        defer { self = PageRelief() }
        return lowest...highest
    }
}
