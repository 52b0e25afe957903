public import PatchbayCore

/// A GitHub account: what `GET /users` and `GET /users/{login}` tell, and what was edited here.
///
/// A list tells the first group of fields only; ``detail`` is nil until the user was fetched alone. Identity is the
/// numeric id: the login of an account may change.
public struct User: Hashable, Sendable {
    public var id: Int64
    public var login: String
    public var nodeID: String?
    /// `User`, `Organization`, `Bot` or what else the API says.
    public var type: String
    public var userViewType: String?
    public var isSiteAdmin: Bool
    public var avatarURL: String?
    public var gravatarID: String?
    /// The API's address of the user. The addresses of followers, repositories and so on derive from it.
    public var url: String
    public var htmlURL: String?
    public var detail: Detail?
    /// A name that somebody set here. It stands beside the upstream name and survives every refresh.
    public var nameOverride: String?

    /// What only the user's own address tells.
    public struct Detail: Hashable, Sendable {
        public var name: String?
        public var company: String?
        public var blog: String?
        public var location: String?
        public var email: String?
        public var isHireable: Bool?
        public var bio: String?
        public var twitterUsername: String?
        public var publicRepos: Int64?
        public var publicGists: Int64?
        public var followers: Int64?
        public var following: Int64?
        public var createdAt: Timestamp?
        public var updatedAt: Timestamp?

        public init(
            name: String? = nil, company: String? = nil, blog: String? = nil, location: String? = nil,
            email: String? = nil, isHireable: Bool? = nil, bio: String? = nil,
            twitterUsername: String? = nil, publicRepos: Int64? = nil, publicGists: Int64? = nil,
            followers: Int64? = nil, following: Int64? = nil, createdAt: Timestamp? = nil,
            updatedAt: Timestamp? = nil
        ) {
            self.name = name
            self.company = company
            self.blog = blog
            self.location = location
            self.email = email
            self.isHireable = isHireable
            self.bio = bio
            self.twitterUsername = twitterUsername
            self.publicRepos = publicRepos
            self.publicGists = publicGists
            self.followers = followers
            self.following = following
            self.createdAt = createdAt
            self.updatedAt = updatedAt
        }
    }

    /// The name to show: the one that was set here, else the upstream one.
    public var name: String? { nameOverride ?? detail?.name }
}

// In an extension, so that the compiler makes the memberwise initialiser, which rows are read with.
extension User {
    public init(id: Int64, login: String, url: String) {
        self.init(id: id, login: login, type: "User", isSiteAdmin: false, url: url)
    }
}

// MARK: - Addresses that derive from the user's own

extension User {
    public var followersURL: String { url + "/followers" }
    public var followingURL: String { url + "/following{/other_user}" }
    public var gistsURL: String { url + "/gists{/gist_id}" }
    public var starredURL: String { url + "/starred{/owner}{/repo}" }
    public var subscriptionsURL: String { url + "/subscriptions" }
    public var organizationsURL: String { url + "/orgs" }
    public var reposURL: String { url + "/repos" }
    public var eventsURL: String { url + "/events{/privacy}" }
    public var receivedEventsURL: String { url + "/received_events" }
}

// MARK: - A refresh

extension User {
    /// The fresh user from a source, with what was edited here kept, and the stored detail where the source's answer
    /// was a list row without one.
    public func merged(into stored: User?) -> User {
        guard let stored else { return self }
        precondition(stored.id == id, "users of two ids are not one")
        var merged = self
        merged.nameOverride = stored.nameOverride
        merged.detail = detail ?? stored.detail
        return merged
    }
}
