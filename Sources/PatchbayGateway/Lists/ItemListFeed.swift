import PatchbayCore
import PatchbayDomain

/// A list of a resource's rows as a source pages it: what is stored of it, and how to fetch more.
///
/// There are two: ``OrderedList``, which can be entered anywhere, and ``LinkedList``, whose pages are known only by the
/// links between them.
protocol ItemListFeed: ListFeed {
    var question: ListQuestion { get }
    var gateway: Gateway { get }

    /// How the page at a place is asked for.
    func request(of place: Place) -> ItemRequest

    /// When the page at a place was fetched last; nil when it is not stored.
    func fetchedAt(_ place: Place) -> Timestamp?

    /// Whether the first page of the list is stored.
    func hasStart(in reading: borrowing Reading) throws -> Bool

    /// The rows as far as they are stored; nothing when nothing is known about them.
    func stored(
        _ extent: ListExtent, in reading: borrowing Reading
    ) throws -> LocalFirst<ItemList>.Stored

    /// Fetches the pages that the rows lie in, each saved before the next is asked for.
    ///
    /// - Returns: whether anything has changed.
    func refresh(_ extent: ListExtent, isConditional: Bool) async throws -> Bool

    /// The place, to be requested whatever is stored.
    func unconditional(_ place: Place) -> Place

    // What batches need; see `ItemBatches`.

    /// Where the first batch starts.
    var start: ListPosition { get }

    /// How many rows the list may show from its start when it has at most `maximum` in all.
    func room(maximum: Int, in reading: borrowing Reading) throws -> Int

    /// The stored rows from a place on; nothing when none is known there.
    ///
    /// - Parameter run: the rows on the pages before its cursor alone; nil for all that is stored.
    func batch(
        from place: ListPosition, limit: Int, before run: StoredListRun?, in reading: borrowing Reading
    ) throws -> LocalFirst<ItemList>.Stored

    // What a window needs; see `WindowList`.

    func later(
        _ place: WindowPlace<ListPosition>, limit: Int, maximum: Int?, acrossGaps: Bool,
        in reading: borrowing Reading
    ) throws -> LaterItems<ListedItem>

    func earlier(
        than position: ListPosition?, limit: Int, in reading: borrowing Reading
    ) throws -> [ListedItem]

    func gaps(among items: [ListedItem], in reading: borrowing Reading) throws -> [ListPosition]

    func position(at fraction: Double, in reading: borrowing Reading) throws -> ListPosition?

    /// A list of more than 100 pages counts as one that goes on.
    func isWhole(in reading: borrowing Reading) throws -> Bool

    /// Asks the source until something is stored after a place, or the list ends there.
    func extend(_ place: WindowPlace<ListPosition>, maximum: Int?) async throws
}

extension ItemListFeed {
    var title: String { question.title }

    func name(of place: Place) -> String {
        let request = request(of: place), question = request.question
        let since = question.since.map { " since \($0)" } ?? ""
        return "\(query) after \(question.after)\(since) \(request.next ?? "")"
    }

    /// The stage of a sync that fetches all of the list.
    func stage(from start: SyncStart, _ gateway: Gateway) -> any SyncStage {
        ListStage(self, in: gateway.sourceStore, from: start, now: gateway.now) {
            [resource = question.resource] in
            gateway.isFresh($0, resource)
        }
    }

    /// Fetches and saves the page at a cursor; the cursor of an interrupted sync stays where it is.
    ///
    /// - Parameter followed: the links that led to the cursor, so that a circle is noticed.
    /// - Returns: the cursor moved to the next page, and whether the page has changed.
    func fetchPage(
        at run: StoredListRun, after followed: FollowedLinks, isConditional: Bool
    ) async throws -> (run: StoredListRun, isNew: Bool) {
        let store = gateway.sourceStore, time = gateway.now
        let requested = try await store.request {
            name(of: $0)
        } look: { reading, before in
            let place = try place(of: run, in: reading)
            let isSaved = before.map { fetchedAt($0) != fetchedAt(place) } ?? isFetched(place, since: run)
            return isSaved ? .nothing(place) : .request(place)
        } send: {
            try await fetch(isConditional ? $0 : unconditional($0))
        } save: { fetched, place, writing in
            let place = isConditional ? place : unconditional(place)
            let moved = try move(run, past: fetched, at: place, followed, in: &writing, at: time())
            if case .changed = fetched { return (moved, true) }
            return (moved, false)
        }
        switch requested {
        case .saved(let (moved, isNew)): return (moved, isNew)
        case .savedByAnother(let place):
            let moved = try await store.write {
                try move(run, past: .unchanged, at: place, followed, in: &$0, at: time())
            }
            return (moved, true)
        }
    }

    /// Whether another gateway saved a page since a walk began. Unknown when its clock is ahead of this one's.
    private func isFetched(_ place: Place, since run: StoredListRun) -> Bool {
        guard gateway.sourceStore.leases != nil, let time = fetchedAt(place) else { return false }
        return time > run.startedAt && time <= gateway.now()
    }

    /// Saves a page, and moves the cursor behind it.
    private func move(
        _ run: StoredListRun, past fetched: Fetched<Content>, at place: Place, _ followed: FollowedLinks,
        in writing: inout Writing, at time: Timestamp
    ) throws -> StoredListRun {
        var moved = run
        moved.pages += 1
        _ = try save(fetched, at: place, moving: &moved, in: &writing, at: time)
        try followed.check(moved, from: run, of: title)
        return moved
    }

    /// Fetches the first page unless it is stored; returns how many rows it held.
    func initialize(_ gateway: Gateway) async throws -> Int? {
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

/// Which rows of a list are wanted.
struct ListExtent: Sendable {
    /// How many rows stand before them, from where the question enters the list.
    var skipped = 0
    var limit: Int
    /// How many rows the list has at most from its start on.
    var maximum: Int?
}

extension Gateway {
    /// The list, by the way that the source pages it. Only a list of the whole collection is taken for one in order:
    /// rows between two of another list may be no part of it.
    func feed(of question: ListQuestion) -> any ItemListFeed {
        guard let order = question.resource.order, question.isWholeCollection, question.canBeEntered else {
            return LinkedList(question, of: self)
        }
        return OrderedList(question, by: order, of: self)
    }
}

extension ListQuestion {
    /// What the definition says about the list; nil for a search.
    var declaration: ListDeclaration? {
        guard case .list(let name) = subject else { return nil }
        let lists = resource.declaration.lists
        return lists.first { $0.name == name } ?? (name == nil ? lists.first : nil)
    }

    /// Whether the list holds every row that the source shows.
    var isWholeCollection: Bool {
        subject == .list(nil) && arguments.isEmpty && parent == nil
    }

    fileprivate var canBeEntered: Bool { declaration?.template.parameters.contains(.after) ?? false }
}
