import PatchbayCore
import PatchbayDomain

/// Which rows a complete list shows to be gone.
///
/// The pages of a list are fetched one after another. Rows that move while it is read may be on none of them, so that
/// only a second complete run without a row, or the row's own address, proves its absence. A list on a single page
/// proves it alone.
extension LinkedList {
    /// Whether rows cannot move to a page that was read before. Every row that exists is on a page then.
    var hasFixedOrder: Bool {
        if resource.declaration.isOrderFixed { return true }
        guard question.isList, case .last(_, let field, _) = resource.declaration.paging else {
            return false
        }
        return resource.key.count == 1 && resource.key[0].name == field
    }

    /// Marks the rows that the complete list does not contain: as missing the first time, as gone the second time.
    ///
    /// - Parameters:
    ///   - former: for a list that is now empty, the rows that it must contain, determined from its previous pages.
    ///   - listed: the rows that the list contains.
    ///   - atOnce: whether no row can have moved while the list was read, so that the first time is enough unless the
    ///     rows may be those of another account.
    func markUnlisted(
        _ former: Query?, unless listed: DistinctRows, atOnce: Bool, _ run: inout StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws -> RowChanges {
        guard let query = try former ?? coveredRows(in: writing.reading) else { return RowChanges() }
        let atOnce = atOnce && !run.replacesOther
        let repeated = try movedCount(of: listed, in: writing.reading)
        if repeated > 0, !atOnce {
            run.unsettled = Count.words(repeated, "row") + " came twice"
        }
        run.unsettledRuns = atOnce || run.unsettled == nil ? 0 : run.unsettledRuns + 1
        let isListed: (Key) -> Bool = { listed.contains(KeyText($0)) }
        var changes = RowChanges()
        // After another query the rows of two runs must differ, or its rows would stay as long as some move.
        if run.incomplete == nil, run.unsettled == nil || atOnce || run.replacesOther {
            changes = try writing.markGone(query, of: resource, at: time, atOnce: atOnce, unless: isListed)
        }
        let isOpen = changes.missing > 0 || run.incomplete != nil || !atOnce && run.unsettled != nil
        run.openRuns = isOpen ? run.openRuns + 1 : 0
        if run.replacesOther, run.incomplete == nil {
            run.replacesOther = false
            run.incomplete = changes.missing == 0 ? nil : leftOver(changes.missing).stored
        }
        if !atOnce || run.incomplete != nil {
            try putUnlisted(query, of: run, in: &writing, at: time, unless: isListed)
        }
        return changes
    }

    /// Ends the doubt about rows of another account if their own addresses have shown that all of them are gone.
    func settled(_ run: StoredListRun, in writing: inout Writing) throws -> StoredListRun {
        guard run.incomplete.map(isLeftOver) == true,
            try missingRows(of: run, limit: 1, in: writing.reading).isEmpty
        else { return run }
        var settled = run
        (settled.incomplete, settled.openRuns) = (nil, 0)
        try deletePages(from: run.position, in: &writing)
        try writing.put(settled)
        return settled
    }

    /// Stores the rows that the complete list lacks, and that are not gone, so that the list still shows them.
    private func putUnlisted(
        _ query: Query, of run: StoredListRun, in writing: inout Writing, at time: Timestamp,
        unless isListed: (Key) -> Bool
    ) throws {
        let unsure = resource.declaration.unsure.flatMap { resource.field(named: $0)?.position }
        var keys: [KeyText] = []
        try writing.reading.scan(query) { row in
            if ItemState.isGone(row) { return .next }
            if let unsure, !row.isNull(unsure), row.integer(unsure) != 0 { return .next }
            let key = resource.collection.key(of: row)
            if !isListed(key) { keys.append(KeyText(key)) }
            return .next
        }
        try putUnlisted(keys, from: run.position, because: run.incomplete, in: &writing, at: time)
    }

    /// Stores rows as pages after the last one of a list. These pages have no link.
    ///
    /// - Parameter reason: why the list is not complete; nil when it is.
    func putUnlisted(
        _ keys: [KeyText], from position: Int64, because reason: String? = nil, in writing: inout Writing,
        at time: Timestamp
    ) throws {
        for (number, start) in stride(from: 0, to: keys.count, by: Self.unlistedMax).enumerated() {
            var page = StoredListPage(
                list: list, position: position + Int64(number), link: nil, fetchedAt: time)
            page.keys = Array(keys[start..<min(keys.count, start + Self.unlistedMax)])
            page.incomplete = reason
            // A row that another list returns later belongs to that one.
            page.changeNumber = try writing.lastChangeNumber()
            try writing.put(page)
        }
    }

    /// The number of rows on a page of rows that a list lacks.
    private static var unlistedMax: Int { 10_000 }

    /// The page with rows that the complete list lacks, if a page is its last one, or such a page itself.
    func unlisted(after page: StoredListPage, in reading: borrowing Reading) throws -> StoredListPage? {
        guard page.next == nil, let unlisted = try self.page(at: page.position + 1, in: reading) else {
            return nil
        }
        return unlisted.isUnlisted ? unlisted : nil
    }

    func lastPage(of run: StoredListRun, in reading: borrowing Reading) throws -> StoredListRun? {
        guard run.finishedAt == nil else { return nil }
        if run.since != nil { return try lastPageOfNewer(run, in: reading) }
        // Rows of a fixed order move to an earlier page when one before them is deleted, unless pages begin after rows.
        if hasFixedOrder, case .last = resource.declaration.paging { return nil }
        guard run.position > 0, let page = try page(at: run.position - 1, in: reading), page.next == run.next
        else { return nil }
        var last = run
        last.position -= 1
        last.pages -= 1
        last.rows -= Int64(page.keys.count)
        last.next = page.link
        return last
    }

    /// The rows that a finished run was the first to lack.
    func missingRows(of run: StoredListRun, limit: Int, in reading: borrowing Reading) throws -> [Item] {
        guard let time = run.finishedAt?.milliseconds, let query = try coveredRows(in: reading) else {
            return []
        }
        let position = resource.missingSincePosition
        var items: [Item] = []
        try reading.scan(query) { row in
            if !ItemState.isGone(row), row.integer(position) == time { items.append(Item(row, of: resource)) }
            return items.count < limit ? .next : .stop
        }
        return items
    }
}

extension ItemListFeed {
    private var leftOverWords: String { " from before the account, the address or the definition changed" }

    /// The shortfall of a list with rows that may be those of another account.
    func leftOver(_ count: Int64) -> Shortfall {
        Shortfall(
            .end,
            Count.words(count, "row is", "rows are")
                + leftOverWords + ", and not in the list of "
                + "\(resource.plural) now; sync it again to see whether they are gone")
    }

    func isLeftOver(_ reason: String) -> Bool { reason.contains(leftOverWords) }
}

extension StoredListRun {
    /// Records whether a page that the run replaces was fetched for another account or definition.
    mutating func note(_ former: some StoredPage, for identity: String) {
        replacesOther = replacesOther || !former.validator.isValid(for: identity)
    }
}

extension StoredListPage {
    /// Whether the page contains rows that the complete list lacks.
    var isUnlisted: Bool { position > 0 && link == nil }
}

extension LinkedList {
    /// The rows that a complete list must contain; those that it lacks are no longer listed.
    private enum Coverage {
        case all
        /// Rows whose key starts with the values of the list's parent and arguments.
        case key(Key)
        /// Rows that share the value of this field with a row of the list.
        case sharing(ResourceField, Index)
    }

    /// Nil for searches and for lists that are views of other lists, because they need not contain any particular row.
    private var coverage: Coverage? {
        guard case .list(let name) = question.subject else { return nil }
        if question.isWholeCollection { return question.after == 0 ? .all : nil }
        if name == nil, let key = keyOfList { return .key(key) }
        return name == nil || !question.arguments.isEmpty ? sharing : nil
    }

    private var sharing: Coverage? {
        guard let name = resource.declaration.within, let field = resource.field(named: name),
            let index = resource.collection.index(named: "by_\(name)")
        else { return nil }
        return .sharing(field, index)
    }

    /// The prefix of the keys of the list's rows, which no row of another list has.
    private var keyOfList: Key? {
        let fields = resource.declaration.keyOfList
        let values = zip(fields, resource.key).compactMap { given($1) }
        guard !fields.isEmpty, values.count == fields.count else { return nil }
        return values.count == 1 ? values[0] : .compound(values)
    }

    /// The value by which the list's rows differ from those of other lists; nil if only they show it.
    var ownKey: Key? {
        keyOfList ?? resource.declaration.within.flatMap { resource.field(named: $0) }.flatMap(given)
    }

    /// The value that the list's rows take from its parent or an argument.
    private func given(_ field: ResourceField) -> Key? {
        switch field.declaration.origin {
        case .parent(let name): question.parent?[name]?.key
        case .argument(let name):
            question.argument(name).flatMap { value in
                field.type == .integer ? Int64(value).map { .integer($0) } : .text(value)
            }
        case .path, .memberName, .place: nil
        }
    }

    /// The rows that the list must contain, as far as its parent and its stored pages determine them.
    func coveredRows(in reading: borrowing Reading) throws -> Query? {
        switch coverage {
        case nil: return nil
        case .all: return Query(resource.collection)
        case .key(let key): return Query(resource.collection, .equal(key))
        case .sharing(let field, let index):
            let parentValue = question.arguments.isEmpty ? given(field) : nil
            let value = try parentValue ?? firstValue(of: field, in: reading)
            return value.map { Query(resource.collection, by: index, .equal($0)) }
        }
    }

    /// The value of a field in the first row of the stored pages that has one, of those that no other list has returned
    /// since: those may belong to another parent by now.
    private func firstValue(of field: ResourceField, in reading: borrowing Reading) throws -> Key? {
        var position: Int64 = 0
        while let page = try page(at: position, in: reading) {
            for word in page.keys {
                if let key = KeyText.key(word.text, of: resource),
                    let item = try reading.item(key, of: resource), let value = item[field]?.key,
                    item.listedNumber <= page.changeNumber ?? .max
                {
                    return value
                }
            }
            position += 1
        }
        return nil
    }
}

extension ItemValue {
    /// The value as a key; nil for a real number, which no key contains.
    fileprivate var key: Key? {
        switch self {
        case .text(let text), .json(let text): .text(text)
        case .integer(let number): .integer(number)
        case .boolean(let isTrue): .integer(isTrue ? 1 : 0)
        case .time(let time): .integer(time.milliseconds)
        case .real: nil
        }
    }
}
