/// The newest entries of an index, in memory: what no run holds yet.
///
/// A copy shares its pages with the original; a change copies one page and the list of pages.
struct Delta: Sendable {
    /// None is empty, all are sorted, and so is the list.
    private var pages: [Page] = []
    /// Where the pages' bytes are: searches read these without counting references to pages.
    private(set) var views: [PageView] = []
    /// The first bytes of each page's first key (``keyWord(_:)``).
    private var words: [UInt64] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    func find(_ key: UnsafeRawBufferPointer) -> Place? {
        guard !views.isEmpty else { return nil }
        let view = views[pageIndex(of: key)]
        let (slot, isEqual) = Delta.position(of: key, in: view)
        return isEqual ? view.place(slot) : nil
    }

    /// Whether a key starts with these bytes.
    func holds(prefix: UnsafeRawBufferPointer) -> Bool {
        guard !views.isEmpty else { return false }
        var page = pageIndex(of: prefix)
        var slot = Delta.position(of: prefix, in: views[page]).slot
        if slot == views[page].count { (page, slot) = (page + 1, 0) }
        guard page < views.count else { return false }
        let key = views[page].key(slot)
        return key.count >= prefix.count
            && compareKeys(UnsafeRawBufferPointer(rebasing: key[..<prefix.count]), prefix) == 0
    }

    /// Sets where a key leads, replacing what was there.
    mutating func set(_ key: UnsafeRawBufferPointer, _ place: Place) {
        if pages.isEmpty { insert(Page(), at: 0) }
        let index = pageIndex(of: key)
        if !isKnownUniquelyReferenced(&pages[index]) {
            pages[index] = pages[index].copy()
            views[index] = pages[index].view
        }
        let page = pages[index]
        let (slot, isEqual) = Delta.position(of: key, in: page.view)
        if isEqual { return page.setPlace(place, at: slot) }
        count += 1
        if !page.insert(key, place, at: slot) { return insertInFull(page, index, slot, key, place) }
        if slot == 0 { words[index] = keyWord(key) }
    }

    /// As ``PageView/position(of:)``; quick behind the last key, where rows that come in order end.
    private static func position(of key: UnsafeRawBufferPointer, in view: PageView) -> (
        slot: Int, isEqual: Bool
    ) {
        let count = view.count
        if count > 0, compareKeys(view.key(count - 1), key) < 0 { return (count, false) }
        return view.position(of: key)
    }

    private mutating func insert(_ page: Page, at index: Int) {
        pages.insert(page, at: index)
        views.insert(page.view, at: index)
        words.insert(0, at: index)
    }

    private mutating func insertInFull(
        _ page: Page, _ index: Int, _ slot: Int, _ key: UnsafeRawBufferPointer, _ place: Place
    ) {
        // Behind the last key: a new page, so that ascending inserts leave full pages.
        let isLast = slot == page.view.count && index == pages.count - 1
        let upper = isLast ? Page() : page.split()
        insert(upper, at: index + 1)
        let lowerCount = page.view.count
        let target = slot < lowerCount || (slot == lowerCount && !isLast) ? page : upper
        let fits = target.insert(key, place, at: target === page ? slot : slot - lowerCount)
        assert(fits, "a page that was split has room")
        words[index] = keyWord(page.view.key(0))
        words[index + 1] = keyWord(upper.view.key(0))
    }

    /// The page that holds a key, or would: the last one that starts at or before it.
    func pageIndex(of key: UnsafeRawBufferPointer) -> Int {
        let word = keyWord(key)
        return words.withUnsafeBufferPointer { words in
            var low = 0, high = words.count
            // Rows mostly come in the order of their keys.
            if high > 0, words[high - 1] < word { return high - 1 }
            while low < high {
                let middle = (low + high) / 2
                let isBefore =
                    words[middle] == word
                    ? compareKeys(views[middle].key(0), key) <= 0 : words[middle] < word
                if isBefore { low = middle + 1 } else { high = middle }
            }
            return max(low - 1, 0)
        }
    }
}
