import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON

extension Route {
    static let listResources = Route(
        method: .get, path: "/resources", operation: "resources",
        summary:
            "The resources of the sources with their fields, key, indexes and lists, and the number of stored rows.",
        content: .schema(DescribedResource.members.schemaOfArray)
    ) { request, api in
        try await api.answer(request) {
            let all = api.gateways.resources
            var resources: [DescribedResource] = []
            for served in all { resources.append(try await DescribedResource(served, among: all)) }
            return APIAnswer(
                DescribedResource.members.line(resources), Provenance(source: "", age: nil, .localOnly))
        }
    }
}

/// A resource as the API describes it.
private struct DescribedResource: Sendable {
    let served: ServedResource
    let lists: [(list: ListDeclaration, parent: String?)]
    let count: Int
    let fetchedAt: Timestamp?

    init(_ served: ServedResource, among resources: [ServedResource]) async throws {
        self.served = served
        lists = served.resource.declaration.lists.map { list in
            (list, resources.first { $0.isNeighbour(of: served) && $0.isParent(of: list) }?.name)
        }
        let resource = served.resource
        (count, fetchedAt) = try await served.store.store.read { reading in
            (try reading.count(Query(resource.collection)), try reading.listAges(of: resource).newest)
        }
    }

    private var resource: Resource { served.resource }
    private var declaration: ResourceDeclaration { served.resource.declaration }

    static let members = Members<DescribedResource> {
        Member("name") { $0.served.name }
        Member("source") { $0.resource.api }
        Member("singular") { $0.resource.singular }
        Member("plural") { $0.resource.plural }
        Member("key") { $0.resource.key.map(\.name) }
        Member("handle") { $0.resource.handle?.name }
        Member("title") { $0.resource.title.map(\.name) }
        Member("fields", of: fieldMembers) { $0.resource.fields }
        Member("indexes", of: indexMembers) { $0.resource.namedIndexes }
        Member("lists", of: listMembers) { $0.lists }
        Member(
            "columns", "The columns of a table: the first field with a value, or the names of true booleans.",
            of: columnMembers
        ) { $0.resource.columns }
        Member(
            "picture", "The field with the address of a row's picture, which /picture below the row returns."
        ) { $0.served.hasPictures ? $0.declaration.picture : nil }
        Member("website") { $0.declaration.website }
        Member("hidden", "Fields that are of no interest to people.") { $0.declaration.hidden }
        Member("has_details", "Whether the source provides details of a single row.") {
            $0.declaration.show != nil
        }
        Member("usual_policy", among: [Policy.localFirst, .localOnly].map(\.rawValue)) {
            $0.served.usualPolicy.rawValue
        }
        Member("searched_by", among: ["source", "storage"]) {
            $0.declaration.search == nil ? "storage" : "source"
        }
        Member("count", "The number of stored rows, including those no longer listed.") { $0.count }
        Member("fetched_at", "The time when a sync last completed one of its lists.") { $0.fetchedAt }
    }

    private static let fieldMembers = Members<ResourceField> {
        Member("name") { $0.name }
        Member("type") { $0.type.rawValue }
        Member("detail") { $0.declaration.isDetail }
        Member("editable") { $0.overridePosition != nil }
    }

    private static let indexMembers = Members<NamedIndex> {
        Member("name") { $0.name }
        Member("fields", of: partMembers) { Array(zip($0.parts, $0.index.parts)) }
    }

    private static let partMembers = Members<(part: NamedIndex.Part, place: Index.Part)> {
        Member("name") { $0.part.field }
        Member("type") { $0.part.type.rawValue }
        Member("case_folded") { $0.part.isFolded || $0.place.isCaseFolded }
    }

    private static let listMembers = Members<(list: ListDeclaration, parent: String?)> {
        Member("name") { $0.list.name }
        Member("of") { $0.list.words }
        Member("parent", "The resource whose handles are the first value of \"of\".") { $0.parent }
    }

    private static let columnMembers = Members<ColumnDeclaration> {
        Member("title") { $0.title }
        Member("fields") { $0.fields }
        Member("characters_max") { $0.charactersMax }
    }
}

extension Resource {
    /// The columns of the definition, or by default the first six fields.
    fileprivate var columns: [ColumnDeclaration] {
        let usual = fields.prefix(Self.columnsUsual).map { ColumnDeclaration([$0.name]) }
        return declaration.columns.isEmpty ? usual : declaration.columns
    }

    private static let columnsUsual = 6
}

extension ServedResource {
    /// Whether both belong to the same source.
    fileprivate func isNeighbour(of other: ServedResource) -> Bool {
        resource.api == other.resource.api && store.id == other.store.id
    }

    /// Whether a list belongs to a row of this resource, because it refers to a field of the resource or because its
    /// address extends the address of a row, as `/users/{owner}/repos` extends `/users/{handle}`.
    fileprivate func isParent(of list: ListDeclaration) -> Bool {
        for case .field(let name, _) in list.template.parameters { return name == resource.name }
        guard list.words.count == 1, let show = resource.declaration.show, !show.pieces.isEmpty,
            list.template.pieces.count > show.pieces.count
        else { return false }
        return zip(show.pieces, list.template.pieces).allSatisfy { mine, others in
            switch (mine, others) {
            case (.parameter(.handle), .parameter(.argument)): true
            default: mine == others
            }
        }
    }
}
