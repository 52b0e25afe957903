import PatchbayCore
import PatchbayDomain

/// Users as records, with the names that GitHub's API gives the fields.
enum UserOutput {
    static func list(_ users: [User], as format: OutputFormat) throws {
        let records = users.map(record)
        try RecordWriter(format).write(records, header: names, table: Table(listColumns, of: records))
    }

    static func show(_ user: User, as format: OutputFormat) throws {
        let record = record(user)
        try RecordWriter(format).write(record, table: fieldTable(record))
    }

    private static let listColumns = [
        TableColumn("id", alignment: .right), TableColumn("login"),
        TableColumn("") { $0["site_admin"] == .bool(true) ? "STAFF" : "" }, TableColumn("type"),
        TableColumn("name", isElastic: true) {
            ($0["name_override"] == .null ? $0["name"] : $0["name_override"]).description
        },
        TableColumn("profile", isElastic: true, field: "html_url"),
    ]

    /// One line a field that has a value, without the addresses that derive from another.
    private static func fieldTable(_ record: OutputRecord) -> Table {
        let shown = record.fields.filter { $0.value != .null && !derivedNames.contains($0.name) }
        let badge = record["site_admin"] == .bool(true) ? [["", "STAFF"]] : []
        return Table(
            [TableColumn("field"), TableColumn("value", isElastic: true)],
            rows: badge + shown.map { [$0.name, $0.value.description] })
    }

    private static let derivedNames: Set<String> = [
        "followers_url", "following_url", "gists_url", "starred_url", "subscriptions_url",
        "organizations_url",
        "repos_url", "events_url", "received_events_url", "gravatar_id", "node_id", "has_detail",
    ]

    private static let names = record(User(id: 0, login: "", url: "")).names

    /// All fields, in the API's order; those of a detail that was not fetched are null.
    private static func record(_ user: User) -> OutputRecord {
        let local: [(name: String, value: OutputValue)] = [
            ("name_override", OutputValue(user.nameOverride)), ("has_detail", .bool(user.detail != nil)),
        ]
        return OutputRecord(listFields(user) + detailFields(user.detail ?? User.Detail()) + local)
    }

    private static func listFields(_ user: User) -> [(name: String, value: OutputValue)] {
        [
            ("login", .text(user.login)), ("id", .integer(user.id)), ("node_id", OutputValue(user.nodeID)),
            ("avatar_url", OutputValue(user.avatarURL)), ("gravatar_id", OutputValue(user.gravatarID)),
            ("url", .text(user.url)), ("html_url", OutputValue(user.htmlURL)),
            ("followers_url", .text(user.followersURL)), ("following_url", .text(user.followingURL)),
            ("gists_url", .text(user.gistsURL)), ("starred_url", .text(user.starredURL)),
            ("subscriptions_url", .text(user.subscriptionsURL)),
            ("organizations_url", .text(user.organizationsURL)), ("repos_url", .text(user.reposURL)),
            ("events_url", .text(user.eventsURL)), ("received_events_url", .text(user.receivedEventsURL)),
            ("type", .text(user.type)), ("user_view_type", OutputValue(user.userViewType)),
            ("site_admin", .bool(user.isSiteAdmin)),
        ]
    }

    private static func detailFields(_ detail: User.Detail) -> [(name: String, value: OutputValue)] {
        [
            ("name", OutputValue(detail.name)), ("company", OutputValue(detail.company)),
            ("blog", OutputValue(detail.blog)), ("location", OutputValue(detail.location)),
            ("email", OutputValue(detail.email)),
            ("hireable", detail.isHireable.map(OutputValue.bool) ?? .null),
            ("bio", OutputValue(detail.bio)), ("twitter_username", OutputValue(detail.twitterUsername)),
            ("public_repos", OutputValue(detail.publicRepos)),
            ("public_gists", OutputValue(detail.publicGists)),
            ("followers", OutputValue(detail.followers)), ("following", OutputValue(detail.following)),
            ("created_at", OutputValue(detail.createdAt?.description)),
            ("updated_at", OutputValue(detail.updatedAt?.description)),
        ]
    }
}

extension OutputValue {
    init(_ text: String?) { self = text.map(OutputValue.text) ?? .null }
    init(_ number: Int64?) { self = number.map(OutputValue.integer) ?? .null }
    init(_ isTrue: Bool?) { self = isTrue.map(OutputValue.bool) ?? .null }
}
