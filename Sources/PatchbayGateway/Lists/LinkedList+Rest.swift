import PatchbayCore
import PatchbayDomain

/// The pages after one that was fetched again, as when only the first rows of a list are requested.
///
/// They are as old as before, and no row gets lost between them and the new page: the rows that have left it come first
/// on the page that follows.
extension LinkedList {
    /// The number of rows on a page up to which those that have left the page before it are added.
    private static var keptRowsMax: Int { 10_000 }

    /// Links the page after a new one with it, and puts the rows there that the new one no longer has.
    ///
    /// - Parameter page: the new page, which is not stored yet.
    func keepRest(after page: StoredListPage, in writing: inout Writing) throws {
        let position = page.position
        guard let next = page.next, let former = try self.page(at: position, in: writing.reading),
            let link = former.next, var following = try self.page(at: position + 1, in: writing.reading),
            following.link == link
        else { return }
        let left = try left(former.keys, by: page, in: writing.reading)
        if left.isEmpty, next == link { return }
        let moved = Set(left)
        following.keys = left + following.keys.filter { !moved.contains($0) }
        // A result that has left the page may no longer be one.
        let isKept = question.isList || left.isEmpty
        following.link = isKept && following.keys.count <= Self.keptRowsMax ? next : nil
        following.validator = following.validator.withoutConditions
        try writing.put(following)
    }

    /// Those of some rows that are neither on a new page nor on the page before it, each once.
    private func left(
        _ former: [KeyText], by page: StoredListPage, in reading: borrowing Reading
    ) throws -> [KeyText] {
        let before = try page.position > 0 ? self.page(at: page.position - 1, in: reading) : nil
        var shown = Set(page.keys + (before?.keys ?? []))
        return former.filter { shown.insert($0).inserted }
    }

    /// The rows that the end of the list no longer has, with the time of the oldest of their pages: the pages before it
    /// may be older, so it is not known whether they are still in the list. Nil without such rows.
    ///
    /// - Parameter page: the last page, which is not stored yet.
    func rest(
        of page: StoredListPage, in reading: borrowing Reading
    ) throws -> (keys: [KeyText], fetchedAt: Timestamp)? {
        guard question.isList else { return nil }
        var keys: [KeyText] = [], fetchedAt = page.fetchedAt
        try scan(from: page.position, fields: .all, in: reading) { former in
            guard former.validator.isSamePartition(as: page.validator) else { return }
            keys += former.keys
            fetchedAt = min(fetchedAt, former.fetchedAt)
        }
        let left = try left(keys, by: page, in: reading)
        return left.isEmpty ? nil : (left, fetchedAt)
    }

    func isConnected(in reading: borrowing Reading) throws -> Bool {
        var last: StoredListPage?, isConnected = true
        try scan(from: 0, in: reading) { page in
            if let last, last.next == nil { return }
            isConnected = isConnected && !page.isAfterGap(last)
            last = page
        }
        return isConnected && last.map { $0.next == nil } ?? true
    }
}

extension ListQuestion {
    var isList: Bool { if case .list = subject { true } else { false } }
}
