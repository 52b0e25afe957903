import PatchbayCore
import PatchbayDomain

// A linked list has a gap where a page was fetched again and no longer links to the stored page after it.
extension LinkedList {
    func later(
        _ place: WindowPlace<ListPosition>, limit: Int, maximum: Int?, acrossGaps: Bool,
        in reading: borrowing Reading
    ) throws -> LaterItems<ListedItem> {
        let room = try room(before: place, maximum: maximum, in: reading)
        guard room > 0 else { return LaterItems(following: .limit(maximum ?? 0)) }
        let size = min(limit, room)
        var found = LaterItems<ListedItem>(following: .unfetched)
        try visitPages(from: place.position?.number ?? 0, acrossGaps: acrossGaps, in: reading) {
            page, before in
            for item in try shown(page, after: before, in: reading) where place.isBefore(item.position) {
                guard found.items.count < size else {
                    found.following = .stored
                    return false
                }
                found.items.append(item)
            }
            guard page.next == nil, try unlisted(after: page, in: reading) == nil else { return true }
            found.following = .end
            return false
        }
        if let maximum, found.items.count == room { found.following = .limit(maximum) }
        return found
    }

    /// Visits the stored pages from a position on, as long as each is linked from the one before it.
    ///
    /// - Parameters:
    ///   - acrossGaps: whether to continue where they are not linked: after a page that was fetched again, the old
    ///     ones may have moved.
    ///   - visit: called with a page and the stored one before it; returns whether to continue.
    func visitPages(
        from first: Int64 = 0, acrossGaps: Bool = false, in reading: borrowing Reading,
        _ visit: (_ page: StoredListPage, _ before: StoredListPage?) throws -> Bool
    ) throws {
        var number = first, before = try first > 0 ? page(at: first - 1, in: reading) : nil
        while let page = try page(at: number, in: reading),
            number == first || acrossGaps || !page.isAfterGap(before), try visit(page, before)
        {
            (number, before) = (number + 1, page)
        }
    }

    /// The number of rows that the list may show from a place on if it shows at most `maximum` in all.
    private func room(
        before place: WindowPlace<ListPosition>, maximum: Int?, in reading: borrowing Reading
    ) throws -> Int {
        guard let maximum else { return .max }
        let last = place.position?.number ?? 0
        var count = 0
        try visitPages(acrossGaps: true, in: reading) { page, before in
            guard page.position <= last else { return false }
            count += try shown(page, after: before, in: reading).count { !place.isBefore($0.position) }
            return count < maximum && page.position < last
        }
        return max(0, maximum - count)
    }

    func earlier(
        than position: ListPosition?, limit: Int, in reading: borrowing Reading
    ) throws -> [ListedItem] {
        var items: [ListedItem] = []
        var number = try position?.number ?? lastNumber(in: reading) ?? -1
        while number >= 0, items.count < limit {
            let before = try number > 0 ? page(at: number - 1, in: reading) : nil
            if let page = try page(at: number, in: reading) {
                let shown = try shown(page, after: before, in: reading).reversed()
                items += shown.filter { item in position.map { item.position < $0 } ?? true }
            }
            number -= 1
        }
        return Array(items.prefix(limit))
    }

    func gaps(among items: [ListedItem], in reading: borrowing Reading) throws -> [ListPosition] {
        var gaps: [ListPosition] = []
        for (left, right) in zip(items, items.dropFirst()) where left.position.number < right.position.number
        {
            for number in left.position.number..<right.position.number {
                guard let page = try page(at: number, in: reading),
                    let following = try self.page(at: number + 1, in: reading), !following.isAfterGap(page)
                else {
                    gaps.append(right.position)
                    break
                }
            }
        }
        return gaps
    }

    /// Approximate: assumes that all stored pages are equally long.
    func position(at fraction: Double, in reading: borrowing Reading) throws -> ListPosition? {
        guard let last = try lastNumber(in: reading) else { return nil }
        let pages = fraction * Double(last + 1)
        let number = min(Int64(pages), last)
        let count = try page(at: number, in: reading)?.keys.count ?? 0
        let place = Int((pages - Double(number)) * Double(count))
        return ListPosition(number, place: max(0, min(place, count - 1)))
    }

    func isWhole(in reading: borrowing Reading) throws -> Bool {
        var isWhole = false
        try visitPages(in: reading) { page, _ in
            isWhole = page.next == nil
            return !isWhole && page.position < 99
        }
        return isWhole
    }

    func extend(_ place: WindowPlace<ListPosition>, maximum: Int?) async throws {
        let run = StoredListRun(list: list, query: query, startedAt: gateway.now())
        let new = Walk(ListWalk(run), after: place.start)
        let walk = try await gateway.store.read { try moved(new, to: place, in: $0) }
        _ = try await follow(walk, restarting: new, isConditional: true) { $0.shown > 0 }
    }

    /// The walk at the first page from a place on that is not stored, or at the nearest page before it from which links
    /// lead on.
    private func moved(
        _ new: Walk, to place: WindowPlace<ListPosition>, in reading: borrowing Reading
    ) throws -> Walk {
        var walk = new, run = new.pages.run
        var number = place.position?.number ?? 0
        while number > 0, try page(at: number, in: reading) == nil { number -= 1 }
        guard var page = try page(at: number, in: reading) else { return walk }
        while page.isUnlisted, let last = try self.page(at: number - 1, in: reading) {
            (number, page) = (number - 1, last)
        }
        if number > 0, let before = try self.page(at: number - 1, in: reading), before.next != page.link {
            guard before.next != nil else { return new }
            (walk.pages.run.position, walk.pages.run.next) = (number, before.next)
            return walk
        }
        while let next = page.next, let following = try self.page(at: number + 1, in: reading),
            following.link == next
        {
            (number, page) = (number + 1, following)
        }
        // The last page of the list is requested again.
        let hasMore = page.next != nil
        (run.position, run.next) = hasMore ? (number + 1, page.next) : (number, page.link)
        walk.pages = try self.walk(at: run, in: reading)
        return walk
    }

    /// The number of the last stored page.
    private func lastNumber(in reading: borrowing Reading) throws -> Int64? {
        let range = Bounds.between(.including(.text(list)), .including(.text(list)))
        let query = Query(
            StoredListPage.collection, range, order: .descending, limit: 1, fields: StoredListPage.withoutKeys
        )
        return try reading.list(StoredListPage.self, query).first?.position
    }

    /// The rows of a page that a window shows. A row that moves to the next page while the list is fetched is on both;
    /// it is shown on the first, and so is a row that a run put on the first page of the list.
    func shown(
        _ page: StoredListPage, after before: StoredListPage?, in reading: borrowing Reading
    ) throws -> [ListedItem] {
        var seen = Set(before?.keys ?? []), items: [ListedItem] = []
        if page.position > 1, putsNewRowsFirst, let first = try self.page(at: 0, in: reading) {
            seen.formUnion(first.keys)
        }
        for (place, key) in page.keys.enumerated() where seen.insert(key).inserted {
            guard let item = try reading.listedItem(key, of: resource) else { continue }
            items.append(ListedItem(item, at: ListPosition(page.position, place: place)))
        }
        return items
    }
}

extension StoredListPage {
    /// Whether the page does not follow the stored one before it, or was fetched for another account or definition.
    func isAfterGap(_ before: StoredListPage?) -> Bool {
        guard position > 0 else { return false }
        return link != before?.next || !validator.isSamePartition(as: before?.validator)
    }
}

extension WindowPlace where Position == ListPosition {
    /// Whether a walk from the place reaches a position.
    fileprivate func isBefore(_ position: ListPosition) -> Bool {
        switch self {
        case .start: true
        case .at(let start): position >= start
        case .after(let start): position > start
        }
    }

    /// The last position that a walk from the place leaves out.
    fileprivate var start: ListPosition? {
        switch self {
        case .start: nil
        case .at(let position): ListPosition(position.number, place: position.place - 1)
        case .after(let position): position
        }
    }
}
