/// Counts the pages that long walks go to, and gives them back before they fill the memory.
///
/// Pages of a map count as this process's memory from the first touch; walks over everything, in one piece or in
/// batches, would take as much as the file has.
struct PageRelief {
    /// 32 MiB of usual pages.
    static let pagesMax = 8192
    /// A shorter walk's pages stay: others are likely to come back to them.
    static let pagesOfLongWalk = 256

    private var count = 0
    private var lowest = UInt64.max
    private var highest: UInt64 = 0

    /// - Parameter page: one that is not read through any pointer from before.
    @inline(__always)
    mutating func touches(_ page: UInt64, of snapshot: Snapshot) {
        count += 1
        lowest = min(lowest, page)
        highest = max(highest, page)
        if count >= PageRelief.pagesMax, let pages = takeFull() { snapshot.giveBack(pages) }
    }

    /// Leaves what the walk has touched to the map, which gives it back together with that of later walks.
    func end(in snapshot: Snapshot) {
        if count >= PageRelief.pagesOfLongWalk { snapshot.hasWalked(self) }
    }

    /// Takes over what another walk has touched.
    mutating func add(_ other: PageRelief) {
        count += other.count
        lowest = min(lowest, other.lowest)
        highest = max(highest, other.highest)
    }

    /// What to give back, once it is enough; begins anew then.
    mutating func takeFull() -> ClosedRange<UInt64>? {
        guard count >= PageRelief.pagesMax else { return nil }
        defer { self = PageRelief() }
        return lowest...highest
    }
}
