import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// A walk along an index of stored rows, from the parameters of a request.
struct IndexWalk: Sendable {
    let served: ServedResource
    private var query: Query
    /// The values at which the first page starts; nil for the start of the walk.
    private let at: Key?

    /// The maximum number of rows that one transaction reads, including those no longer listed upstream.
    static let visitsMax = 10_000

    /// - Throws: `Problem` for an unknown index or invalid bounds.
    init(_ request: APIRequest, of served: ServedResource) throws(Problem) {
        self.served = served
        let resource = served.resource
        for other in [Parameter.list, .of] where request.has(other) {
            throw .invalid(
                other.name, "a walk along an index cannot be combined with a list; leave out one of them")
        }
        guard request.policy ?? .localOnly == .localOnly else {
            throw .invalid(
                Parameter.policy.name, "a walk along an index reads only stored rows; leave the policy out")
        }
        let name = request.text(.by) ?? Resource.keyIndexName
        guard let index = resource.namedIndexes.first(where: { $0.name == name }) else {
            throw resource.lacksIndex(name)
        }
        query = Query(resource.collection, by: index.index, try Self.bounds(request, index, resource))
        query.order = request.text(.order) == "descending" ? .descending : .ascending
        at = try request.has(.at) ? Self.key(request.texts(.at), .at, index) : nil
        do {
            _ = try query.keyRange()
            if let at { _ = try query.continued(after: at).keyRange() }
        } catch {
            let given = [Parameter.equal, .prefix, .from, .to, .at].first(where: request.has)
            throw .invalid(given?.name ?? Parameter.by.name, PatchbayError(described: error).message)
        }
    }

    private static func bounds(
        _ request: APIRequest, _ index: NamedIndex, _ resource: Resource
    ) throws(Problem) -> Bounds {
        let given = [Parameter.equal, .prefix, .from, .to].filter(request.has)
        guard let first = given.first else { return .all }
        if given.count > 1, first.name == Parameter.equal.name || first.name == Parameter.prefix.name {
            throw .invalid(given[1].name, "it cannot be combined with \(first.name); leave one out")
        }
        func key(_ parameter: Parameter) throws(Problem) -> Key? {
            try request.has(parameter) ? self.key(request.texts(parameter), parameter, index) : nil
        }
        if let equal = try key(.equal) { return .equal(equal) }
        if let prefix = try key(.prefix) {
            guard case .text = prefix.values.last else {
                throw .invalid(
                    Parameter.prefix.name,
                    "index \(index.name) of \(resource.plural) has no text at this position, so it has no prefixes; "
                        + "use equal, or from and to, or declare an index over a text field")
            }
            return .prefix(prefix)
        }
        return .between(
            try key(.from).map { .including($0) }, try key(.to).map { .including($0) })
    }

    private static func key(
        _ texts: [String], _ parameter: Parameter, _ index: NamedIndex
    ) throws(Problem) -> Key {
        guard texts.count <= index.parts.count else {
            throw .invalid(
                parameter.name,
                "index \(index.name) has \(index.parts.count) values, but \(texts.count) were given")
        }
        var values: [Key] = []
        for (place, text) in texts.enumerated() {
            values.append(try index.value(text, at: place, of: parameter))
        }
        return values.count == 1 ? values[0] : .compound(values)
    }
}

// MARK: - Reading

extension IndexWalk {
    /// The position of a page in a walk.
    enum Place: Sendable {
        /// At the start of the walk, or at the values of the parameter `at`.
        case first
        case after(Key)
        /// Before a key; nil for the end of the walk.
        case before(Key?)
    }

    /// One page of a walk.
    struct Page: Sendable {
        var items: [Item] = []
        /// The key to continue after; nil at the end.
        var next: Key?
        /// The previous page; nil at the start.
        var previous: PagePosition?
        /// Why rows of the walk may be missing; nil when each list of the resource was fetched to its end.
        var reason: String?
    }

    /// The state of the rows before a walk of several pages.
    struct Beginning: Sendable {
        /// ``Page/reason``.
        let reason: String?
        fileprivate let rows: RowsState
    }

    func beginning() async throws -> Beginning {
        try await served.store.store.read {
            Beginning(reason: try served.listReason($0), rows: try $0.rowsState(of: served.full))
        }
    }

    /// Reads a page of rows that the source still lists, in its own transaction.
    ///
    /// - Parameter beginning: the state before the first of several pages that are to have all rows.
    /// - Throws: `conflict` when rows have changed since, because they may have moved to places before the page.
    func page(_ place: Place, limit: Int, since beginning: Beginning? = nil) async throws -> Page {
        try Task.checkCancellation()
        return try await served.store.store.read { reading in
            if let beginning, beginning.reason == nil,
                try reading.rowsState(of: served.full) != beginning.rows
            {
                throw PatchbayError(
                    .conflict,
                    "\(served.resource.plural) have changed while they were read, so that some could be left out or "
                        + "come twice; read them again")
            }
            var page = try page(place, limit, reading)
            page.reason = try beginning == nil ? served.listReason(reading) : nil
            return page
        }
    }

    private func page(_ place: Place, _ limit: Int, _ reading: borrowing Reading) throws -> Page {
        switch place {
        case .first:
            let passed = try at.flatMap { try edge(before: $0, reading) }
            return try page(after: passed, limit, reading)
        case .after(let key): return try page(after: key, limit, reading)
        case .before(let key): return try page(before: key, limit, reading)
        }
    }

    private func page(after place: Key?, _ limit: Int, _ reading: borrowing Reading) throws -> Page {
        let rows = try Stretch(query.continued(after: place), limit, of: served.resource, reading)
        let previous = place.map { _ in PagePosition.before(rows.first) }
        return Page(items: rows.items, next: rows.cut, previous: previous)
    }

    private func page(before place: Key?, _ limit: Int, _ reading: borrowing Reading) throws -> Page {
        let rows = try Stretch(query.reversed.continued(after: place), limit, of: served.resource, reading)
        let next = place.flatMap { _ in rows.first }
        return Page(items: rows.items.reversed(), next: next, previous: rows.cut.map { .before($0) })
    }

    /// Returns the key right before some values of the index; nil when no row precedes them.
    private func edge(before values: Key, _ reading: borrowing Reading) throws -> Key? {
        var edge: Key?
        try reading.scan(query.reversed.continued(after: values)) { row in
            edge = query.collection.key(of: row, in: query.index)
            return .stop
        }
        return edge
    }

    /// Whether a key that a client sent back can belong to this walk.
    func holds(_ place: Key) -> Bool {
        do { _ = try query.continued(after: place).keyRange() } catch { return false }
        return true
    }
}

/// The rows that one transaction reads along an index, or against it.
private struct Stretch {
    var items: [Item] = []
    /// The key of the first row that was read.
    var first: Key?
    /// The key of the last row if more follow.
    var cut: Key?

    init(_ query: Query, _ limit: Int, of resource: Resource, _ reading: borrowing Reading) throws {
        var items: [Item] = [], visits = 0, first: Key?, last: Key?, cut: Key?
        try reading.scan(query) { row in
            if visits == IndexWalk.visitsMax || items.count == limit {
                cut = last
                return .stop
            }
            visits += 1
            if !ItemState.isGone(row) { items.append(Item(row, of: resource)) }
            if visits == 1 || visits == IndexWalk.visitsMax || items.count == limit {
                last = query.collection.key(of: row, in: query.index)
                first = first ?? last
            }
            return .next
        }
        (self.items, self.first, self.cut) = (items, first, cut)
    }
}

extension Query {
    fileprivate var reversed: Query {
        var query = self
        query.order = order == .ascending ? .descending : .ascending
        return query
    }

    fileprivate func continued(after place: Key?) -> Query {
        var query = self
        query.after = place
        return query
    }
}

extension PatchbayError {
    /// Uses the error itself, or a general one if its text is not meant for clients.
    fileprivate init(described error: any Error) {
        self = error as? PatchbayError ?? PatchbayError(.internalError, "an unexpected error occurred")
    }
}
