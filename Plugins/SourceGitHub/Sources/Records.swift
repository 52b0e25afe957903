public import PatchbayCore
public import PatchbayDomain

/// A user or an organization, as `gateway.list(User.self)` returns it.
///
/// Fields that only the user's own address returns are nil until it has been fetched.
public struct User: ResourceRecord, Hashable {
    public static let resource = "users"

    public var id: Int64
    public var login: String
    public var nodeID: String?
    public var avatarURL: String?
    public var url: String?
    public var htmlURL: String?
    /// `User`, `Organization` or `Bot`.
    public var type: String?
    public var isSiteAdmin: Bool?
    public var name: String?
    public var company: String?
    public var blog: String?
    public var location: String?
    public var email: String?
    public var isHireable: Bool?
    public var bio: String?
    public var twitterUsername: String?
    public var publicRepos: Int?
    public var publicGists: Int?
    public var followers: Int?
    public var following: Int?
    public var createdAt: Timestamp?
    public var updatedAt: Timestamp?
}

/// A repository, as `gateway.list(Repository.self, "octocat")` returns it.
public struct Repository: ResourceRecord, Hashable {
    public static let resource = "repos"

    public var id: Int64
    public var name: String
    /// Such as `octocat/Hello-World`.
    public var fullName: String
    public var nodeID: String?
    public var ownerID: Int64?
    public var ownerLogin: String?
    public var ownerType: String?
    public var isPrivate: Bool?
    public var isFork: Bool?
    public var description: String?
    public var url: String?
    public var htmlURL: String?
    public var homepage: String?
    public var language: String?
    public var defaultBranch: String?
    public var visibility: String?
    public var stargazersCount: Int?
    public var forksCount: Int?
    public var openIssuesCount: Int?
    /// In KiB, as GitHub counts it.
    public var size: Int?
    public var isArchived: Bool?
    public var isDisabled: Bool?
    public var isTemplate: Bool?
    public var topics: [String]?
    /// The SPDX identifier.
    public var license: String?
    public var hasIssues: Bool?
    public var hasWiki: Bool?
    public var hasPages: Bool?
    public var createdAt: Timestamp?
    public var updatedAt: Timestamp?
    public var pushedAt: Timestamp?
    public var subscribersCount: Int?
    public var networkCount: Int?
    /// The full name of the repository that this one was forked from.
    public var parent: String?
    /// The full name of the repository at the root of the fork network.
    public var source: String?
}

/// A commit of a repository's default branch, as `gateway.list(Commit.self, "octocat/Hello-World")` returns it.
public struct Commit: ResourceRecord, Hashable {
    public static let resource = "commits"

    public var repositoryID: Int64
    public var sha: String
    public var nodeID: String?
    public var message: String?
    /// The hashes of the parent commits; more than one for a merge.
    public var parents: [String]?
    public var tree: String?
    public var htmlURL: String?
    public var commentCount: Int?
    /// Whether the signature is known to be the committer's.
    public var isVerified: Bool?
    public var verificationReason: String?
    public var authorName: String?
    public var authorEmail: String?
    public var authorDate: Timestamp?
    /// The account of the author's email address; nil if there is none.
    public var authorID: Int64?
    public var authorLogin: String?
    public var committerName: String?
    public var committerEmail: String?
    public var committerDate: Timestamp?
    public var committerID: Int64?
    public var committerLogin: String?
}
