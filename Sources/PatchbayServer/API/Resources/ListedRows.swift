import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// A stretch of a list of the source, from the parameters of a request.
struct ListedRows: Sendable {
    let served: ServedResource
    let question: NamedQuestion
    let skipped: Int
    /// The rows of the page before; nil at the start of a list, and in an ordered list.
    let former: FormerRows?
    let limit: Int
    let policy: Policy
    /// The digest to which page tokens belong.
    let stretch: UInt64

    /// - Throws: `Problem` for an unknown list, missing arguments, or a token of another list.
    init(_ request: APIRequest, of served: ServedResource) throws {
        self.served = served
        let named = try NamedList(request, of: served)
        stretch = request.stretch(of: served.name)
        policy = try served.policy(of: request)
        // Lists of a source can only be read forwards.
        guard !request.has(.before) else { throw PageToken.unknown(.before) }
        var after: Int64 = 0, skipped = 0, former: FormerRows?
        if let token = request.text(.after) {
            switch try PageToken.position(token, of: stretch) {
            case .order(let value) where named.isOrdered: after = max(0, value)
            case .list(let rows, let passed): (former, skipped) = (rows, passed)
            default: throw PageToken.unknown(.after)
            }
        }
        question = try named.question(after: after)
        self.skipped = skipped
        self.former = former
        limit = min(request.integer(.limit) ?? Parameter.rowsUsual, Limits.pageRows - skipped)
    }

    func answers(_ policy: Policy) -> Answers<ItemList> {
        guard let former else { return served.gateway.list(question, limit: limit, policy: policy) }
        return served.gateway.list(
            question, after: former, skipping: skipped, limit: limit, policy: policy)
    }

    /// Returns the start of the next page; nil when there is none or too many rows would have to be skipped.
    func next(after list: ItemList) -> PagePosition? {
        if let next = list.next { return .order(next) }
        let passed = skipped + list.items.count
        guard list.hasMore, passed < Limits.pageRows, let first = list.items.first, let last = list.items.last
        else { return nil }
        return .list(
            FormerRows(first: KeyText(first.key), last: KeyText(last.key), count: list.items.count), passed)
    }
}

/// A list of the source, selected by the parameters `list` and `of`.
struct NamedList: Sendable {
    private let served: ServedResource
    private let name: String?
    private let words: [String]
    private let declaration: ListDeclaration

    /// - Throws: `Problem` for an unknown list or missing arguments.
    init(_ request: APIRequest, of served: ServedResource) throws(Problem) {
        try self.init(request.text(.list), of: request.texts(.of), served)
    }

    /// - Throws: `Problem` for an unknown list or missing arguments.
    init(_ name: String?, of words: [String], _ served: ServedResource) throws(Problem) {
        self.served = served
        self.words = words
        let resource = served.resource, lists = resource.declaration.lists
        let found = name == nil ? lists.first : lists.first { $0.name == name }
        guard let found else {
            let names = lists.compactMap(\.name)
            throw .invalid(
                Parameter.list.name,
                "there is no list \"\(name ?? "")\" of \(resource.plural); "
                    + (lists.isEmpty
                        ? "there are none"
                        : names.isEmpty
                            ? "there is only one, without a name" : "known: \(names.joined(separator: ", "))")
            )
        }
        declaration = found
        // The default of a view may be another one than that of the resource.
        self.name = found.name ?? name
        guard words.count == found.words.count else {
            let needed = found.words.joined(separator: ", ")
            throw .invalid(
                Parameter.of.name,
                found.words.isEmpty
                    ? "the list of \(resource.plural) needs no value; leave the parameter out"
                    : "the list of \(resource.plural) needs \(needed), "
                        + (found.words.count == 1 ? "in one \"of\"" : "each in its own \"of\"")
                        + ", and " + Count.words(words.count, "was given", "were given")
            )
        }
    }

    /// Whether the list can start after a value of its order.
    var isOrdered: Bool { declaration.template.parameters.contains(.after) }

    func question(after value: Int64 = 0) throws -> NamedQuestion {
        try served.gateway.question(served.full, list: name, arguments: words, after: value)
    }
}

extension API {
    func list(_ list: ListedRows, _ rows: RowsAnswer, _ request: APIRequest) async throws -> ServerResponse {
        if rows.isLines, !request.has(.limit) { return try await streamList(list, rows, request) }
        let policy = list.policy
        let background = { @Sendable [self] in
            if policy == .localFirst { refresh(request) { _ = await list.answers(policy).ending } }
        }
        return try await answer(
            request, from: list.served.store, question: request.question, policy: policy,
            unread: background
        ) {
            let chosen = await ServedAnswer(list.answers(policy), policy, isWhole: \.isWhole)
            if chosen.isContinued { background() }
            let answer = try chosen.served()
            var provenance = chosen.provenance(from: list.served.gateway.source.name)
            let summary = ListSummary(answer, limit: list.limit)
            provenance.hasMore = summary.hasMore
            provenance.isComplete = summary.isComplete
            provenance.reason = summary.reason
            let next = answer.value.flatMap(list.next).map {
                request.address(.after, PageToken.text($0, of: list.stretch))
            }
            let body = try await rows.body(answer.value?.items ?? [], of: list.served.gateway)
            return APIAnswer(body, provenance, next: next)
        }
    }

    /// Queries the source after the answer was sent.
    func refresh(_ request: APIRequest, _ ask: @escaping @Sendable () async -> Void) {
        refreshes.begin(request.question, ask)
    }

    /// Streams all rows of a list in batches. Without a policy they come from the storage, so that a whole list is
    /// fetched only on request.
    private func streamList(
        _ list: ListedRows, _ rows: RowsAnswer, _ request: APIRequest
    ) async throws -> ServerResponse {
        guard list.former == nil else {
            throw Problem.invalid(
                Parameter.after.name, "all rows are read from the start; add a limit, or leave this out")
        }
        let policy = request.policy ?? .localOnly
        let batches = list.served.gateway.batches(of: list.question, limit: .max, policy: policy)
        let first = try await batches.next()?.served()
        var provenance = first.map { Provenance($0, from: list.served.gateway.source.name) }
        if let first {
            let summary = ListSummary(first, limit: ItemBatches.rowsMax)
            provenance?.isComplete = summary.beginsCompleteList
            provenance?.reason = summary.beginsCompleteList == false ? summary.reason : nil
            let isStored = policy == .localOnly || first.outcome.error != nil
            if isStored, summary.beginsCompleteList == nil {
                provenance?.note(try await batches.reason())
            }
        }
        let isOpen = provenance?.isComplete == nil && first?.outcome.error == nil
        let write: @Sendable (ServerResponse.Writer) async throws -> Void = { writer in
            var batch = first, shortfall: Shortfall?
            while let answer = batch {
                // The head of the answer does not state it, so the answer has no end.
                if isOpen, let error = answer.outcome.error { throw error }
                let value = try answer.served().value
                shortfall = shortfall ?? value?.shortfall
                if let items = value?.items, !items.isEmpty {
                    try await writer.write(rows.body(items, of: list.served.gateway))
                }
                batch = await batches.next()
            }
            if isOpen, let shortfall { throw PatchbayError(.invalidResponse, shortfall.reason) }
        }
        let known = provenance
        var response = try await stream(request, from: list.served.store) { (known, write) }
        guard response.head.status == .ok, known != nil else { return response }
        // Rows that the source sends meanwhile belong to later revisions.
        if policy != .localOnly { response.head.headerFields[.eTag] = nil }
        return response
    }
}
