public import PatchbayCore
public import PatchbayDomain

extension Gateway {
    /// A page of the rows that a text finds: stored results at once, then the source's.
    ///
    /// Stored results are the source's last results or, for a text that was never sent to it, the stored rows whose
    /// handle or shown title begins with the text, marked as local (``SearchWindow/origin``). A text that found nothing
    /// is not sent again for a while (``SearchSettings/denialLifetime``), unless the policy is `refresh`. With the
    /// policy `localFirst` a later page continues the results of the pages before it if these are younger than ten
    /// minutes, so that no page of the source is fetched twice (``SearchWindow/isContinued``). Each search is added to
    /// the recent ones. If the source cannot search the resource, only stored rows are searched.
    ///
    /// - Parameters:
    ///   - text: sent without white space at both ends. An empty text, one of more than 256 characters and one with
    ///     U+0000 fail with `invalidValue` without a request.
    ///   - page: the number of the page, from 1.
    ///   - limit: the number of rows on a page; the page must end within the first 10,000 (`Limits.pageRows`).
    public func search(
        _ resource: Resource, _ text: String, page: Int = 1, limit: Int = 20, policy: Policy = .localFirst
    ) -> Answers<SearchWindow<Item>> {
        ItemSearch(gateway: self, resource: resource)
            .answers(SearchRequest(text, page: page, limit: limit, policy))
    }

    /// Searches while a text is being typed.
    ///
    /// - Parameters:
    ///   - debounce: the time for which a text must stay unchanged before it is searched; nil for the setting's.
    ///   - clock: the clock to wait with; nil for the system's. A test passes its own.
    public func searchSession(
        _ resource: Resource, limit: Int = 20, policy: Policy = .localFirst, debounce: Duration? = nil,
        clock: LayerClock? = nil
    ) -> SearchSession<Item> {
        let list = ItemSearch(gateway: self, resource: resource)
        return SearchSession(
            debounce: debounce ?? search.debounce, clock: clock ?? LayerClock(now: now)
        ) {
            var request = SearchRequest($0.text, page: 1, limit: limit, policy)
            request.former = $1
            return list.answers(request)
        }
    }
}

/// A search whose results are stored like any other list.
struct ItemSearch: Sendable {
    let gateway: Gateway
    let resource: Resource

    /// The word under which recent and denied searches are stored.
    var subject: String { resource.collection.name }
    var settings: SearchSettings { gateway.search }

    func answers(_ request: SearchRequest) -> Answers<SearchWindow<Item>> {
        var request = request
        if resource.declaration.search == nil { request.policy = .localOnly }
        return answers(to: request)
    }

    private func answers(to request: SearchRequest) -> Answers<SearchWindow<Item>> {
        LocalFirst(
            store: gateway.sourceStore, policy: request.policy, now: gateway.now, served: gateway.served,
            begin: {
                let text = try request.searchText(), time = gateway.now()
                if request.policy != .localOnly { try await gateway.sourceStore.check() }
                do {
                    try await gateway.store.note(
                        text, for: subject, after: request.former, settings, at: time)
                } catch let error as PatchbayError where error.isRefusedWrite {
                    // Stored rows can still be searched.
                }
            },
            stored: { try known(request.searchText(), request, $0) },
            refresh: { _, isConditional in
                let text = try request.searchText()
                let known = try await gateway.store.read {
                    try continued(text, request, $0)?.items.count ?? 0
                }
                let pages = try await list(text).refresh(
                    ListExtent(skipped: known, limit: request.end - known), isConditional: isConditional)
                try await conclude(text)
                let found = try await gateway.store.read { try self.found(text, request, $0) }
                return (found ?? .init(), pages.haveChanged)
            }
        ).answers()
    }

    /// The stored list of a search's results.
    func list(_ text: SearchText) -> LinkedList {
        LinkedList(
            ListQuestion(resource, .search(text.text)), of: gateway, list: ListName.search(subject, text.key))
    }
}

// MARK: - Stored results

extension ItemSearch {
    private typealias Stored = LocalFirst<SearchWindow<Item>>.Stored

    /// A denial in effect, otherwise the source's last results, otherwise the stored rows that begin with the text.
    private func known(
        _ text: SearchText, _ request: SearchRequest, _ reading: borrowing Reading
    ) throws -> Stored {
        let time = gateway.now()
        let denied = try reading.get(StoredDeniedSearch.self, text.rowKey(for: subject))
        if let denied, request.policy != .refresh, denied.source == gateway.source.identity(of: resource),
            denied.holds(at: time, for: settings.denialLifetime)
        {
            return Stored(
                value: SearchWindow(items: [], hasMore: false, origin: .denied),
                fetchedAt: denied.deniedAt,
                isFinal: true)
        }
        let found = try found(text, request, reading)
        if var found, let listed = try continued(text, request, reading), !listed.isPartial {
            found.value?.isContinued = true
            found.isFinal = true
            return found
        }
        if let found, !(found.value?.items.isEmpty ?? true) || request.page > 1 { return found }
        return try local(text, request, reading) ?? found ?? Stored()
    }

    /// The source's last results; nil when it was never queried for the text.
    private func found(
        _ text: SearchText, _ request: SearchRequest, _ reading: borrowing Reading
    ) throws -> Stored? {
        let listed = try list(text).listed(limit: request.end, in: reading)
        guard let listed else { return nil }
        let items = Array(listed.items.dropFirst(request.offset))
        var window = SearchWindow(items: items, hasMore: listed.hasMore, origin: .source)
        window.isPartial = listed.isPartial || listed.gapCount > 0
        window.isAfterEnd = items.isEmpty && !listed.isPartial && request.offset > 0 && !listed.items.isEmpty
        window.shortfall = listed.notes.shortfall
        window.isIncomplete = listed.notes.shortfall != nil
        if let verdict = try reading.get(StoredSearch.self, .text(list(text).list)) {
            window.total = verdict.total
            window.isIncomplete = window.isIncomplete || verdict.isIncomplete
            window.missing = try SplitSearch.missing(of: verdict, list(text), in: reading)
            let isEnd = !(listed.hasMore || listed.isPartial)
            window.cap = window.missing != nil || isEnd ? verdict.cap : nil
            // Pages have no fewer rows than are listed, so they are counted only when these are too few.
            if isEnd, !window.isIncomplete, window.missing == nil, window.cap == nil,
                let total = verdict.total, total > listed.items.count
            {
                let missing = try total - list(text).distinctRows(in: reading).count
                if missing > 0 { window.missing = missing }
            }
        }
        return Stored(value: window, fetchedAt: listed.fetchedAt)
    }

    /// The stored results up to a later page if they are young enough to be continued; nil when the source must be
    /// queried from the start.
    private func continued(
        _ text: SearchText, _ request: SearchRequest, _ reading: borrowing Reading
    ) throws -> ListedRows? {
        guard request.page > 1, request.policy == .localFirst,
            let listed = try list(text).listed(limit: request.end, in: reading)
        else { return nil }
        let age = listed.fetchedAt.storedAge(at: gateway.now())
        return age.map { $0 < SearchLimits.continuationLifetime } ?? false ? listed : nil
    }

    /// Local matches; nil when there are none.
    private func local(
        _ text: SearchText, _ request: SearchRequest, _ reading: borrowing Reading
    ) throws -> Stored? {
        let found = try reading.items(of: resource, beginningWith: text, limit: request.end + 1)
        guard !found.isEmpty else { return nil }
        let window = SearchWindow(
            items: Array(found.prefix(request.end).dropFirst(request.offset)),
            hasMore: found.count > request.end, origin: .local)
        return Stored(value: window, fetchedAt: found.compactMap(\.state.fetchedAt).min())
    }
}

// MARK: - Denials

extension ItemSearch {
    /// Denies a text that found nothing, and deletes the results of the oldest searches.
    private func conclude(_ text: SearchText) async throws {
        let list = list(text), time = gateway.now()
        try await gateway.sourceStore.write { writing in
            var search =
                try writing.reading.get(StoredSearch.self, .text(list.list))
                ?? StoredSearch(list: list.list, fetchedAt: time)
            search.fetchedAt = time
            try writing.put(search)
            try writing.forgetOldSearches()
            var isEmpty = try list.hasStart(in: writing.reading)
            try list.scan(from: 0, fields: .all, in: writing.reading) {
                isEmpty = isEmpty && $0.keys.isEmpty
            }
            if isEmpty, !search.isIncomplete, settings.denialLifetime > .zero {
                try writing.deny(
                    StoredDeniedSearch(
                        text, for: subject, source: gateway.source.identity(of: resource), deniedAt: time),
                    settings.denialLifetime)
            } else {
                try writing.delete(StoredDeniedSearch.self, text.rowKey(for: subject))
            }
        }
    }
}
