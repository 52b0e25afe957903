/// Counts the pages that a long walk goes to, and gives them back before they fill the memory.
///
/// Pages of a map count as this process's memory from the first touch; a walk over everything would take as
/// much as the file has. A walk of fewer pages than ``pagesMax`` never gets here.
struct PageRelief {
    /// 32 MiB of usual pages.
    static let pagesMax = 8192

    private var count = 0
    private var lowest = UInt64.max
    private var highest: UInt64 = 0

    /// - Parameter page: one that is not read through any pointer from before.
    @inline(__always)
    mutating func touches(_ page: UInt64, of snapshot: Snapshot) {
        count += 1
        lowest = min(lowest, page)
        highest = max(highest, page)
        if count == PageRelief.pagesMax { giveBack(snapshot) }
    }

    private mutating func giveBack(_ snapshot: Snapshot) {
        snapshot.giveBack(lowest...highest)
        self = PageRelief()
    }
}
