import PatchbayCore
import PatchbayDomain

/// The rows of a page after those with the keys of other rows were left out.
struct SavedRows {
    /// The keys of the page's rows, in its order.
    var keys: [KeyText]
    /// Why rows are missing; nil when none was left out.
    var shortfall: Shortfall?
    var changes: RowChanges
}

/// A row of an answer that differs from the stored row with its key.
private typealias Difference = (stored: Item, fetched: Item)

/// Rows with the keys of other rows: of the same page (``Identified``), of an earlier page of the same run, or of the
/// list of another parent or argument. The row that was stored first stays.
///
/// A row that moved to a later page while the list was read may have new values, so they are taken if the rows of the
/// page before moved as well, or if the row has a time after the beginning of the run, in the precision of that time.
extension LinkedList {
    /// The maximum number of stored pages that are searched for the keys of changed rows.
    private static var pagesMax: Int64 { 1_000 }

    /// Saves the rows of a page, except those with the keys of other rows.
    ///
    /// - Parameters:
    ///   - run: the run at this page; its pages before were fetched by it. A run with ``StoredListRun/since`` has none,
    ///     because its rows come again by intention.
    ///   - before: the state when the page was requested.
    func saveIdentified(
        _ page: ItemPage, of run: StoredListRun, since before: StoredBefore, in writing: inout Writing,
        at time: Timestamp
    ) throws -> SavedRows {
        let identified = Identified(page.items, of: resource)
        var saved = SavedRows(
            keys: identified.keys, shortfall: identified.shortfall ?? page.shortfall, changes: RowChanges())
        let hasPagesBefore = run.since == nil && run.position > 0
        guard question.isList else {
            saved.changes = try writing.saveFound(
                identified.items, of: resource, at: time, from: identity, since: before)
            return saved
        }
        guard hasPagesBefore || resource.declaration.keyDoubt != nil else {
            saved.changes = try writing.save(
                identified.items, of: resource, at: time, from: identity, since: before, absent: page.absent)
            return saved
        }
        var differences: [Difference] = []
        saved.changes = try writing.save(
            identified.items, of: resource, at: time, from: identity, since: before, absent: page.absent
        ) { stored, fetched in
            if stored.withRow({ ItemState.isGone($0) }) { return false }
            if fetched.hasKnownValues(of: stored, ignoringPlace: true) { return false }
            differences.append((stored, fetched))
            return true
        }
        guard !differences.isEmpty else { return saved }
        let clashes = try clashes(differences, saved.keys, of: run, in: writing.reading)
        let taken = differences.filter { !clashes.keys.contains(KeyText($0.fetched.key)) }
        saved.changes += try writing.save(
            taken.map(\.fetched), of: resource, at: time, from: identity, since: before, absent: page.absent)
        if let first = clashes.first {
            saved.keys.removeAll { clashes.keys.contains($0) }
            saved.shortfall =
                saved.shortfall
                ?? .clash(
                    clashes.keys.count, of: page.items.count, first.stored, first.fetched, resource,
                    isOfAnotherList: clashes.isOfAnotherList)
        }
        return saved
    }

    /// The changed rows of a page that are not the stored ones, although they have their keys.
    private struct Clashes {
        var keys: Set<KeyText> = []
        var first: Difference?
        var isOfAnotherList = false

        mutating func add(_ difference: Difference) {
            keys.insert(KeyText(difference.fetched.key))
            first = first ?? difference
        }
    }

    private func clashes(
        _ differences: [Difference], _ keys: [KeyText], of run: StoredListRun, in reading: borrowing Reading
    ) throws -> Clashes {
        let wanted = Set(differences.map { KeyText($0.fetched.key) })
        // A row that was fetched in this run may be on any of its pages.
        let isRecent = differences.contains { difference in
            difference.stored.state.fetchedAt.map { $0 >= run.startedAt } ?? false
        }
        let places = try places(of: wanted, around: run, fromStart: isRecent, in: reading)
        var clashes = Clashes(), moved: Set<KeyText>?
        if run.since == nil {
            for difference in differences {
                let key = KeyText(difference.fetched.key)
                guard let place = places[key], place < run.position else { continue }
                let known = try moved ?? self.moved(keys, to: run.position, in: reading)
                moved = known
                let (stored, fetched) = difference
                if !known.contains(key), !fetched.hasChanged(stored, by: sinceField, since: run.answeredAt) {
                    clashes.add(difference)
                }
            }
        }
        let foreign = differences.filter { places[KeyText($0.fetched.key)] == nil }
        guard clashes.first == nil, resource.declaration.keyDoubt != nil, !foreign.isEmpty,
            try isListedElsewhere(Set(foreign.map { KeyText($0.fetched.key) }), in: reading)
        else { return clashes }
        clashes.isOfAnotherList = true
        for difference in foreign { clashes.add(difference) }
        return clashes
    }

    /// The first of the stored pages of this list that contain some keys.
    private func places(
        of keys: Set<KeyText>, around run: StoredListRun, fromStart: Bool, in reading: borrowing Reading
    ) throws -> [KeyText: Int64] {
        var places: [KeyText: Int64] = [:]
        let position = run.since == nil ? run.position : 0
        try scan(
            from: fromStart ? 0 : max(0, position - Self.pagesMax), to: position + Self.pagesMax,
            fields: .all, in: reading
        ) { page in
            for key in page.keys where keys.contains(key) && places[key] == nil {
                places[key] = page.position
            }
        }
        return places
    }

    /// The first rows of a page that are the last ones of the page before, as after a row was inserted before them.
    /// None for a page that has come again as a whole: its answers may be parts of the same rows.
    private func moved(
        _ keys: [KeyText], to position: Int64, in reading: borrowing Reading
    ) throws -> Set<KeyText> {
        guard let before = try page(at: position - 1, in: reading)?.keys else { return [] }
        let count = (0...min(keys.count, before.count)).last {
            before.suffix($0).elementsEqual(keys.prefix($0))
        }
        return keys == before ? [] : Set(keys.prefix(count ?? 0))
    }

    /// Whether a list of the same kind, but of another parent or argument, contains one of the keys.
    private func isListedElsewhere(_ keys: Set<KeyText>, in reading: borrowing Reading) throws -> Bool {
        let collection = resource.collection.name
        var kind = collection
        if case .list(let name?) = question.subject { kind += ".\(name)" }
        var isFound = false, left = Self.pagesMax
        try reading.scan(Query(StoredListPage.collection, ListName.withArguments(kind).bounds)) { row in
            let page = StoredListPage(row)
            let isOurs = ListName.isName(page.list, of: question.name)
            guard !isOurs, !ListName.isSearch(page.list, in: collection) else { return .next }
            isFound = page.keys.contains(where: keys.contains)
            left -= 1
            return isFound || left == 0 ? .stop : .next
        }
        return isFound
    }
}

extension Timestamp {
    /// The last second that the time may mean.
    fileprivate var latest: Timestamp {
        let unit: Int64 = isMidnight ? 86_400 : milliseconds.isMultiple(of: 60_000) ? 60 : 1
        return advanced(by: .seconds(unit - 1))
    }
}

extension Item {
    /// Whether a time of the row is not earlier than another one; false when that is unknown.
    ///
    /// - Parameters:
    ///   - former: the row with the same key.
    ///   - edited: the field of the last change (`NAME.since`). In whole minutes it may be any moment of its minute,
    ///     and a date any of its day. Of two rows with the same date, both may be there; in the same minute, a row
    ///     was edited twice. Other times may belong to what a row is about.
    fileprivate func hasChanged(_ former: Item, by edited: ResourceField?, since start: Timestamp?) -> Bool {
        guard let start else { return false }
        return resource.fields.contains { field in
            guard case .time(let time)? = self[field] else { return false }
            guard field.name == edited?.name else { return time >= start }
            if time.isMidnight, former[field] == self[field] { return false }
            return time.latest >= start
        }
    }
}

/// The rows of one answer that have keys of their own. The first row with a key stays; a later one with other values is
/// left out, because it would overwrite a row that is not the same.
///
/// The same row twice with the same values is normal, and counts once.
struct Identified {
    private(set) var items: [Item]
    /// The keys of all rows of the answer, in its order.
    private(set) var keys: [KeyText]
    /// The number of rows that were left out.
    private(set) var clashes = 0
    /// The first row that was left out, with the one that has its key.
    private var example: (first: Item, other: Item)?
    private let count: Int
    private let resource: Resource

    init(_ items: [Item], of resource: Resource) {
        self.items = items
        self.resource = resource
        keys = items.map { KeyText($0.key) }
        count = items.count
        guard Set(keys).count < count else { return }
        var first: [KeyText: Item] = [:]
        self.items = zip(keys, items).compactMap { key, item in
            guard let known = first.updateValue(first[key] ?? item, forKey: key) else { return item }
            if known != item {
                clashes += 1
                example = example ?? (known, item)
            }
            return nil
        }
    }

    /// Why rows are missing; nil when no two rows with one key differ.
    var shortfall: Shortfall? {
        example.map { Shortfall.clash(clashes, of: count, $0.first, $0.other, resource) }
    }
}

extension Shortfall {
    /// The shortfall of rows that were left out because other rows have their keys.
    ///
    /// - Parameter isOfAnotherList: whether the first row is in the list of another parent or argument.
    static func clash(
        _ clashes: Int, of count: Int, _ first: Item, _ other: Item, _ resource: Resource,
        isOfAnotherList: Bool = false
    ) -> Shortfall {
        let noun = resource.name.withHyphens
        let key = resource.declaration.key.map(\.withHyphens).joined(separator: " ")
        let field = resource.fields.first { first[$0] != other[$0] }
        let values = [first, other].map { item in
            Quotation.quoted(field.flatMap { item[$0]?.description } ?? "")
        }.joined(separator: ", ")
        let rows = clashes == 1 ? "has" : "have"
        let row = isOfAnotherList ? "another row in another list" : "another row"
        let advice = isOfAnotherList ? resource.declaration.keyDoubt.map { "; \($0)" } : nil
        return Shortfall(
            .keys,
            "\(clashes) of \(count) rows \(rows) the key of \(row); \(noun).key = \(key) does not identify them "
                + "(\(field?.name.withHyphens ?? "") \(values) under key \(Quotation.quoted(first.keyText)))"
                + (advice ?? "")
        ).located(in: resource.declaration)
    }
}
