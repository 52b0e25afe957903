/// The newest entries of an index, in memory: what no run holds yet.
///
/// A copy shares its pages with the original; a change copies one page and the list of pages.
struct Delta: Sendable {
    /// None is empty, all are sorted, and so is the list.
    private(set) var pages: [Page] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    func find(_ key: UnsafeRawBufferPointer) -> Place? {
        guard !pages.isEmpty else { return nil }
        let view = pages[pageIndex(of: key)].view
        let (slot, isEqual) = view.position(of: key)
        return isEqual ? view.place(slot) : nil
    }

    /// Sets where a key leads, replacing what was there.
    mutating func set(_ key: UnsafeRawBufferPointer, _ place: Place) {
        if pages.isEmpty { pages.append(Page()) }
        let index = pageIndex(of: key)
        if !isKnownUniquelyReferenced(&pages[index]) { pages[index] = pages[index].copy() }
        let page = pages[index]
        let (slot, isEqual) = page.view.position(of: key)
        if isEqual { return page.setPlace(place, at: slot) }
        count += 1
        if !page.insert(key, place, at: slot) { insertInFull(page, index, slot, key, place) }
    }

    private mutating func insertInFull(
        _ page: Page, _ index: Int, _ slot: Int, _ key: UnsafeRawBufferPointer, _ place: Place
    ) {
        // Behind the last key: a new page, so that ascending inserts leave full pages.
        let isLast = slot == page.view.count && index == pages.count - 1
        let upper = isLast ? Page() : page.split()
        pages.insert(upper, at: index + 1)
        let lowerCount = page.view.count
        let target = slot < lowerCount || (slot == lowerCount && !isLast) ? page : upper
        let fits = target.insert(key, place, at: target === page ? slot : slot - lowerCount)
        assert(fits, "a page that was split has room")
    }

    /// The page that holds a key, or would: the last one that starts at or before it.
    func pageIndex(of key: UnsafeRawBufferPointer) -> Int {
        var low = 0, high = pages.count
        while low < high {
            let middle = (low + high) / 2
            if compareKeys(pages[middle].view.key(0), key) <= 0 { low = middle + 1 } else { high = middle }
        }
        return max(low - 1, 0)
    }
}
