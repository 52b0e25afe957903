import PatchbayCore
public import PatchbayDomain

/// The rows of ``SyntheticFeed`` as users.
public struct SyntheticUsers: UserSource {
    public static let pageUsers = SyntheticFeed.pageIDs

    private let feed: SyntheticFeed
    // The declaration is this module's own.
    private static let resource = try! Resource(SyntheticFeed.users, api: SyntheticFeed.word)

    public init(_ feed: SyntheticFeed) { self.feed = feed }

    public init(seed: UInt64 = 1, idMax: Int64, revision: UInt64 = 0, delay: Duration = .zero) {
        feed = SyntheticFeed(seed: seed, idMax: idMax, revision: revision, delay: delay)
    }

    public var seed: UInt64 { feed.seed }
    public var idMax: Int64 { feed.idMax }

    public func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        var request = ItemRequest(ListQuestion(Self.resource))
        switch page {
        case .first(let start): request.question.after = start.id
        case .next(let next): request.next = next
        }
        switch try await feed.page(request, ifChangedFrom: validator) {
        case .unchanged: return .unchanged
        case .changed(let page, let validator):
            return .changed(UserPage(users: page.items.map(User.init), next: page.next), validator)
        }
    }

    public func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        switch try await feed.item(login, of: Self.resource, ifChangedFrom: validator) {
        case .unchanged: .unchanged
        case .changed(let item, let validator): .changed(User(item), validator)
        }
    }

    /// The user with an id, with its detail; nil when the id is missing.
    public func user(_ id: Int64) -> User? {
        // What the feed makes can be kept.
        (try? feed.item(id, of: Self.resource)).flatMap { $0 }.map(User.init)
    }

    /// Whether there is a user with an id; without making it up.
    public func holds(_ id: Int64) -> Bool { feed.holds(id) }
}

extension User {
    fileprivate init(_ item: Item) {
        self.init(id: item.integer("id")!, login: item.text("login")!, url: item.text("url")!)
        nodeID = item.text("node_id")
        type = item.text("type")!
        userViewType = item.text("user_view_type")
        isSiteAdmin = item["site_admin"] == .boolean(true)
        avatarURL = item.text("avatar_url")
        gravatarID = item.text("gravatar_id")
        htmlURL = item.text("html_url")
        guard item.known.contains(position: item.resource.fields.count - 1) else { return }
        detail = Detail(
            name: item.text("name"), company: item.text("company"), blog: item.text("blog"),
            location: item.text("location"), email: item.text("email"),
            isHireable: item["hireable"].map { $0 == .boolean(true) }, bio: item.text("bio"),
            twitterUsername: item.text("twitter_username"), publicRepos: item.integer("public_repos"),
            publicGists: item.integer("public_gists"), followers: item.integer("followers"),
            following: item.integer("following"), createdAt: item.time("created_at"),
            updatedAt: item.time("updated_at"))
    }
}

extension Item {
    fileprivate func time(_ name: String) -> Timestamp? {
        guard case .time(let time) = self[name] else { return nil }
        return time
    }
}
