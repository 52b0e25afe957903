import PatchbayCore
import PatchbayDomain

/// What a search finds, as a list that is kept like any other.
struct SearchList<Item: Sendable>: Sendable {
    let store: SourceStore
    let now: @Sendable () -> Timestamp
    let served: StoredAnswerListener
    let settings: SearchSettings
    let subject: String
    /// ``Source/identity``.
    let source: String
    let ask: @Sendable (PageRequest<String>, Validator) async throws -> Fetched<SearchPage<Item>>
    let key: @Sendable (Item) -> String
    let save: @Sendable (Item, inout Writing, Timestamp) throws -> Void
    let confirm: @Sendable (String, inout Writing) throws -> Void
    let item: @Sendable (String, borrowing Reading) throws -> Item?
    /// What is stored and begins with a text, found along indexes, so many at most.
    var matches: @Sendable (SearchText, Int, borrowing Reading) throws -> LocalMatches<Item> = { _, _, _ in
        LocalMatches()
    }

    func answers(_ request: SearchRequest) -> Answers<SearchWindow<Item>> {
        LocalFirst(
            store: store, policy: request.policy, now: now, served: served,
            begin: {
                let text = try request.searchText()
                do {
                    try await store.inner.note(text, for: subject, after: request.former, settings, at: now())
                } catch let error as PatchbayError where error.isRefusedWrite {
                    // What is stored can still be searched.
                }
            },
            stored: { try await known(request.searchText(), request) },
            refresh: { isConditional in
                let text = try request.searchText(), told = Told<Item>()
                let known = try await store.read { try continued(text, request, $0)?.items.count ?? 0 }
                let hasChanged = try await feed(text, told).refresh(
                    rows: request.end - known, behind: known, isConditional: isConditional, in: store,
                    now: now)
                try await conclude(text, await told.verdict, isWhole: known == 0)
                return (try await store.read { try found(text, request, $0) } ?? .init(), hasChanged)
            }
        ).answers()
    }

    /// Searches while somebody is typing; see ``SearchUsers/session(limit:policy:debounce:clock:)``.
    func session(
        limit: Int, policy: Policy, debounce: Duration?, clock: LayerClock?
    ) -> SearchSession<Item> {
        SearchSession(debounce: debounce ?? settings.debounce, clock: clock ?? LayerClock(now: now)) {
            var request = SearchRequest($0.text, page: 1, limit: limit, policy)
            request.former = $1
            return answers(request)
        }
    }

    private func list(_ text: SearchText) -> String { "\(subject) found by \(text.key)" }

    private func feed(_ text: SearchText, _ told: Told<Item>) -> LinkedFeed<String, Item> {
        LinkedFeed(
            list: list(text), query: list(text), first: text.text,
            ask: { page, validator in
                guard case .changed(let found, let validator) = try await ask(page, validator) else {
                    return .unchanged
                }
                await told.hear(found)
                return .changed(found.page, validator)
            },
            key: key, save: save, confirm: confirm, isShown: { try item($0, $1) != nil })
    }
}

// MARK: - What is stored

extension SearchList {
    private typealias Stored = LocalFirst<SearchWindow<Item>>.Stored

    /// A denial that holds, else what the source found last, else what is stored and begins with the text.
    private func known(_ text: SearchText, _ request: SearchRequest) async throws -> Stored {
        let time = now()
        return try await store.read { reading in
            let denied = try reading.get(StoredDeniedSearch.self, text.rowKey(for: subject))
            if let denied, request.policy != .refresh, denied.source == source,
                denied.holds(at: time, for: settings.denialLifetime)
            {
                return Stored(
                    value: SearchWindow(items: [], goesOn: false, origin: .denied),
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
    }

    /// What the source found last; nil when it was never asked.
    private func found(
        _ text: SearchText, _ request: SearchRequest, _ reading: borrowing Reading
    ) throws -> Stored? {
        let listed = try reading.listed(list(text), limit: request.end, item: item)
        guard let listed else { return nil }
        let items = Array(listed.items.dropFirst(request.offset))
        var window = SearchWindow(items: items, goesOn: listed.goesOn)
        window.isPartial = listed.isPartial
        window.isBehindEnd = items.isEmpty && !listed.isPartial && request.offset > 0 && !listed.items.isEmpty
        if let verdict = try reading.get(StoredSearch.self, .text(list(text))) {
            window.total = verdict.total
            window.isIncomplete = verdict.isIncomplete
            window.cap = listed.goesOn || listed.isPartial ? nil : verdict.cap
        }
        return Stored(value: window, fetchedAt: listed.fetchedAt)
    }

    /// What is stored up to a later page and young enough to be continued; nil when the source is to be asked from the
    /// start.
    private func continued(
        _ text: SearchText, _ request: SearchRequest, _ reading: borrowing Reading
    ) throws -> Listed<Item>? {
        guard request.page > 1, request.policy == .localFirst,
            let listed = try reading.listed(list(text), limit: request.end, item: item)
        else { return nil }
        let time = now()
        // A time in the future comes from a clock that was set back.
        let isYoung =
            listed.fetchedAt <= time && listed.fetchedAt.age(at: time) < SearchLimits.continuationLifetime
        return isYoung ? listed : nil
    }

    /// Local matches; nil when there are none.
    private func local(
        _ text: SearchText, _ request: SearchRequest, _ reading: borrowing Reading
    ) throws -> Stored? {
        let found = try matches(text, request.end + 1, reading)
        guard !found.items.isEmpty else { return nil }
        let window = SearchWindow(
            items: Array(found.items.prefix(request.end).dropFirst(request.offset)),
            goesOn: found.items.count > request.end, origin: .local)
        return Stored(value: window, fetchedAt: found.fetchedAt)
    }
}

// MARK: - What was told

extension SearchList {
    /// Keeps what the source said beside the results, and denies the text when there are none.
    ///
    /// - Parameter isWhole: whether the source was asked from the start of the list.
    private func conclude(_ text: SearchText, _ told: SearchVerdict, isWhole: Bool) async throws {
        let list = list(text), time = now()
        try await store.write { [settings, subject, source] writing in
            var search =
                try writing.reading.get(StoredSearch.self, .text(list))
                ?? StoredSearch(list: list, fetchedAt: time)
            if told.isAnswer {
                search.total = told.total ?? search.total
                search.isIncomplete = told.isIncomplete || !isWhole && search.isIncomplete
                search.cap = told.cap
            }
            search.fetchedAt = time
            try writing.put(search)
            try writing.forgetOldSearches()
            let first = try writing.reading.listed(list, limit: 1, item: { key, _ in key })
            let isEmpty = first?.items.isEmpty ?? false
            if isEmpty, !search.isIncomplete, settings.denialLifetime > .zero {
                try writing.deny(
                    StoredDeniedSearch(text, for: subject, source: source, deniedAt: time),
                    settings.denialLifetime)
            } else {
                try writing.delete(StoredDeniedSearch.self, text.rowKey(for: subject))
            }
        }
    }
}

/// Gathers the verdict of the pages of one search.
private actor Told<Item: Sendable> {
    private(set) var verdict = SearchVerdict()

    func hear(_ page: SearchPage<Item>) {
        verdict.isAnswer = true
        verdict.total = page.total ?? verdict.total
        verdict.isIncomplete = verdict.isIncomplete || page.isIncomplete
        verdict.cap = page.cap ?? verdict.cap
    }
}
