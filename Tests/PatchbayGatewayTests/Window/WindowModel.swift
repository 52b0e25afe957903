/// A window over an ordered list, implemented with arrays: slow but easy to verify.
struct WindowModel {
    struct Page {
        var after: Int64
        var end: Int64
        var isLast: Bool
    }

    enum Following { case stored, unfetched, end }

    let pageSize: Int
    var source: [Int64]
    var isFailing = false
    var stored: [Int64] = []
    var pages: [Page] = []
    var requests = 0

    var size: Int
    var items: [Int64] = []
    /// The id before an empty window.
    var anchor: Int64 = 0
    var following = Following.unfetched
    var isFailed = false

    init(source: [Int64], pageSize: Int, size: Int) {
        self.source = source
        self.pageSize = pageSize
        self.size = size
    }

    var hasEarlier: Bool { stored.contains { $0 < items.first ?? anchor + 1 } && (items.first ?? anchor) > 0 }
    var hasLater: Bool { following != .end }

    mutating func next(_ count: Int) {
        isFailed = false
        let before = items
        goLater(count, acrossGaps: false)
        guard items == before, following == .unfetched, fetch(after: items.last ?? anchor) else { return }
        goLater(count, acrossGaps: isFailed)
    }

    mutating func previous(_ count: Int) {
        isFailed = false
        guard let first = items.first else { return go(after: anchor, acrossGaps: false) }
        let found = stored.filter { $0 < first }.suffix(count)
        if found.count + items.count > size { following = .stored }
        items = Array((found + items).prefix(size))
    }

    mutating func jump(at id: Int64) {
        isFailed = false
        let before = self
        go(after: id - 1, acrossGaps: false)
        guard items.isEmpty, following == .unfetched, fetch(after: id - 1) else { return }
        if isFailed, !before.items.isEmpty {
            (items, following, anchor) = (before.items, before.following, before.anchor)
        } else {
            go(after: id - 1, acrossGaps: isFailed)
        }
    }

    mutating func jumpToEnd() {
        isFailed = false
        guard let first = stored.suffix(size).first else { return go(after: 0, acrossGaps: false) }
        go(after: first - 1, acrossGaps: true)
        following = self.later(after: items.last!, 0, acrossGaps: false).1
    }

    mutating func resize(to newSize: Int) {
        isFailed = false
        size = newSize
        go(after: items.first.map { $0 - 1 } ?? anchor, acrossGaps: false)
    }

    /// Updates the window after stored rows have changed.
    mutating func reread() {
        guard let first = items.first, let last = items.last else {
            return go(after: anchor, acrossGaps: false)
        }
        let wanted = min(items.count, size)
        items = Array(stored.filter { (first...last).contains($0) }.prefix(size))
        let found = later(
            after: items.last ?? first - 1, max(0, wanted - items.count), acrossGaps: false)
        items += found.0
        following = found.1
        if items.isEmpty { anchor = first - 1 }
        if following == .end { fillEarlier(to: wanted) }
    }

    mutating func clear() {
        stored = []
        pages = []
    }

    private mutating func go(after id: Int64, acrossGaps: Bool) {
        anchor = id
        (items, following) = later(after: id, size, acrossGaps: acrossGaps)
        if following == .end { fillEarlier(to: size) }
    }

    private mutating func goLater(_ count: Int, acrossGaps: Bool) {
        guard let last = items.last else { return go(after: anchor, acrossGaps: acrossGaps) }
        let found = later(after: last, count, acrossGaps: acrossGaps)
        items = (items + found.0).suffix(size)
        following = found.1
    }

    private mutating func fillEarlier(to wanted: Int) {
        guard items.count < wanted else { return }
        let wasEmpty = items.isEmpty
        if let before = items.first ?? (anchor > 0 ? anchor + 1 : nil) {
            items = stored.filter { $0 < before }.suffix(wanted - items.count) + items
        } else {
            items = stored.suffix(wanted)
        }
        if wasEmpty, let last = items.last { following = later(after: last, 0, acrossGaps: false).1 }
    }

    private func reach(from id: Int64) -> Int64 {
        var position = id
        while let page = pages.filter({ $0.after <= position }).max(by: { $0.after < $1.after }),
            page.end > position
        {
            position = page.end
        }
        return position
    }

    private func ends(at id: Int64) -> Bool {
        pages.filter { $0.after <= id }.max { $0.after < $1.after }.map { $0.isLast && $0.end <= id } ?? false
    }

    private func later(after id: Int64, _ limit: Int, acrossGaps: Bool) -> ([Int64], Following) {
        let reach = reach(from: id)
        let isEnd = ends(at: reach)
        let found = stored.filter { $0 > id && (acrossGaps || isEnd || $0 <= reach) }
        let shown = Array(found.prefix(limit))
        return (
            shown,
            found.count > limit ? .stored : ends(at: self.reach(from: shown.last ?? id)) ? .end : .unfetched
        )
    }

    /// Fetches the page after an id; returns whether the source was queried.
    private mutating func fetch(after id: Int64) -> Bool {
        requests += 1
        isFailed = isFailing
        guard !isFailing else { return true }
        let start = reach(from: id)
        let following = source.filter { $0 > start }
        let page = following.prefix(pageSize)
        let end = page.last ?? start
        // Rows that the source no longer lists disappear.
        let isLast = following.count <= pageSize
        stored.removeAll { $0 > start && ($0 <= end || isLast) }
        stored = (stored + page).sorted()
        pages.removeAll { $0.after > start && ($0.after < end || isLast) || $0.after == start }
        pages.append(Page(after: start, end: end, isLast: isLast))
        return true
    }
}
