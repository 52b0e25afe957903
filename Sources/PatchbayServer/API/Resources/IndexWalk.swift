import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// A walk along an index of stored rows, as the parameters of a request describe it.
struct IndexWalk: Sendable {
    let served: ServedResource
    let index: NamedIndex
    private var query: Query

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
        do {
            _ = try query.keyRange()
        } catch {
            let given = [Parameter.equal, .prefix, .from, .to].first(where: request.has)
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
    /// Some rows of a walk.
    struct Page: Sendable {
        var items: [Item] = []
        /// The place to continue after; nil at the end.
        var next: Key?
    }

    /// The next rows that the source still lists, in a transaction of their own.
    func page(after place: Key?, limit: Int) async throws -> Page {
        try Task.checkCancellation()
        var query = query
        query.after = place
        return try await served.store.store.read { [query] reading in
            var page = Page(), visits = 0, last: Key?
            try reading.scan(query) { row in
                if visits == Self.visitsMax || page.items.count == limit {
                    page.next = last
                    return .stop
                }
                visits += 1
                if !ItemState.isGone(row) { page.items.append(Item(row, of: served.resource)) }
                if visits == Self.visitsMax || page.items.count == limit {
                    last = query.collection.key(of: row, in: query.index)
                }
                return .next
            }
            return page
        }
    }

    /// Whether a place that a client sent back can be one of this walk's.
    func holds(_ place: Key) -> Bool {
        var query = query
        query.after = place
        do { _ = try query.keyRange() } catch { return false }
        return true
    }
}

extension PatchbayError {
    /// The error itself; another one says nothing that a client may read.
    fileprivate init(described error: any Error) {
        self = error as? PatchbayError ?? PatchbayError(.internalError, "something unexpected failed")
    }
}
