import HTTPTypes
import PatchbayCore
import PatchbayDomain
import SourceGitHub
import SourceREST

extension SourceAPI {
    /// GitHub from its definition, with the rows as the records of the tests.
    static var defined: SourceAPI {
        var api = SourceAPI(
            name: "github", summary: "", isSpoken: SourceAPI.githubDefinition.isSpoken,
            open: { networking, baseURL, fingerprint in
                var source = SourceAPI.githubDefinition.open(networking, baseURL, fingerprint: fingerprint)
                let adapter = DefinedRecords(feed: source.feed!)
                (source.users, source.repositories, source.commits) = (adapter, adapter, adapter)
                (source.userSearch, source.repositorySearch) = (adapter, adapter)
                return source
            })
        api.ignoresCase = true
        return api
    }
}

/// Users over the definition.
func DefinedUsers(networking: any Networking, baseURL: String) -> any UserSource {
    SourceAPI.defined.open(networking, baseURL).users!
}

/// The records of the tests, made of rows.
struct DefinedRecords: UserSource, RepositorySource, CommitSource, UserSearchSource, RepositorySearchSource {
    let feed: any ResourceFeed
    private let users = try! Resource(Definition.github.resource(named: "users")!, api: "github")
    private let repos = try! Resource(Definition.github.resource(named: "repos")!, api: "github")
    private let commits = try! Resource(Definition.github.resource(named: "commits")!, api: "github")

    init(feed: any ResourceFeed) { self.feed = feed }

    private func page<First, Record: Sendable>(
        _ request: PageRequest<First>, _ validator: Validator, _ question: (First) -> ListQuestion,
        _ record: (Item) -> Record, on resource: Resource, isSearch: Bool = false
    ) async throws -> Fetched<SearchPage<Record>> {
        let item: ItemRequest
        switch request {
        case .first(let first): item = ItemRequest(question(first))
        case .next(let next):
            item = ItemRequest(ListQuestion(resource, isSearch ? .search("x") : .list(nil)), next: next)
        }
        switch try await feed.page(item, ifChangedFrom: validator) {
        case .unchanged: return .unchanged
        case .changed(let page, let validator):
            let records = Page(
                page.items.map(record), next: page.next, isFull: page.isFull, pageCount: page.pageCount)
            return .changed(
                SearchPage(records, total: page.total, isIncomplete: page.isIncomplete, cap: page.cap),
                validator)
        }
    }

    func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        let fetched = try await self.page(
            page, validator,
            { after in
                var question = ListQuestion(users)
                question.after = after.id
                return question
            }, { User($0) }, on: users)
        return fetched.page()
    }

    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        try await feed.item(login, of: users, ifChangedFrom: validator).map { User($0, hasDetail: true) }
    }

    func repositories(
        _ page: PageRequest<RepositoryList>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Page<Repository>> {
        try await self.page(
            page, validator,
            { list in
                switch list {
                case .ofUser(let login): ListQuestion(repos, arguments: [login])
                case .ofOrganization(let login): ListQuestion(repos, .list("org"), arguments: [login])
                case .allPublic: ListQuestion(repos, .list("public"))
                }
            }, { Repository($0) }, on: repos
        ).page()
    }

    func repository(
        _ name: RepositoryName, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Repository> {
        guard case .named(let owner, let name) = name else {
            preconditionFailure("rows are found by handles")
        }
        return try await feed.item("\(owner)/\(name)", of: repos, ifChangedFrom: validator).map {
            Repository($0, hasDetail: true)
        }
    }

    func commits(
        _ page: PageRequest<RepositoryName>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Page<Commit>> {
        // Every page is of one parent, whose key the rows carry.
        var owner = "o", name = "n"
        if case .first(.named(let first, let second)) = page { (owner, name) = (first, second) }
        var builder = ItemBuilder()
        builder.begin(repos)
        builder.set(repos.field(named: "id")!, 1 as Int64)
        builder.set(repos.field(named: "owner_login")!, owner)
        builder.set(repos.field(named: "name")!, name)
        let parent = try builder.finish()
        let request: ItemRequest
        switch page {
        case .first: request = ItemRequest(ListQuestion(commits, parent: parent))
        case .next(let next): request = ItemRequest(ListQuestion(commits, parent: parent), next: next)
        }
        switch try await feed.page(request, ifChangedFrom: validator) {
        case .unchanged: return .unchanged
        case .changed(let page, let validator):
            return .changed(
                Page(
                    page.items.map { Commit($0) }, next: page.next, isFull: page.isFull,
                    pageCount: page.pageCount),
                validator)
        }
    }

    func searchUsers(
        _ page: PageRequest<String>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<SearchPage<User>> {
        try await self.page(
            page, validator, { ListQuestion(users, .search($0)) }, { User($0) }, on: users, isSearch: true)
    }

    func searchRepositories(
        _ page: PageRequest<String>, ifChangedFrom validator: Validator
    ) async throws -> Fetched<SearchPage<Repository>> {
        try await self.page(
            page, validator, { ListQuestion(repos, .search($0)) }, { Repository($0) }, on: repos,
            isSearch: true)
    }
}

extension Fetched {
    fileprivate func map<New: Sendable>(_ transform: (Value) -> New) -> Fetched<New> {
        switch self {
        case .unchanged: .unchanged
        case .changed(let value, let validator): .changed(transform(value), validator)
        }
    }
}

extension Fetched {
    fileprivate func page<Record: Sendable>() -> Fetched<Page<Record>> where Value == SearchPage<Record> {
        map(\.page)
    }
}

// MARK: - Rows as records

extension Item {
    fileprivate func truth(_ name: String) -> Bool? {
        if case .boolean(let isTrue) = self[name] { isTrue } else { nil }
    }

    fileprivate func time(_ name: String) -> Timestamp? {
        if case .time(let time) = self[name] { time } else { nil }
    }

    /// The texts of a JSON array.
    fileprivate func texts(_ name: String) -> [String] {
        let text = self[name]?.description ?? "[]"
        return text.dropFirst().dropLast().split(separator: ",").map { String($0.dropFirst().dropLast()) }
    }

    fileprivate func knows(_ name: String) -> Bool {
        resource.field(named: name).map { known.contains(position: $0.place) } ?? false
    }
}

extension User {
    init(_ item: Item, hasDetail: Bool = false) {
        self.init(id: item.integer("id")!, login: item.text("login")!, url: item.text("url") ?? "")
        nodeID = item.text("node_id")
        type = item.text("type") ?? "User"
        userViewType = item.text("user_view_type")
        isSiteAdmin = item.truth("site_admin") ?? false
        avatarURL = item.text("avatar_url")
        gravatarID = item.text("gravatar_id")
        htmlURL = item.text("html_url")
        guard hasDetail else { return }
        detail = Detail(
            name: item.text("name"), company: item.text("company"), blog: item.text("blog"),
            location: item.text("location"), email: item.text("email"), isHireable: item.truth("hireable"),
            bio: item.text("bio"), twitterUsername: item.text("twitter_username"),
            publicRepos: item.integer("public_repos"), publicGists: item.integer("public_gists"),
            followers: item.integer("followers"), following: item.integer("following"),
            createdAt: item.time("created_at"), updatedAt: item.time("updated_at"))
    }
}

extension Repository {
    init(_ item: Item, hasDetail: Bool = false) {
        let owner = Owner(
            id: item.integer("owner_id") ?? 0, login: item.text("owner_login") ?? "",
            type: item.text("owner_type"))
        self.init(
            id: item.integer("id")!, owner: owner, name: item.text("name") ?? "", url: item.text("url") ?? "")
        fullName = item.text("full_name") ?? ""
        nodeID = item.text("node_id")
        isPrivate = item.truth("private") ?? false
        isFork = item.truth("fork") ?? false
        description = item.text("description")
        htmlURL = item.text("html_url")
        if hasDetail || item.knows("stargazers_count") { facts = Facts(item) }
        guard hasDetail else { return }
        detail = Detail(
            subscribers: item.integer("subscribers_count"), network: item.integer("network_count"),
            parent: item.text("parent"), source: item.text("source"))
    }
}

extension Repository.Facts {
    fileprivate init(_ item: Item) {
        self.init()
        (homepage, language) = (item.text("homepage"), item.text("language"))
        (defaultBranch, visibility) = (item.text("default_branch"), item.text("visibility"))
        (stargazers, forks) = (item.integer("stargazers_count"), item.integer("forks_count"))
        (openIssues, size) = (item.integer("open_issues_count"), item.integer("size"))
        (isArchived, isDisabled) = (item.truth("archived"), item.truth("disabled"))
        (isTemplate, topics, license) = (
            item.truth("is_template"), item.texts("topics"), item.text("license")
        )
        (hasIssues, hasWiki, hasPages) = (
            item.truth("has_issues"), item.truth("has_wiki"), item.truth("has_pages")
        )
        (createdAt, updatedAt, pushedAt) = (
            item.time("created_at"), item.time("updated_at"), item.time("pushed_at")
        )
    }
}

extension Commit {
    init(_ item: Item) {
        self.init(
            sha: item.text("sha")!, message: item.text("message") ?? "", parents: item.texts("parents"))
        (tree, nodeID, htmlURL) = (item.text("tree"), item.text("node_id"), item.text("html_url"))
        commentCount = item.integer("comment_count")
        (isVerified, verificationReason) = (item.truth("verified"), item.text("verification_reason"))
        author = Signature(item, "author")
        committer = Signature(item, "committer")
    }
}

extension Commit.Signature {
    fileprivate init(_ item: Item, _ role: String) {
        self.init(
            name: item.text(role + "_name"), email: item.text(role + "_email"),
            date: item.time(role + "_date"),
            userID: item.integer(role + "_id"), login: item.text(role + "_login"))
    }
}
