import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// Users as records, with the names that GitHub's API gives the fields.
enum UserOutput {
    /// - Parameter favourites: the ids of those that are favourites; nil when that was not asked.
    static func list(
        _ users: [User], favourites: Set<Int64>? = nil, refusals: [Int64: StoredRefusal] = [:]
    ) -> Listing {
        let records = users.map { user in
            var record = record(user)
            record.more = more(goneAt: nil, refusals[user.id])
            if let favourites { record.fields.append(("favourite", .bool(favourites.contains(user.id)))) }
            return record
        }
        let columns = favourites == nil ? listColumns : listColumns + [favouriteColumn]
        return Listing(records, names(withFavourite: favourites != nil), .columns(columns))
    }

    /// What a search found.
    static func list(_ users: [User], foundBy origin: SearchWindow<User>.Origin) -> Listing {
        let records = users.map { user in
            var record = record(user)
            record.fields.append(("found_by", .text(origin == .local ? "local" : "source")))
            return record
        }
        return Listing(records, foundNames, .columns(listColumns))
    }

    /// A change of a watched list.
    static func record(_ change: UserChange) -> OutputRecord {
        let word =
            switch change {
            case .inserted: "insert"
            case .updated: "update"
            case .deleted: "delete"
            }
        return OutputRecord([("change", .text(word))] + record(change.user).fields)
    }

    static func show(_ stored: StoredUser) -> Listing {
        var record = record(stored.user)
        record.more = more(goneAt: stored.goneAt, stored.refusal)
        return Listing([record], names, .fields(shownFields))
    }

    /// What JSON has of a row beside its fields.
    static func more(
        goneAt: Timestamp?, _ refusal: StoredRefusal?
    ) -> [(name: String, value: OutputValue)] {
        [
            ("gone_at", OutputValue(goneAt?.description)),
            ("refusal", OutputValue(refusal?.refusal.kind.rawValue)),
            ("refusal_reason", OutputValue(refusal?.refusal.reason)),
            ("refused_at", OutputValue(refusal?.since.description)),
        ]
    }

    private static let listColumns = [
        TableColumn("id", alignment: .right), TableColumn("login"),
        TableColumn("type"), TableColumn("staff") { $0["site_admin"] == .bool(true) ? "yes" : "" },
        TableColumn("name", isElastic: true) {
            ($0["name_override"] == .null ? $0["name"] : $0["name_override"]).description
        },
    ]

    private static let favouriteColumn = TableColumn("favourite") {
        $0["favourite"] == .bool(true) ? "yes" : ""
    }

    /// What there is to show of a user, one line a field.
    static func shownFields(_ user: User) -> [(name: String, value: String)] { shownFields(record(user)) }

    /// The fields that have a value, without the addresses that derive from another. An edited name stands below the
    /// upstream one, which is told even where there is none.
    @Sendable private static func shownFields(_ record: OutputRecord) -> [(name: String, value: String)] {
        let isEdited = record["name_override"] != .null
        let shown = fieldsInTableOrder(record).filter {
            ($0.value != .null || isEdited && $0.name == "name") && !derivedNames.contains($0.name)
        }
        let badge = record["site_admin"] == .bool(true) ? [(name: "", value: "STAFF")] : []
        return badge + shown.map { ($0.name, $0.value.description) }
    }

    private static func fieldsInTableOrder(_ record: OutputRecord) -> [(name: String, value: OutputValue)] {
        var fields = record.fields
        guard let edited = fields.firstIndex(where: { $0.name == "name_override" }) else { return fields }
        let field = fields.remove(at: edited)
        guard let name = fields.firstIndex(where: { $0.name == "name" }) else { return record.fields }
        fields.insert(field, at: name + 1)
        return fields
    }

    private static let derivedNames: Set<String> = [
        "followers_url", "following_url", "gists_url", "starred_url", "subscriptions_url",
        "organizations_url",
        "repos_url", "events_url", "received_events_url", "gravatar_id", "node_id", "has_detail",
    ]

    /// The names of a user's fields.
    static let names = FieldNames(
        record(User(id: 0, login: "", url: "")).names, more: more(goneAt: nil, nil).map(\.name))
    static let foundNames = FieldNames(names.usual + ["found_by"])

    static func names(withFavourite: Bool) -> FieldNames { withFavourite ? names + ["favourite"] : names }

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
