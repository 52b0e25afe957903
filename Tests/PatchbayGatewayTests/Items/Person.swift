import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// A row of the resource that these tests declare.
struct Person: ResourceRecord, Encodable, Hashable {
    static let resource = "people"

    var id: Int64
    var handle: String
    var name: String?
    var bio: String?
    var picture: String?
    var tags: [String] = []
    var score: Double?
    var isActive: Bool?
    var seenAt: Timestamp?

    init(_ id: Int64, _ handle: String? = nil) {
        self.id = id
        self.handle = handle ?? "person-\(id)"
        name = "Person \(id)"
    }

    static func all(_ ids: some Sequence<Int64>) -> [Person] { ids.map { Person($0) } }

    /// People whose name and biography are details, which lists do not contain.
    static let declaration: ResourceDeclaration = {
        var people = ResourceDeclaration(
            "people",
            fields: [
                FieldDeclaration("id", .integer), FieldDeclaration("handle", .text),
                FieldDeclaration("name", .text, isDetail: true),
                FieldDeclaration("bio", .text, isDetail: true),
                FieldDeclaration("picture", .text), FieldDeclaration("tags", .json),
                FieldDeclaration("score", .real), FieldDeclaration("is_active", .boolean),
                FieldDeclaration("seen_at", .time),
            ], key: ["id"], lists: [ListDeclaration(nil, Template([.literal("/people")]))])
        people.singular = "person"
        people.handle = HandleDeclaration("handle")
        people.title = ["name", "handle"]
        people.editable = ["name", "bio"]
        people.picture = "picture"
        people.ignoresCase = true
        people.show = Template([.literal("/people/"), .parameter(.handle)])
        return people
    }()

    /// Notes, listed under the person who wrote them.
    static let notes: ResourceDeclaration = {
        var notes = ResourceDeclaration(
            "notes", fields: [FieldDeclaration("person", .integer), FieldDeclaration("text", .text)],
            key: ["person", "text"],
            lists: [
                ListDeclaration(
                    nil,
                    Template([
                        .literal("/people/"), .parameter(.field(resource: "people", field: "handle")),
                        .literal("/notes"),
                    ]))
            ])
        notes.changedAt = "seen_at"
        return notes
    }()
}

/// A row of the resource as a list returns it.
struct ListedPerson: Encodable {
    let id: Int64
    let handle: String
    let picture: String?
}

/// A row of the notes.
struct Note: Encodable {
    let person: Int64
    let text: String
}
