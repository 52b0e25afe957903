import PatchbayCore
import PatchbayDomain

/// Checks that a list comes nearer to its end with every page.
extension LinkedList {
    /// The number of consecutive pages without rows that a list may have before its end.
    private static var emptyPagesMax: Int64 { 100 }
    /// The same for pages with rows that the definition leaves out.
    private static var leftOutPagesMax: Int64 { 10_000 }
    /// The number of pages that come again in the same order before a list leads in a circle.
    private static var circlePagesMax: Int64 { 100 }

    /// Checks that a page is not the third consecutive one with the same rows. Two may be the same, because rows added
    /// before them between the requests move them to the next page.
    ///
    /// - Parameter pages: the name under which the pages are stored; nil for the list's own.
    /// - Throws: `invalidResponse` when the list would not end.
    func requireProgress(
        _ page: ItemPage, at position: Int64, of pages: String? = nil, in reading: borrowing Reading
    ) throws {
        guard page.next != nil, position >= 2 else { return }
        guard !page.items.isEmpty else { return try requireRows(at: position, of: pages, in: reading) }
        let keys = page.items.map { KeyText($0.key) }
        for before in [position - 1, position - 2] {
            guard let former = try self.page(at: before, of: pages, in: reading)?.keys else { return }
            let isSame =
                try isKeyedByPlace
                ? former.compactMap { try reading.listedItem($0, of: resource)?.content }
                    == page.items.map(\.content) : former == keys
            guard isSame else { return }
        }
        throw repeatedPage
    }

    /// Checks that an empty page does not follow too many others. Some sources end a list that way, with a new cursor
    /// on each page; others filter rows after they have made pages.
    private func requireRows(
        at position: Int64, of pages: String?, in reading: borrowing Reading
    ) throws {
        let periods = periods, isFiltered = resource.declaration.condition != nil
        let most = isFiltered ? Self.leftOutPagesMax : Self.emptyPagesMax + periods
        // To compare every page with hundreds before it would take long.
        guard most == Self.emptyPagesMax || position.isMultiple(of: min(most, 10 * Self.emptyPagesMax))
        else { return }
        for before in 1...most {
            guard try page(at: position - before, of: pages, in: reading)?.keys.isEmpty == true else {
                return
            }
        }
        let noun = resource.name.withHyphens
        throw PatchbayError(
            .invalidResponse,
            "more than \(most) consecutive pages of \(title) "
                + (isFiltered
                    ? "have no rows that \(noun).where keeps, and name a next page; check \(noun).next in the "
                        + "definition: the source may not know its parameter"
                    : "have no rows but name a next page; if an empty page ends the list, set \(noun).end = empty "
                        + "in the definition"))
    }

    /// Checks that the last pages are not the ones before them, in the same order: links can lead in a circle, with
    /// another address on each round.
    func requireNoCircle(_ fresh: ItemPage, of run: StoredListRun, in reading: borrowing Reading) throws {
        let count = Self.circlePagesMax
        guard fresh.next != nil, !fresh.items.isEmpty, run.position >= 2 * count,
            run.position.isMultiple(of: count), !isKeyedByPlace,
            // Rows that were fetched in this run are on its pages, or another list has them as well.
            try fresh.items.allSatisfy({ item in
                try reading.item(item.key, of: resource)?.state.fetchedAt.map { $0 >= run.startedAt } ?? false
            })
        else { return }
        var pages: [Int] = []
        try scan(from: 0, to: run.position, fields: .all, in: reading) {
            pages.append($0.keys.isEmpty ? 0 : $0.keys.hashValue)
        }
        // The pages since an equal one come again.
        let former = pages.dropLast().lastIndex(of: pages[pages.count - 1])
        guard let former, pages.count == run.position else { return }
        let length = pages.count - 1 - former, start = pages.count - Int(count)
        guard start >= length,
            (start..<pages.count).allSatisfy({ pages[$0] != 0 && pages[$0] == pages[$0 - length] })
        else { return }
        throw PatchbayError(
            .invalidResponse,
            "the last \(count) pages of \(title) are those before them, again and again; check "
                + "\(resource.name.withHyphens).next in the definition: its links lead in a circle")
    }

    /// The first page with the link of one that has the same rows and was requested as number 1, because the source
    /// numbers its pages from 1 and the definition from 0; nil if another page is next.
    func firstPage(again page: StoredListPage, in reading: borrowing Reading) throws -> StoredListPage? {
        guard page.position == 1, page.next != nil, var first = try self.page(at: 0, in: reading),
            first.keys == page.keys, first.incomplete == page.incomplete
        else { return nil }
        first.next = page.next
        return first
    }

    /// The number of periods up to now in which the list is requested (`NAME.window`), each of which may be empty.
    private var periods: Int64 {
        guard let since = resource.declaration.since, let length = since.window, let start = since.start,
            length > .zero
        else { return 0 }
        return Int64((start.age(at: gateway.now()) / length).rounded(.up))
    }

    /// Whether the keys of two pages differ even if their rows are the same.
    private var isKeyedByPlace: Bool { resource.key.contains { $0.declaration.origin == .place } }

    private var repeatedPage: PatchbayError {
        var rule = "next"
        if case .search = question.subject, resource.declaration.search?.paging != nil {
            rule = "search-next"
        }
        return PatchbayError(
            .invalidResponse,
            "three consecutive pages of \(title) have the same rows; check \(resource.name).\(rule) in the "
                + "definition: the source may not know its parameter, or return its last page again and again"
        )
    }
}

extension Item {
    /// The values without the row's place in the list.
    fileprivate var content: [ItemValue?] {
        resource.fields.filter { $0.declaration.origin != .place }.map { self[$0] }
    }
}
