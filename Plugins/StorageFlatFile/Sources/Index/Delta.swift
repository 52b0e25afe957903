/// The newest entries of an index, which are in memory and not in any run yet.
///
/// A copy shares its pages with the original; a change copies one page and the list of pages.
struct Delta: Sendable {
    /// None is empty, all are sorted, and so is the list.
    private var pages: [Page] = []
    /// Views of the pages' bytes, which searches read without reference counting.
    private(set) var views: [PageView] = []
    /// The first bytes of each page's first key (``keyWord(_:)``).
    private var words: [UInt64] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    func spot(of key: UnsafeRawBufferPointer) -> Spot {
        guard !views.isEmpty else { return Spot(page: 0, slot: 0) }
        let page = unsafe page(of: key), view = views[page]
        // Rows mostly come in the order of their keys.
        if page == views.count - 1, unsafe compareKeys(view.key(view.count - 1), key) < 0 {
            return Spot(page: page, slot: view.count)
        }
        let (slot, isEqual) = unsafe view.position(of: key)
        return Spot(page: page, slot: slot, isEqual: isEqual)
    }

    /// The place that a key found by ``spot(of:)`` leads to.
    func place(_ spot: Spot) -> Place { views[spot.page].place(spot.slot) }

    /// Whether the first entry at or after the spot of these bytes starts with them.
    func holds(prefix: UnsafeRawBufferPointer, at spot: Spot) -> Bool {
        guard spot.page < views.count else { return false }
        let view = views[spot.page]
        if spot.slot < view.count { return unsafe view.key(spot.slot).starts(with: prefix) }
        return unsafe spot.page + 1 < views.count && views[spot.page + 1].key(0).starts(with: prefix)
    }

    func page(_ index: Int) -> Page { pages[index] }

    /// Appends an entry after all others.
    mutating func append(_ key: UnsafeRawBufferPointer, _ place: Place) {
        unsafe insert(key, place, at: Spot(page: max(pages.count - 1, 0), slot: views.last?.count ?? 0))
    }

    /// Sets the place that a key leads to, replacing an earlier one.
    mutating func set(_ key: UnsafeRawBufferPointer, _ place: Place) {
        let spot = unsafe spot(of: key)
        if !spot.isEqual { return unsafe insert(key, place, at: spot) }
        makeOwn(spot.page)
        pages[spot.page].setPlace(place, at: spot.slot)
    }

    /// Inserts a key that is not in the index.
    ///
    /// - Parameter spot: of the key, or of a prefix of it that no other key has.
    mutating func insert(_ key: UnsafeRawBufferPointer, _ place: Place, at spot: Spot) {
        if pages.isEmpty { insert(Page(), at: 0) }
        makeOwn(spot.page)
        count += 1
        let page = pages[spot.page]
        guard unsafe page.insert(key, place, at: spot.slot) else {
            return unsafe insertInFull(page, spot.page, spot.slot, key, place)
        }
        if spot.slot == 0 { words[spot.page] = unsafe keyWord(key) }
    }

    /// Copies a page that is shared with another snapshot.
    private mutating func makeOwn(_ index: Int) {
        if isKnownUniquelyReferenced(&pages[index]) { return }
        pages[index] = pages[index].copy()
        views[index] = pages[index].view
    }

    private mutating func insert(_ page: Page, at index: Int) {
        pages.insert(page, at: index)
        views.insert(page.view, at: index)
        words.insert(0, at: index)
    }

    private mutating func insertInFull(
        _ page: Page, _ index: Int, _ slot: Int, _ key: UnsafeRawBufferPointer, _ place: Place
    ) {
        // After the last key a new page is started, so that ascending inserts leave full pages.
        let isLast = slot == page.view.count && index == pages.count - 1
        let upper = isLast ? Page() : page.split()
        insert(upper, at: index + 1)
        let lowerCount = page.view.count
        let target = slot < lowerCount || (slot == lowerCount && !isLast) ? page : upper
        let fits = unsafe target.insert(key, place, at: target === page ? slot : slot - lowerCount)
        assert(fits, "a page that was split has room")
        words[index] = unsafe keyWord(page.view.key(0))
        words[index + 1] = unsafe keyWord(upper.view.key(0))
    }

    /// The page where a key is or would be, which is the last one that starts at or before it.
    private func page(of key: UnsafeRawBufferPointer) -> Int {
        let word = unsafe keyWord(key)
        return unsafe words.withUnsafeBufferPointer { words in
            var low = 0, high = words.count
            // Rows mostly come in the order of their keys.
            if high > 0, unsafe words[high - 1] < word { return high - 1 }
            while low < high {
                let middle = (low + high) / 2
                let isBefore =
                    unsafe words[middle] == word
                    ? compareKeys(views[middle].key(0), key) <= 0 : words[middle] < word
                if isBefore { low = middle + 1 } else { high = middle }
            }
            return max(low - 1, 0)
        }
    }
}

/// The position where a key is or would be in a sorted list of pages: in the last page that starts at or before it.
struct Spot {
    var page: Int
    /// The first entry of the page that is not before the key; one past the last entry when all are before it.
    var slot: Int
    /// Whether the entry has this key.
    var isEqual = false
}
