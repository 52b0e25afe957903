import PatchbayCore
import PatchbayDomain

extension Gateway {
    /// A list of any length in batches.
    ///
    /// - Parameters:
    ///   - question: made by ``question(_:list:arguments:after:)``.
    ///   - limit: the number of rows in all, at least 1.
    ///   - maximum: the greatest number of rows counted from the start of the list; nil for no limit.
    package func batches(
        of question: NamedQuestion, limit: Int, maximum: Int? = nil, policy: Policy
    ) -> ItemBatches {
        precondition(limit > 0 && maximum ?? 1 > 0, "a list has at least 1 row")
        return ItemBatches(question, of: self, limit: limit, maximum: maximum, policy)
    }
}

/// The rows of a list, batch after batch. Of the rows that have come, only hashes of their keys are kept.
///
/// While the source is queried, each batch contains the rows of one page of the source, after they were saved; stored
/// pages are requested conditionally. Otherwise a batch contains stored rows. After a failure the remaining rows come
/// from the storage, and the outcome of each batch is `failed`. Each batch is read in its own transaction, so rows
/// stored meanwhile may appear. A batch fails if the rows before it have changed their places meanwhile, or were
/// cleared, because others could be left out or come twice. A row that is on several pages comes once, with the first
/// of them, if it is one of the first million rows.
package actor ItemBatches {
    /// The greatest number of rows in a batch that comes from the storage alone.
    package static let rowsMax = 1_000
    /// The number of rows whose keys are compared with those that follow.
    private static let shownMax = 1_000_000

    private let question: NamedQuestion
    private let gateway: Gateway
    private let maximum: Int?
    private let policy: Policy

    /// The number of rows that may follow.
    private var left: Int
    /// Whether the maximum ends the list before the limit does.
    private var isLastRoom = false
    private var pages: Pages?
    /// The rows that have come.
    private var shown = DistinctRows()
    private var failure: PatchbayError?
    private var hasRows = false
    private var hasEnded = false

    /// The pages of the list, and where the rows and the requests continue.
    private struct Pages {
        let feed: any ItemListFeed
        /// The row that the list belongs to.
        let parent: Item?
        var place: ListPosition
        var walk: ListWalk
        /// The keys of the rows up to the place, and the number of times the rows had been cleared when they were read.
        var passed = Hasher(), clearings: Int64? = nil
        /// The revision of the storage before the last batch that came from it alone.
        var revision: UInt64? = nil

        /// - Throws: `conflict` when the rows read so far have changed their places or were cleared.
        func requireSamePlaces(in reading: borrowing Reading) throws {
            var (before, now) = (passed, Hasher())
            try feed.combine(feed.start..<place, into: &now, in: reading)
            let cleared = try reading.clearings(of: feed.resource)
            guard before.finalize() != now.finalize() || clearings ?? cleared != cleared else { return }
            throw PatchbayError(
                .conflict,
                "the \(feed.title) have moved in the list while they were read, so that some could be left out or come "
                    + "twice; read the list again")
        }
    }

    init(_ question: NamedQuestion, of gateway: Gateway, limit: Int, maximum: Int?, _ policy: Policy) {
        self.question = question
        self.gateway = gateway
        self.maximum = maximum
        self.policy = policy
        left = limit
    }

    /// The next rows; nil after the last ones. Each answer is an ending.
    ///
    /// Only the first answer and one that reports a failure may have no rows. An answer without a value means that
    /// nothing is stored or, after other answers, that the storage cannot be read.
    package func next() async -> Answer<ItemList>? {
        guard !hasEnded else { return nil }
        do {
            var (stored, outcome) = try await batch()
            let isEmpty = stored.value?.items.isEmpty != false
            note(stored.value?.items ?? [])
            if hasRows, isEmpty {
                if failure == nil, stored.value?.shortfall == nil { return nil }
                stored.value = stored.value ?? ItemList([], .more)
            }
            hasRows = hasRows || !isEmpty
            return stored.answer(outcome, at: gateway.now(), gateway.served)
        } catch {
            hasEnded = true
            return Answer(value: nil, age: nil, outcome: .failed(PatchbayError(wrapping: error)))
        }
    }

    /// Records the rows of a batch that others follow.
    private func note(_ items: [Item]) {
        guard !hasEnded, pages?.feed.mayRepeatRows == true, shown.count < Self.shownMax else { return }
        shown.add(items.lazy.map { KeyText($0.key) })
    }

    /// Why rows of the stored list may be missing; nil when none are. To be called after the first batch.
    package func reason() async throws -> String? {
        guard let feed = pages?.feed else { return nil }
        return try await gateway.store.read { try feed.reason(in: $0) }
    }

    private func batch() async throws -> (LocalFirst<ItemList>.Stored, Outcome) {
        if pages == nil { try await begin() }
        // Nothing is known about the list, not even the row that it belongs to.
        guard pages != nil, left > 0 else {
            hasEnded = true
            let none = maximum.map { ItemList([], .limitReached($0)) }
            return (.init(value: pages == nil ? nil : none), outcome(hasChanged: false))
        }
        var fetched = FetchedPages()
        while isQuerying {
            do {
                fetched += try await fetchPage()
            } catch {
                failure = PatchbayError(wrapping: error)
                break
            }
            var stored = try await read(isQuerying: true)
            if stored.value?.items.isEmpty == false || hasEnded {
                stored.value?.drift = fetched.drift
                return (stored, outcome(hasChanged: fetched.haveChanged))
            }
        }
        var stored = try await read(isQuerying: false)
        stored.value?.drift = fetched.drift
        return (stored, outcome(hasChanged: fetched.haveChanged))
    }

    private var isQuerying: Bool { policy != .localOnly && failure == nil }

    private func outcome(hasChanged: Bool) -> Outcome {
        if let failure { return .failed(failure) }
        return policy == .localOnly ? .localOnly : hasChanged ? .fresh : .unchanged
    }

    /// Determines the list and the number of rows that it may have.
    private func begin() async throws {
        var resolved: ListQuestion?
        if policy != .localOnly {
            try await gateway.sourceStore.check()
            do {
                resolved = try await gateway.resolve(question, isConditional: policy != .refresh)
            } catch {
                failure = PatchbayError(wrapping: error)
            }
        }
        let known = resolved
        let found = try await gateway.store.read { [question] reading -> ListQuestion? in
            if let known { return known }
            return try question.stored(in: reading)
        }
        guard let found else { return }
        let feed = gateway.feed(of: found)
        if let maximum {
            let room = try await gateway.store.read { try feed.room(maximum: maximum, in: $0) }
            isLastRoom = room <= left
            left = min(left, room)
        }
        var run = StoredListRun(list: feed.list, query: feed.query, startedAt: gateway.now())
        (run.position, run.isFromStart) = (feed.start.number, feed.start.number == 0)
        pages = Pages(
            feed: feed, parent: found.parent, place: feed.start, walk: ListWalk(run))
    }

    /// Fetches the next page and saves it.
    private func fetchPage() async throws -> FetchedPages {
        // The rows of a long last page may need several batches.
        guard var pages, pages.walk.run.finishedAt == nil else { return FetchedPages() }
        try Task.checkCancellation()
        let fetched = try await pages.feed.fetchPage(of: &pages.walk, isConditional: policy != .refresh)
        self.pages = pages
        return fetched
    }

    /// Reads the rows up to the cursor, or a batch of stored rows, and sets how the list continues.
    private func read(isQuerying: Bool) async throws -> LocalFirst<ItemList>.Stored {
        guard let pages else { return .init() }
        let place = pages.place, run = isQuerying ? pages.walk.run : nil, feed = pages.feed
        let limit = min(left, isQuerying ? Limits.pageRows : Self.rowsMax)
        let revision = isQuerying ? nil : try await gateway.store.revision()
        // Saving pages changes the revision, too, but not the places of earlier rows.
        let before = pages, isChecked = isQuerying || pages.revision != revision, shown = shown
        var (stored, after) = try await gateway.store.read { reading in
            if isChecked { try before.requireSamePlaces(in: reading) }
            var after = before
            let stored = try feed.batch(from: place, limit: limit, before: run, except: shown, in: reading)
            if !isQuerying { after.revision = revision }
            if let end = stored.value?.end {
                try feed.combine(place..<end, into: &after.passed, in: reading)
                after.place = end
            }
            after.clearings = try before.clearings ?? reading.clearings(of: feed.resource)
            return (stored, after)
        }
        self.pages = after
        let count = stored.value?.items.count ?? 0
        left -= count
        // While the source is queried, it determines where the list ends.
        hasEnded =
            left == 0 || (isQuerying ? pages.walk.run.finishedAt != nil && count < limit : count < limit)
        stored.value?.parent = pages.parent
        if let maximum, isLastRoom, left == 0, stored.value?.state == .more {
            stored.value?.state = .limitReached(maximum)
            stored.value?.hasMore = false
            stored.value?.next = nil
        }
        return stored
    }
}
