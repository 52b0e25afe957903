import Patchbay
import PatchbayCore
import PatchbayDomain

@testable import PatchbayCLI
@testable import PatchbayTerminal

/// Declarations for tests of commands and output: an ordered list with a search and an edit, linked lists with an
/// argument, and rows that have a parent.
enum DeclaredSample {
    static let all = [people, projects, changes]

    /// Runs `body` with these resources as those of the command line.
    static func known<Result>(_ body: () throws -> Result) rethrows -> Result {
        let declared = DeclaredResources(word: "sample", chosen: all)
        return try CommandLineTool.$declared.withValue(declared, operation: body)
    }

    /// Ordered, with details, an edit, a badge and a picture.
    static let people: ResourceDeclaration = {
        var people = ResourceDeclaration(
            "users",
            fields: [
                text("login"), FieldDeclaration("id", .integer), text("node_id"), text("avatar_url"),
                text("gravatar_id"), text("url"), text("html_url"), text("type"), text("user_view_type"),
                FieldDeclaration("site_admin", .boolean), detail("name"), detail("company"),
                detail("blog"), detail("location"), detail("email"),
                FieldDeclaration("hireable", .boolean, isDetail: true), detail("bio"),
                detail("twitter_username"), number("public_repos"), number("public_gists"),
                number("followers"), number("following"),
                FieldDeclaration("created_at", .time, isDetail: true),
                FieldDeclaration("updated_at", .time, isDetail: true),
            ],
            key: ["id"],
            lists: [ListDeclaration(nil, Template([.literal("/users?since="), .parameter(.after)]))])
        people.handle = HandleDeclaration("login")
        people.title = ["name"]
        people.editable = ["name"]
        people.picture = "avatar_url"
        people.order = "id"
        people.show = Template([.literal("/users/"), .parameter(.handle)])
        people.search = SearchDeclaration(Template([.literal("/search/users?q="), .parameter(.text)]))
        people.columns = [
            ColumnDeclaration(["id"]), ColumnDeclaration(["login"]), ColumnDeclaration(["type"]),
            ColumnDeclaration(["site_admin"], title: "staff"), ColumnDeclaration(["name"]),
        ]
        people.hidden = ["node_id", "gravatar_id"]
        people.website = "blog"
        people.favourite = [
            "id", "login", "name", "type", "site_admin", "avatar_url", "url", "html_url",
        ]
        return people
    }()

    /// Linked lists: one by an owner, one by an organization, one of all.
    static let projects: ResourceDeclaration = {
        var projects = ResourceDeclaration(
            "repos",
            fields: [
                FieldDeclaration("id", .integer), text("name"), text("full_name"),
                FieldDeclaration("private", .boolean), FieldDeclaration("fork", .boolean),
                FieldDeclaration("archived", .boolean), text("description"), text("language"),
                FieldDeclaration("stargazers_count", .integer), FieldDeclaration("pushed_at", .time),
                FieldDeclaration("topics", .json), FieldDeclaration("share", .real),
                FieldDeclaration("parent", .text, isDetail: true),
            ],
            key: ["id"],
            lists: [
                ListDeclaration(nil, list("/users/", "owner")),
                ListDeclaration("org", list("/orgs/", "organization")),
                ListDeclaration("public", Template([.literal("/repositories")])),
            ])
        projects.singular = "repository"
        projects.plural = "repositories"
        projects.handle = HandleDeclaration("full_name", parts: ["OWNER", "NAME"])
        projects.title = ["full_name"]
        projects.show = Template([.literal("/repos/"), .parameter(.handle)])
        projects.columns = [
            ColumnDeclaration(["id"]), ColumnDeclaration(["full_name"], title: "repository"),
            ColumnDeclaration(["private", "fork", "archived"], title: "flags"),
            ColumnDeclaration(["language"]), ColumnDeclaration(["stargazers_count"], title: "stars"),
            ColumnDeclaration(["pushed_at"], title: "pushed"), ColumnDeclaration(["description"]),
        ]
        return projects
    }()

    /// Rows that belong to a project; a single row cannot be fetched.
    static let changes: ResourceDeclaration = {
        let name = Template.Parameter.field(resource: "repos", field: "full_name")
        var changes = ResourceDeclaration(
            "commits",
            fields: [
                FieldDeclaration("repo_id", .integer, .parent(field: "id")), text("sha"), text("message"),
                text("author_name"), text("author_login"), FieldDeclaration("committer_date", .time),
            ],
            key: ["repo_id", "sha"],
            lists: [
                ListDeclaration(nil, Template([.literal("/repos/"), .parameter(name), .literal("/commits")]))
            ])
        changes.title = ["message"]
        changes.columns = [
            ColumnDeclaration(["sha"], title: "commit", charactersMax: 10),
            ColumnDeclaration(["committer_date"], title: "date"),
            ColumnDeclaration(["author_login", "author_name"], title: "author"),
            ColumnDeclaration(["message"]),
        ]
        return changes
    }()

    private static func text(_ name: String) -> FieldDeclaration { FieldDeclaration(name, .text) }

    private static func detail(_ name: String) -> FieldDeclaration {
        FieldDeclaration(name, .text, isDetail: true)
    }

    private static func number(_ name: String) -> FieldDeclaration {
        FieldDeclaration(name, .integer, isDetail: true)
    }

    private static func list(_ start: String, _ argument: String) -> Template {
        Template([.literal(start), .parameter(.argument(argument)), .literal("/repos")])
    }
}

extension Resource {
    /// A resource of the sample.
    static func sample(_ declaration: ResourceDeclaration) -> Resource {
        do { return try Resource(declaration, api: "sample") } catch { preconditionFailure("\(error)") }
    }

    /// A stored row with these values; others are null.
    func item(
        _ values: [String: ItemValue], edits: [String: String?] = [:], fetchedAt: Timestamp? = nil,
        hasDetail: Bool = false, noting: (inout ItemState) -> Void = { _ in }
    ) -> Item {
        do {
            var builder = ItemBuilder()
            builder.begin(self)
            for field in fields { builder.set(field, values[field.name]) }
            var state = ItemState(fetchedAt: fetchedAt)
            if hasDetail { state.detailFetchedAt = fetchedAt ?? Timestamp(milliseconds: 1) }
            noting(&state)
            var packing = ItemPacking(try builder.finish(), over: nil, state: state)
            packing.edits = edits
            var row = RowBuilder()
            packing.write(to: &row)
            return Item(try row.finish(), of: self)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
