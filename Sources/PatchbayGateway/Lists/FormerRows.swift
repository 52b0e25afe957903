import PatchbayCore
package import PatchbayDomain

/// The first and the last of the rows before an extent, by which it is found again.
package struct FormerRows: Hashable, Sendable {
    package let first: KeyText
    package let last: KeyText
    /// The number of these rows.
    package let count: Int

    package init(first: KeyText, last: KeyText, count: Int) {
        (self.first, self.last, self.count) = (first, last, count)
    }

    /// The number of rows up to the last of them; nil if they have moved in different directions, because rows that
    /// followed may be before it now.
    fileprivate func end(among keys: [KeyText], formerly skipped: Int) -> Int? {
        guard let last = keys.firstIndex(of: last) else { return nil }
        let isNoLater = last < skipped
        guard let first = keys.firstIndex(of: first) else { return isNoLater ? last + 1 : nil }
        return (0..<count).contains(last - first) && (count > 1 || isNoLater) ? last + 1 : nil
    }
}

extension ItemListFeed {
    /// An extent after its former rows.
    ///
    /// - Throws: `notFound` if they have moved in different directions, or the list has lost the last one.
    func placed(_ extent: ListExtent, in reading: borrowing Reading) throws -> ListExtent {
        guard let former = extent.former else { return extent }
        func keys(_ extent: ListExtent) throws -> [KeyText] {
            (try stored(extent, in: reading).value?.items ?? []).map { KeyText($0.key) }
        }
        let before = try keys(ListExtent(skipped: extent.skipped - former.count, limit: former.count))
        if before.first == former.first, before.last == former.last, before.count == former.count {
            return extent
        }
        let all = try keys(ListExtent(limit: Limits.pageRows))
        guard let end = former.end(among: all, formerly: extent.skipped) else {
            throw PatchbayError(
                .notFound,
                "the rows before this page have moved in the list; start again at the beginning of the list")
        }
        var placed = extent
        placed.skipped = end
        placed.limit = max(1, min(extent.limit, Limits.pageRows - end))
        return placed
    }
}
