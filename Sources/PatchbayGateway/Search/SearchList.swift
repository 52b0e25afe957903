import PatchbayCore
import PatchbayDomain

/// What a query finds, as a list that is kept like any other.
struct SearchList<Item: Sendable>: Sendable {
    /// The bytes of a query; it stands in a key.
    static var queryBytesMax: Int { 400 }

    let store: Store
    let now: @Sendable () -> Timestamp
    let noun: String
    let query: String
    let limit: Int
    let ask: @Sendable (PageRequest<String>, Validator) async throws -> Fetched<SearchPage<Item>>
    let key: @Sendable (Item) -> String
    let save: @Sendable (Item, inout Writing, Timestamp) throws -> Void
    let item: @Sendable (String, borrowing Reading) throws -> Item?

    func answers(_ policy: Policy) -> Answers<SearchWindow<Item>> {
        precondition((1...Limits.pageRows).contains(limit), "a window has 1 to \(Limits.pageRows) rows")
        return LocalFirst(policy: policy, now: now) {
            try await stored(of: checked())
        } refresh: { isConditional in
            let query = try checked()
            let told = Told<Item>()
            let hasChanged = try await feed(query, told).refresh(
                rows: limit, isConditional: isConditional, in: store, now: now)
            var stored = try await stored(of: query)
            stored.value = await told.added(to: stored.value)
            return (stored, hasChanged)
        }.answers()
    }

    /// The query without white space around it.
    private func checked() throws -> String {
        var text = query[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        guard !text.isEmpty, text.utf8.count <= Self.queryBytesMax, !text.utf8.contains(0) else {
            throw PatchbayError(
                .invalidValue, "a query has 1 to \(Self.queryBytesMax) bytes, this one has \(text.utf8.count)"
            )
        }
        return String(text)
    }

    private func list(_ query: String) -> String { "\(noun) found by \(query)" }

    private func feed(_ query: String, _ told: Told<Item>) -> LinkedFeed<String, Item> {
        LinkedFeed(
            list: list(query), query: list(query), first: query,
            ask: { page, validator in
                guard case .changed(let found, let validator) = try await ask(page, validator) else {
                    return .unchanged
                }
                await told.hear(found)
                return .changed(found.page, validator)
            },
            key: key, save: save)
    }

    private func stored(of query: String) async throws -> LocalFirst<SearchWindow<Item>>.Stored {
        let list = list(query)
        return try await store.read { reading in
            guard let listed = try reading.listedKeys(of: list, limit: limit) else { return .init() }
            var items: [Item] = []
            for key in listed.keys { if let item = try item(key, reading) { items.append(item) } }
            return .init(
                value: SearchWindow(items: items, goesOn: listed.goesOn), fetchedAt: listed.fetchedAt)
        }
    }
}

/// What a source says beside the results of a search; it is not kept.
private actor Told<Item: Sendable> {
    private var total: Int64?
    private var isIncomplete = false
    private var cap: Int64?

    func hear(_ page: SearchPage<Item>) {
        total = page.total ?? total
        isIncomplete = isIncomplete || page.isIncomplete
        cap = page.cap ?? cap
    }

    func added(to window: SearchWindow<Item>?) -> SearchWindow<Item>? {
        var window = window
        window?.total = total
        window?.isIncomplete = isIncomplete
        window?.cap = cap
        return window
    }
}
