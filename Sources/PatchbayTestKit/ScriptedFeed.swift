import PatchbayCore
package import PatchbayDomain
import Synchronization

/// A source of three made-up resources for tests. It pages, validates, searches and fails like an API, and records its
/// requests.
///
///     let feed = ScriptedFeed(people: 1...50, pageSize: 20)
///     feed.change("people") { $0.removeAll { $0.id == 7 } }
///     feed.answers.fail(with: PatchbayError(.offline, "no network"))
///
/// - `people` are ordered by id and can be searched. Their names are only returned by their own addresses.
/// - `projects` are listed for an owner or all together; an owner's list may omit private ones. They have no
///   search.
/// - `changes` belong to a project.
package final class ScriptedFeed: ResourceFeed {
    /// The requests so far: `people after 0`, `people next 20`, `person user-3`, `projects of octocat`, `all projects
    /// page 2`, `changes of octocat/p-7`, `people with tom`; conditional ones end in `if changed`.
    package let answers: ScriptedAnswers
    /// Whether a search runs out of time and reports that.
    package var isIncomplete: Bool {
        get { incomplete.withLock { $0 } }
        set { incomplete.withLock { $0 = newValue } }
    }
    private let incomplete = Mutex(false)
    private let rows: Mutex<[String: [Row]]>
    private let pageSize: Int
    private let cap: Int

    /// A row: the values of its fields, by name.
    package typealias Row = [String: ItemValue]

    /// - Parameter cap: the maximum number of results of a search.
    package init(
        people: some Sequence<Int64> = [], projects: some Sequence<Int64> = [], changes: [Row] = [],
        pageSize: Int = 20, cap: Int = 1_000, answers: ScriptedAnswers = ScriptedAnswers()
    ) {
        self.answers = answers
        self.pageSize = pageSize
        self.cap = cap
        rows = Mutex([
            "people": Self.people(people), "projects": Self.projects(projects), "changes": changes,
        ])
    }

    /// Changes the rows that the source returns from now on.
    package func change(_ resource: String, _ body: (inout [Row]) -> Void) {
        rows.withLock { body(&$0[resource, default: []]) }
    }

    /// The requests so far, as in ``answers``.
    package var requests: [String] { answers.requests }

    /// Returns a page of at most `pageSize` rows, with the rest linked in `next`.
    ///
    /// - Throws: the error set in ``answers``; `invalidResponse` for a `next` that is not the name of a page.
    package func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        let question = request.question, words = question.words
        var name = words
        let listed = rows.withLock { $0[question.resource.name] ?? [] }.filter { question.holds($0) }
        if question.isOrdered {
            var after = question.after
            if let next = request.next {
                guard let value = Int64(next) else { throw Self.invalid(next) }
                after = value
            }
            name = "\(words) \(request.next == nil ? "after" : "next") \(after)"
            return try answer(name, question, validator) { page(after: after, of: listed, question) }
        }
        // A link is followed as it is, even if the list is requested by another name.
        let link = try request.next.map(ScriptedLink.init)
        name = request.next ?? words
        return try answer(name, question, validator) {
            let rows = Array(listed.prefix(question.isSearch ? cap : .max))
            var found = page(link?.number ?? 1, of: rows, called: link?.name ?? words)
            if question.isSearch {
                found.total = Int64(listed.count)
                found.isIncomplete = isIncomplete
                found.cap = found.next == nil && listed.count > cap ? Int64(cap) : nil
            }
            return found
        }
    }

    /// Returns the row with a handle in any case, with its details.
    ///
    /// - Throws: the error set in ``answers``; `notFound` when no row has the handle.
    package func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        let fetched = try answers.answer("\(resource.singular) \(handle)", validator) {
            let all = rows.withLock { $0[resource.name] ?? [] }
            let name = resource.handle?.name ?? ""
            let found = all.first { $0[name]?.description.lowercased() == handle.lowercased() }
            guard let found else {
                throw PatchbayError(.notFound, "the \(resource.singular) \"\(handle)\" does not exist")
            }
            return found
        }
        guard case .changed(let row, let validator) = fetched else { return .unchanged }
        return .changed(try Self.item(row, of: resource, withDetails: true), validator)
    }

    /// Returns an item with the values of a row.
    package static func item(_ row: Row, of resource: Resource, withDetails: Bool = false) throws -> Item {
        var builder = ItemBuilder()
        builder.begin(resource)
        for field in resource.fields where withDetails || !field.declaration.isDetail {
            builder.set(field, row[field.name])
        }
        return try builder.finish()
    }

    private func answer(
        _ question: String, _ subject: ListQuestion, _ validator: Validator, _ page: () throws -> ScriptedPage
    ) throws -> Fetched<ItemPage> {
        let fetched = try answers.answer(question, validator, page)
        guard case .changed(let page, let validator) = fetched else { return .unchanged }
        return .changed(try page.items(of: subject.resource), validator)
    }

    private func page(after value: Int64, of rows: [Row], _ question: ListQuestion) -> ScriptedPage {
        let order = question.resource.order?.name ?? ""
        let following = rows.filter { $0.integer(order) > value }.sorted {
            $0.integer(order) < $1.integer(order)
        }
        let shown = Array(following.prefix(pageSize))
        let last = shown.last.map { String($0.integer(order)) }
        return ScriptedPage(shown, next: following.count > pageSize ? last : nil, size: pageSize)
    }

    /// Returns a page of a list whose pages are named `NAME page 2` and so on.
    private func page(_ number: Int, of rows: [Row], called name: String) -> ScriptedPage {
        let shown = Array(rows.dropFirst((number - 1) * pageSize).prefix(pageSize))
        let count = (rows.count + pageSize - 1) / pageSize
        let next = number < count ? "\(name) page \(number + 1)" : nil
        var page = ScriptedPage(shown, next: next, size: pageSize)
        page.pageCount = next == nil ? nil : Int64(count)
        return page
    }

    static func invalid(_ link: String) -> PatchbayError {
        PatchbayError(.invalidResponse, "\"\(link)\" is not a page")
    }
}

extension ListQuestion {
    fileprivate var isSearch: Bool { if case .search = subject { true } else { false } }

    fileprivate var isOrdered: Bool { subject == .list(nil) && resource.order != nil }

    /// The subject of the request, without the page.
    fileprivate var words: String {
        switch subject {
        case .search(let text): return "\(resource.name) with \(text)"
        case .list(let list):
            let owner = (parent.map { [$0.handle] } ?? []) + arguments
            let start = (list.map { "\($0) " } ?? "") + resource.name
            return start + (owner.isEmpty ? "" : " of \(owner.joined(separator: " "))")
                + (since.map { " since \($0)" } ?? "")
        }
    }

    /// Whether the list or the search contains a row. Fields with the name of an argument must have its value.
    fileprivate func holds(_ row: ScriptedFeed.Row) -> Bool {
        switch subject {
        case .search(let text):
            return row[resource.handle?.name ?? ""]?.description.contains(text) ?? false
        case .list(let list):
            let names = resource.declaration.list(named: list)?.template.arguments ?? []
            let isOwned = zip(names, arguments).allSatisfy {
                row[$0]?.description.lowercased() == $1.lowercased()
            }
            return isOwned && isNew(row)
                && resource.fields.allSatisfy { field in
                    guard case .parent(let name) = field.declaration.origin, let parent else { return true }
                    return row[field.name] == parent[name]
                }
        }
    }

    /// Whether a row is not older than the start of the list.
    fileprivate func isNew(_ row: ScriptedFeed.Row) -> Bool {
        guard let field = resource.declaration.since?.field, case .integer(let since) = since,
            case .integer(let value) = row[field]
        else { return true }
        return value >= since
    }
}

// MARK: - The resources

extension ScriptedFeed {
    /// The declarations of `people`, `projects` and `changes`, whose handles ignore case.
    package static let declarations = [peopleDeclaration, projectsDeclaration, changesDeclaration].map {
        var declaration = $0
        declaration.ignoresCase = true
        return declaration
    }

    private static var peopleDeclaration: ResourceDeclaration {
        let list = Template([.literal("/people?since="), .parameter(.after)])
        var people = ResourceDeclaration(
            "people",
            fields: [
                FieldDeclaration("id", .integer), FieldDeclaration("login", .text),
                FieldDeclaration("name", .text, isDetail: true),
                FieldDeclaration("followers", .integer, isDetail: true),
            ], key: ["id"], lists: [ListDeclaration(nil, list)])
        people.singular = "person"
        people.handle = HandleDeclaration("login")
        people.title = ["name"]
        people.editable = ["name"]
        people.order = "id"
        people.show = Template([.literal("/people/"), .parameter(.handle)])
        people.search = SearchDeclaration(Template([.literal("/search/people?q="), .parameter(.text)]))
        return people
    }

    private static var projectsDeclaration: ResourceDeclaration {
        let list = Template([
            .literal("/people/"), .parameter(.argument("owner")), .literal("/projects"),
        ])
        var projects = ResourceDeclaration(
            "projects",
            fields: [
                FieldDeclaration("id", .integer), FieldDeclaration("owner", .text),
                FieldDeclaration("owner_id", .integer), FieldDeclaration("full_name", .text),
                FieldDeclaration("is_private", .boolean),
                FieldDeclaration("watchers", .integer, isDetail: true),
            ], key: ["id"],
            lists: [
                ListDeclaration(nil, list), ListDeclaration("all", Template([.literal("/projects")])),
            ])
        projects.handle = HandleDeclaration("full_name", parts: ["OWNER", "NAME"])
        projects.within = "owner_id"
        projects.unsure = "is_private"
        projects.show = Template([.literal("/projects/"), .parameter(.handle)])
        return projects
    }

    private static var changesDeclaration: ResourceDeclaration {
        let list = Template([
            .literal("/projects/"), .parameter(.field(resource: "projects", field: "full_name")),
            .literal("/changes"),
        ])
        return ResourceDeclaration(
            "changes",
            fields: [
                FieldDeclaration("project", .integer, .parent(field: "id")), FieldDeclaration("sha", .text),
                FieldDeclaration("message", .text),
            ], key: ["project", "sha"], lists: [ListDeclaration(nil, list)])
    }

    /// Returns people named `user-1` and so on.
    package static func people(_ ids: some Sequence<Int64>) -> [Row] {
        ids.map {
            [
                "id": .integer($0), "login": .text("user-\($0)"), "name": .text("User \($0)"),
                "followers": .integer($0),
            ]
        }
    }

    /// Returns public projects of `octocat` (id 1), named `octocat/p-1` and so on.
    package static func projects(_ ids: some Sequence<Int64>) -> [Row] {
        ids.map {
            [
                "id": .integer($0), "owner": .text("octocat"), "owner_id": .integer(1),
                "full_name": .text("octocat/p-\($0)"), "is_private": .boolean(false),
                "watchers": .integer($0),
            ]
        }
    }

    /// Returns changes of a project, the newest first.
    package static func changes(_ count: Int, of project: Int64) -> [Row] {
        (0..<count).reversed().map {
            let digits = String($0 + 1, radix: 16)
            let sha = String(repeating: "0", count: 40 - digits.count) + digits
            return ["project": .integer(project), "sha": .text(sha), "message": .text("change \($0 + 1)")]
        }
    }
}

extension ScriptedFeed.Row {
    /// The id, or 0 if there is none.
    package var id: Int64 { integer("id") }

    fileprivate func integer(_ name: String) -> Int64 {
        if case .integer(let value) = self[name] { value } else { 0 }
    }
}
