import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit

extension Gateway {
    var people: Resource { get throws { try resource("people") } }
    var projects: Resource { get throws { try resource("projects") } }

    /// The list of all people.
    func people(after value: Int64 = 0) throws -> NamedQuestion { try question(people, after: value) }

    /// The list of octocat's projects.
    func octocatsProjects() throws -> NamedQuestion { try question(projects, arguments: ["octocat"]) }

    func changes(of project: String) throws -> NamedQuestion {
        try question(resource("changes"), arguments: [project])
    }

    func listPeople(
        after value: Int64 = 0, limit: Int = 30, maximum: Int? = nil, policy: Policy = .localFirst
    ) throws -> Answers<ItemList> {
        try list(people(after: value), limit: limit, maximum: maximum, policy: policy)
    }

    func listProjects(
        skipping skipped: Int = 0, limit: Int = 30, policy: Policy = .localFirst
    ) throws -> Answers<ItemList> {
        try list(octocatsProjects(), skipping: skipped, limit: limit, policy: policy)
    }

    func showPerson(_ login: String, policy: Policy = .localFirst) throws -> Answers<Item> {
        try show(people, login, policy: policy)
    }

    func showProject(_ name: String, policy: Policy = .localFirst) throws -> Answers<Item> {
        try show(projects, name, policy: policy)
    }

    /// All stored rows of a resource, including those no longer listed.
    func stored(_ name: String) async throws -> [Item] {
        let resource = try resource(name)
        return try await store.read { try $0.items(of: resource) }
    }

    func count(_ name: String) async throws -> Int {
        let resource = try resource(name)
        return try await store.read { try $0.count(Query(resource.collection)) }
    }

    /// Marks a row as no longer listed.
    func markGone(_ id: Int64, of name: String, at time: Timestamp) async throws {
        let resource = try resource(name)
        try await store.write { writing in
            let item = try writing.reading.items(of: resource).first { $0.id == id }
            guard let item else { throw PatchbayError(.notFound, "\(name) \(id) is not stored") }
            var state = item.state
            state.goneAt = time
            try writing.put(ItemPacking(item, over: nil, state: state))
        }
    }
}

extension Reading {
    func items(of resource: Resource) throws -> [Item] {
        try items(Query(resource.collection), of: resource)
    }
}

extension Writing {
    /// Stores a row as a source returns it.
    mutating func put(_ row: ScriptedFeed.Row, of resource: Resource, at time: Timestamp) throws {
        let item = try ScriptedFeed.item(row, of: resource)
        try put(ItemPacking(item, over: nil, state: ItemState(fetchedAt: time)))
    }

    mutating func put(_ packing: ItemPacking) throws {
        var builder = RowBuilder()
        packing.write(to: &builder)
        try put(builder.finish(), in: packing.item.resource.collection)
    }
}

extension Item {
    /// The id, or 0 if there is none.
    var id: Int64 { integer("id") ?? 0 }

    /// The shown name.
    var shownName: String? { resource.field(named: "name").flatMap { shown($0)?.description } }

    /// The shown values of all fields, to compare rows of different gateways.
    var shownValues: [ItemValue?] { resource.fields.map { shown($0) } }
}

extension ItemList {
    var ids: [Int64] { items.map(\.id) }
}
