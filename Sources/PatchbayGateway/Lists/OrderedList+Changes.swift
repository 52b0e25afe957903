import PatchbayCore
import PatchbayDomain

// Whether the rows of a page are still those that it returned.

extension OrderedList {
    /// The stored rows that a page covers, including those that are no longer listed.
    func rows(of page: StoredListStretch) -> Query {
        // The last page also covers the rows after its own ones.
        let end = page.next == nil ? nil : Bounds.Bound.including(.integer(page.end))
        return walk(.between(.excluding(.integer(page.after)), end))
    }

    func hasChange(
        of page: StoredListStretch, after number: Int64, in reading: borrowing Reading
    ) throws -> Bool {
        var rows = rows(of: page)
        rows.fields = FieldSet(positions: [resource.changeNumberPosition, resource.listedNumberPosition])
        var hasChange = false, count: Int64 = 0
        try reading.scan(rows) { row in
            count += 1
            hasChange = resource.listedNumber(of: row) > number
            return hasChange ? .stop : .next
        }
        // A row that another program has deleted, or moved to another page, has no change number here.
        return hasChange || count != page.rowCount
    }
}
