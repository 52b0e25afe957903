import PatchbayCore

/// The collections that the checks use, with every kind of key and index.
enum Sample {
    static let schema = Schema(version: 1, [people, pages, issues])

    /// An integer key and every field type.
    static let people = CollectionSchema(
        "people", key: 0,
        indexes: [byLogin, byName, byStars, byTeamLogin, byNameFolded],
        fields: [
            Field("id", .integer), Field("login", .text), Field("name", .text, isOptional: true),
            Field("stars", .integer), Field("team", .integer, isOptional: true), Field("score", .real),
            Field("ratio", .real, isOptional: true), Field("photo", .bytes),
            Field("note", .bytes, isOptional: true),
        ])
    static let byLogin = Index("by_login", .caseFolded(1), unique: true)
    static let byName = Index("by_name", .exact(2))
    static let byStars = Index("by_stars", .exact(3))
    static let byTeamLogin = Index("by_team_login", .exact(4), .exact(1))
    static let byNameFolded = Index("by_name_folded", .caseFolded(2), .exact(3))

    /// A text key, and a unique index on an optional field.
    static let pages = CollectionSchema(
        "pages", key: 0,
        indexes: [byEtag, byVisits, byAddressFolded],
        fields: [
            Field("address", .text), Field("etag", .text, isOptional: true), Field("visits", .integer),
            Field("body", .text, isOptional: true),
        ])
    static let byEtag = Index("by_etag", .exact(1), unique: true)
    static let byVisits = Index("by_visits", .exact(2), .exact(0))
    static let byAddressFolded = Index("by_address_folded", .caseFolded(0))

    /// A key of a text and an integer, a unique index on two fields, and names that are SQL keywords.
    static let issues = CollectionSchema(
        "issues", key: 0, 1,
        indexes: [byTitle, byAssignee, byVotes],
        fields: [
            Field("repository", .text), Field("number", .integer), Field("title", .text),
            Field("from", .text, isOptional: true), Field("order", .integer, isOptional: true),
        ])
    static let byTitle = Index("by_title", .exact(2), .exact(0), unique: true)
    static let byAssignee = Index("by_assignee", .caseFolded(3), .exact(1))
    static let byVotes = Index("group", .exact(4))

    static func person(
        _ id: Int64, _ login: String? = nil, name: FieldValue = nil, stars: Int64 = 0, team: FieldValue = nil
    ) -> Values {
        [
            .integer(id), .text(login ?? "person\(id)"), name, .integer(stars), team, 0.5, nil, .bytes([]),
            nil,
        ]
    }

    static func page(_ address: String, etag: FieldValue = nil, visits: Int64 = 0, body: FieldValue = nil)
        -> Values
    {
        [.text(address), etag, .integer(visits), body]
    }

    static func issue(
        _ repository: String, _ number: Int64, _ title: String? = nil, assignee: FieldValue = nil,
        votes: FieldValue = nil
    ) -> Values {
        [.text(repository), .integer(number), .text(title ?? "issue \(number)"), assignee, votes]
    }
}
