import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// A walk along an index of stored rows, as the parameters of a request describe it.
struct IndexWalk: Sendable {
    let served: ServedResource
    let index: NamedIndex
    private var query: Query
    /// The values that the first page begins at; nil for the beginning of the walk.
    private let at: Key?

    /// The most rows that one transaction looks at, those that are no longer listed included.
    static let visitsMax = 10_000

    /// - Throws: `Problem` for an index that there is not, and for bounds that it cannot have.
    init(_ request: APIRequest, of served: ServedResource) throws(Problem) {
        self.served = served
        let resource = served.resource
        for other in [Parameter.list, .of] where request.has(other) {
            throw .invalid(
                other.name, "a walk along an index is not part of a list; leave it out, or the index")
        }
        guard request.policy ?? .localOnly == .localOnly else {
            throw .invalid(
                Parameter.policy.name, "only stored rows can be walked along an index; leave it out")
        }
        let name = request.text(.by) ?? Resource.keyIndexName
        guard let index = resource.namedIndexes.first(where: { $0.name == name }) else {
            throw resource.lacksIndex(name)
        }
        self.index = index
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
            throw .invalid(given[1].name, "\(first.name) says already which rows are meant; leave one out")
        }
        func key(_ parameter: Parameter) throws(Problem) -> Key? {
            try request.has(parameter) ? self.key(request.texts(parameter), parameter, index) : nil
        }
        if let equal = try key(.equal) { return .equal(equal) }
        if let prefix = try key(.prefix) {
            guard case .text = prefix.values.last else {
                throw .invalid(
                    Parameter.prefix.name,
                    "index \(index.name) of \(resource.plural) has no texts there that could begin so; "
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
                "index \(index.name) has \(index.parts.count) values, and \(texts.count) were given")
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
    /// Where a page of a walk is.
    enum Place: Sendable {
        /// At the beginning, or where the request says with `at`.
        case first
        case after(Key)
        /// Nil for the end of the walk.
        case before(Key?)
    }

    /// Some rows of a walk.
    struct Page: Sendable {
        var items: [Item] = []
        /// The place to continue after; nil at the end.
        var next: Key?
        /// The page before; nil at the beginning.
        var previous: PagePosition?
    }

    /// The next rows that the source still lists, or those before a place, in a transaction of their own.
    func page(_ place: Place, limit: Int) async throws -> Page {
        try Task.checkCancellation()
        return try await served.store.store.read { reading in
            switch place {
            case .first:
                let passed = try at.flatMap { try edge(before: $0, reading) }
                return try page(after: passed, limit, reading)
            case .after(let key): return try page(after: key, limit, reading)
            case .before(let key): return try page(before: key, limit, reading)
            }
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

    /// The place right before some values of the index; nil when no row comes before them.
    private func edge(before values: Key, _ reading: borrowing Reading) throws -> Key? {
        var edge: Key?
        try reading.scan(query.reversed.continued(after: values)) { row in
            edge = query.collection.key(of: row, in: query.index)
            return .stop
        }
        return edge
    }

    /// Whether a place that a client sent back can be one of this walk's.
    func holds(_ place: Key) -> Bool {
        do { _ = try query.continued(after: place).keyRange() } catch { return false }
        return true
    }
}

/// The rows that one transaction finds along an index, or against it.
private struct Stretch {
    var items: [Item] = []
    /// The place of the first row that was looked at.
    var first: Key?
    /// The place of the last one when more follow.
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
    /// The error itself; another one says nothing that a client may read.
    fileprivate init(described error: any Error) {
        self = error as? PatchbayError ?? PatchbayError(.internalError, "something unexpected failed")
    }
}
