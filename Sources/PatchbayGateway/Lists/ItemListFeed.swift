import PatchbayCore
import PatchbayDomain

/// A list of a resource's rows as a source pages it: its stored rows, and the requests that fetch more.
///
/// There are two kinds: ``OrderedList``, which can be entered anywhere, and ``LinkedList``, whose pages can be reached
/// only by following links.
protocol ItemListFeed: ListFeed {
    var question: ListQuestion { get }

    /// Whether a row of a stored page has listed values that changed after a change number, or is no longer stored.
    func hasChange(
        of page: Page, after number: Int64, in reading: borrowing Reading
    ) throws -> Bool

    /// Whether the first page of the list is stored.
    func hasStart(in reading: borrowing Reading) throws -> Bool

    /// The stored rows of an extent; empty when none of its pages is known.
    func stored(
        _ extent: ListExtent, in reading: borrowing Reading
    ) throws -> LocalFirst<ItemList>.Stored

    /// Fetches the pages that contain the rows, and saves each before it requests the next.
    ///
    func refresh(_ extent: ListExtent, isConditional: Bool) async throws -> FetchedPages

    // Used by batches; see `ItemBatches`.

    /// The position where the first batch starts.
    var start: ListPosition { get }

    /// The number of rows that may be shown from where the list is entered if it has at most `maximum` from its start.
    func room(maximum: Int, in reading: borrowing Reading) throws -> Int

    /// Whether a row may be on several pages.
    var mayRepeatRows: Bool { get }

    /// The stored rows from a place on; empty when no page is stored there.
    ///
    /// - Parameters:
    ///   - run: limits the rows to the pages before its cursor; nil for all stored rows.
    ///   - shown: the rows of earlier batches, which are left out.
    func batch(
        from place: ListPosition, limit: Int, before run: StoredListRun?, except shown: DistinctRows,
        in reading: borrowing Reading
    ) throws -> LocalFirst<ItemList>.Stored

    /// Why rows of the whole stored list may be missing; nil when none are.
    func reason(in reading: borrowing Reading) throws -> String?

    /// Adds the keys of the stored rows between two places to a hash, if a place is a number of rows.
    func combine(
        _ places: Range<ListPosition>, into hasher: inout Hasher, in reading: borrowing Reading
    ) throws

    // Used by windows; see `WindowList`.

    func later(
        _ place: WindowPlace<ListPosition>, limit: Int, maximum: Int?, acrossGaps: Bool,
        in reading: borrowing Reading
    ) throws -> LaterItems<ListedItem>

    func earlier(
        than position: ListPosition?, limit: Int, in reading: borrowing Reading
    ) throws -> [ListedItem]

    func gaps(among items: [ListedItem], in reading: borrowing Reading) throws -> [ListPosition]

    func position(at fraction: Double, in reading: borrowing Reading) throws -> ListPosition?

    /// False for a list of more than 100 pages.
    func isWhole(in reading: borrowing Reading) throws -> Bool

    /// Fetches pages until a row after a place is stored, or the list ends there.
    func extend(_ place: WindowPlace<ListPosition>, maximum: Int?) async throws
}

extension ItemListFeed {
    var title: String { question.title }
    /// What answers with rows of the list depend on.
    var identity: String { gateway.source.identity(of: resource) }
    var query: String { "\(identity) \(list)" }

    func name(of place: Place) -> String {
        let request = place.request, question = request.question
        let since = question.since.map { " since \($0)" } ?? ""
        return "\(query) after \(question.after)\(since) \(request.next ?? "")"
    }

    /// The page with its validator only if the rows are still those that it returned. If another answer, or an import,
    /// has changed one since, "unchanged" would confirm a value that the source no longer has.
    func confirmable(_ page: Page, in reading: borrowing Reading) throws -> Page {
        guard page.validator.isCondition, try !isConfirmable(page, in: reading) else {
            return page
        }
        var page = page
        page.validator = Validator()
        return page
    }

    private func isConfirmable(_ page: Page, in reading: borrowing Reading) throws -> Bool {
        // In a copy it is not known whether rows have changed since.
        guard let number = page.changeNumber, !hasParentChanged(after: number) else { return false }
        return try !hasChange(of: page, after: number, in: reading)
    }

    /// Whether the row that the list belongs to has changed after a change number, and rows have values of it.
    private func hasParentChanged(after number: Int64) -> Bool {
        guard let parent = question.parent, parent.listedNumber > number else { return false }
        return resource.fields.contains { field in
            if case .parent = field.declaration.origin { !resource.key.contains(field) } else { false }
        }
    }

    /// The stage of a sync that fetches the whole list.
    func stage(from start: SyncStart) -> any SyncStage {
        ListStage(self, of: question.resource, from: start)
    }

    /// Fetches and saves the page at the cursor of a walk, and moves the walk past it; the cursor of an interrupted
    /// sync stays where it is.
    func fetchPage(of walk: inout ListWalk, isConditional: Bool) async throws -> FetchedPages {
        try await fetchPage(of: &walk, isConditional: isConditional) { _, _ in }.0
    }

    /// The same, with what a closure reads.
    ///
    /// - Parameter look: reads something with the page, in the transaction that saves it.
    func fetchPage<Seen: Sendable>(
        of walk: inout ListWalk, isConditional: Bool,
        look: @Sendable (StoredListRun, borrowing Reading) throws -> Seen
    ) async throws -> (FetchedPages, Seen) {
        let store = gateway.sourceStore, time = gateway.now, from = walk
        let requested = try await store.request {
            name(of: $0)
        } look: { reading, before in
            let place = try place(of: from.run, in: reading)
            let isSaved =
                before.map { $0.stored?.fetchedAt != place.stored?.fetchedAt }
                ?? isFetched(place, since: from.run)
            return isSaved ? .nothing(place) : .request(place)
        } send: {
            try await fetch(isConditional ? $0 : $0.unconditional)
        } save: { fetched, place, writing in
            let place = isConditional ? place : place.unconditional
            let (moved, changes) = try move(from, past: fetched, at: place, in: &writing, at: time())
            let pages = FetchedPages(haveChanged: !fetched.isUnchanged, drift: changes.drift)
            return (moved, pages, try look(moved, writing.reading))
        }
        switch requested {
        case .saved(let (moved, pages, seen)):
            walk.advance(to: moved, hasNewLink: pages.haveChanged)
            return (pages, seen)
        case .savedByAnother(let place):
            let (moved, seen) = try await store.write { writing in
                let (moved, _) = try move(from, past: .unchanged, at: place, in: &writing, at: time())
                return (moved, try look(moved, writing.reading))
            }
            walk.advance(to: moved)
            return (FetchedPages(haveChanged: true), seen)
        }
    }

    /// Whether another gateway saved a page since a run began. False when that cannot be known because its clock is
    /// ahead of this one's.
    private func isFetched(_ place: Place, since run: StoredListRun) -> Bool {
        guard gateway.sourceStore.leases != nil, let time = place.stored?.fetchedAt else { return false }
        return time > run.startedAt && time <= gateway.now()
    }

    /// Fetches the first page unless it is stored; returns the number of its rows.
    func initialize() async throws -> Int? {
        let store = gateway.sourceStore, time = gateway.now
        let first = StoredListRun(list: list, query: query, startedAt: time())
        let requested = try await store.request {
            name(of: $0)
        } look: { reading, _ in
            let place = try place(of: first, in: reading)
            return try hasStart(in: reading) ? .nothing(place) : .request(place)
        } send: {
            try await fetch($0)
        } save: { fetched, place, writing -> Int? in
            guard try !hasStart(in: writing.reading) else { return nil }
            var run = first
            _ = try save(fetched, at: place, moving: &run, in: &writing, at: time())
            return Int(clamping: run.rows)
        }
        guard case .saved(let count) = requested else { return nil }
        return count
    }
}

extension Reading {
    /// Whether a row of a resource has changed after a change number; a row that another program has deleted has none.
    func hasChange(of resource: Resource, after number: Int64) throws -> Bool {
        let later = Bounds.between(.excluding(.integer(number)), nil)
        var hasChange = false
        try scan(Query(resource.collection, by: resource.changeIndex, later, limit: 1)) { _ in
            hasChange = true
            return .stop
        }
        return hasChange
    }
}

/// What the pages that were fetched for an answer have brought.
struct FetchedPages: Sendable {
    /// Whether any of them differs from the stored one.
    var haveChanged = false
    /// How their rows differ from what their definition says.
    var drift = Drift()

    static func += (left: inout FetchedPages, right: FetchedPages) {
        left.haveChanged = left.haveChanged || right.haveChanged
        left.drift += right.drift
    }
}

/// The requested rows of a list.
struct ListExtent: Sendable {
    /// The number of rows before them, counted from where the question enters the list.
    var skipped = 0
    var limit: Int
    /// The greatest number of rows, counted from the start of the list.
    var maximum: Int?
    /// The rows before them, if these are to follow them wherever they are by now.
    var former: FormerRows?
}

extension Gateway {
    /// The feed for a list, chosen by how the source pages it. Only a list of the whole collection can be an ordered
    /// one, because stored rows between two rows of another list may not belong to it.
    func feed(of question: ListQuestion) -> any ItemListFeed {
        guard let order = question.resource.order, question.isWholeCollection, question.canBeEntered else {
            return LinkedList(question, of: self)
        }
        return OrderedList(question, by: order, of: self)
    }
}

extension ListQuestion {
    /// Whether the list contains every row that the source shows.
    var isWholeCollection: Bool {
        subject == .list(nil) && arguments.isEmpty && parent == nil
    }

    fileprivate var canBeEntered: Bool {
        guard case .list(let name) = subject else { return false }
        return resource.declaration.list(named: name)?.template.parameters.contains(.after) ?? false
    }
}
