import PatchbayCore
package import PatchbayDomain

/// Any number of made-up user accounts, generated on demand and the same for the same seed.
///
/// Use it for measurements, to try a list of a billion rows, and to develop without a network or a recording. Nothing
/// is stored. Each row is computed from the seed and its id alone, so access to any place takes the same time.
///
/// - Ids run from 1 to `idMax`; about one in sixteen is missing, as if the account had been deleted.
/// - Lengths, absent values and scripts are distributed as on GitHub; counts have a long tail. No text belongs to a
///   real person.
/// - ``revision`` selects another state of the same rows: each revision changes the details of about half of them.
package struct SyntheticFeed: ResourceFeed {
    /// The number of ids that a page covers.
    package static let pageIDs: Int64 = 100
    /// The word in the names of collections: `synthetic_users`.
    package static let word = "synthetic"

    /// The number that determines all rows.
    package let seed: UInt64
    /// The greatest id that a row can have; that row itself may be missing.
    package let idMax: Int64
    /// The state of the rows; another number changes the details of about half of them.
    package let revision: UInt64
    private let delay: Duration

    /// - Parameters:
    ///   - idMax: the greatest id, at least 1.
    ///   - delay: the duration of each request.
    package init(seed: UInt64 = 1, idMax: Int64, revision: UInt64 = 0, delay: Duration = .zero) {
        precondition(idMax > 0, "a list needs at least one id")
        self.seed = seed
        self.idMax = idMax
        self.revision = revision
        self.delay = delay
    }

    /// Returns the existing rows of the next ``pageIDs`` ids, without details, after the configured delay.
    ///
    /// - Throws: `unsupported` for a search or a named list; `invalidResponse` for a next page that is not one
    ///   of this feed.
    package func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        try await wait()
        guard request.question.subject == .list(nil) else {
            throw PatchbayError(.unsupported, "the synthetic source has one list and no search")
        }
        let start = try start(of: request)
        // Compares the difference, because the sum might overflow.
        let end = idMax - start > Self.pageIDs ? start + Self.pageIDs : idMax
        let fresh = Validator(entityTag: "\"\(seed)-\(revision)-\(start)\"")
        if validator == fresh { return .unchanged }
        var builder = ItemBuilder()
        let items =
            try start < end
            ? (start + 1...end).compactMap {
                try make($0, of: request.question.resource, isWhole: false, with: &builder)
            } : []
        return .changed(ItemPage(items, next: end < idMax ? "after \(end)" : nil), fresh)
    }

    /// Returns the row with a handle, with its details. Handles are compared as `resource` does.
    ///
    /// - Throws: `notFound` when no row has the handle.
    package func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        try await wait()
        guard let id = SyntheticRow.id(in: handle), let item = try item(id, of: resource),
            item.isCalled(handle)
        else { throw PatchbayError(.notFound, "the synthetic source has no user \"\(handle)\"") }
        let fresh = Validator(entityTag: "\"\(seed)-\(revision)-\(handle.lowercased())\"")
        return validator == fresh ? .unchanged : .changed(item, fresh)
    }

    /// Returns the row with an id, including details; nil when the id is missing.
    package func item(_ id: Int64, of resource: Resource) throws -> Item? {
        var builder = ItemBuilder()
        return try make(id, of: resource, isWhole: true, with: &builder)
    }

    /// Whether a row with an id exists; cheaper than generating the row.
    package func holds(_ id: Int64) -> Bool {
        (1...idMax).contains(id) && !SyntheticRow.isMissing(seed: seed, id: id)
    }

    private func make(
        _ id: Int64, of resource: Resource, isWhole: Bool, with builder: inout ItemBuilder
    ) throws -> Item? {
        guard (1...idMax).contains(id), let row = SyntheticRow(seed: seed, id: id) else { return nil }
        let values = isWhole ? row.listed + row.detail(revision: revision) : row.listed
        builder.begin(resource)
        for (field, value) in zip(resource.fields, values) { builder.set(field, value) }
        return try builder.finish()
    }

    private func start(of request: ItemRequest) throws -> Int64 {
        guard let next = request.next else { return max(0, min(request.question.after, idMax)) }
        guard next.hasPrefix("after "), let id = Int64(next.dropFirst(6)), (0...idMax).contains(id) else {
            throw PatchbayError(
                .invalidResponse, "\"\(next)\" is not a page of the synthetic source; list from the start")
        }
        return id
    }

    private func wait() async throws {
        try Task.checkCancellation()
        if delay > .zero { try await Task.sleep(for: delay) }
    }

    /// The accounts, with the fields of GitHub's users.
    package static let users: ResourceDeclaration = {
        var users = ResourceDeclaration(
            "users", fields: SyntheticRow.listedFields + SyntheticRow.detailFields, key: ["id"],
            lists: [ListDeclaration(nil, Template([.literal("/users?since="), .parameter(.after)]))])
        users.handle = HandleDeclaration("login")
        users.title = ["name"]
        users.editable = ["name"]
        users.picture = "avatar_url"
        users.order = "id"
        users.show = Template([.literal("/users/"), .parameter(.handle)])
        users.columns = ["id", "login", "type", "site_admin", "name"].map {
            ColumnDeclaration([$0], title: $0 == "site_admin" ? "staff" : nil)
        }
        return users
    }()
}
