import PatchbayCore
import PatchbayDomain

/// Users as rows and records, with the names that GitHub's API gives the fields.
enum UserOutput {
    static func list(_ users: [User], as format: OutputFormat) throws {
        try RecordWriter(format).write(users.map(record)) {
            Table(
                [
                    TableColumn("id", alignment: .right), TableColumn("login", isElastic: true),
                    TableColumn(""), TableColumn("type"), TableColumn("name", isElastic: true),
                    TableColumn("profile", isElastic: true),
                ],
                users.map {
                    [String($0.id), $0.login, badge($0), $0.type, $0.name ?? "", $0.htmlURL ?? ""]
                })
        }
    }

    static func show(_ stored: StoredUser, as format: OutputFormat) throws {
        try RecordWriter(format).write([record(stored.user)]) {
            let fields = record(stored.user).fields.filter { $0.value != .null && !templates.contains($0.name) }
            return Table(
                [TableColumn("field"), TableColumn("value", isElastic: true)],
                fields.map { [$0.name, $0.value.text] + [] } + badgeRow(stored.user))
        }
    }

    private static func badge(_ user: User) -> String { user.isSiteAdmin ? "STAFF" : "" }

    private static func badgeRow(_ user: User) -> [[String]] { user.isSiteAdmin ? [["", badge(user)]] : [] }

    /// Addresses that derive from `url`; a table of one user leaves them out.
    private static let templates: Set<String> = [
        "followers_url", "following_url", "gists_url", "starred_url", "subscriptions_url", "organizations_url",
        "repos_url", "events_url", "received_events_url", "gravatar_id", "node_id",
    ]

    private static func record(_ user: User) -> OutputRecord {
        OutputRecord(fields: listFields(user) + (user.detail.map(detailFields) ?? []) + localFields(user))
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
            ("email", OutputValue(detail.email)), ("hireable", detail.isHireable.map(OutputValue.bool) ?? .null),
            ("bio", OutputValue(detail.bio)), ("twitter_username", OutputValue(detail.twitterUsername)),
            ("public_repos", OutputValue(detail.publicRepos)), ("public_gists", OutputValue(detail.publicGists)),
            ("followers", OutputValue(detail.followers)), ("following", OutputValue(detail.following)),
            ("created_at", OutputValue(detail.createdAt?.description)),
            ("updated_at", OutputValue(detail.updatedAt?.description)),
        ]
    }

    private static func localFields(_ user: User) -> [(name: String, value: OutputValue)] {
        user.nameOverride.map { [("name_override", .text($0))] } ?? []
    }
}

extension OutputValue {
    init(_ text: String?) { self = text.map(OutputValue.text) ?? .null }
    init(_ number: Int64?) { self = number.map(OutputValue.integer) ?? .null }

    var text: String {
        switch self {
        case .null: ""
        case .integer(let value): String(value)
        case .bool(let value): value ? "true" : "false"
        case .text(let text): text
        }
    }
}
