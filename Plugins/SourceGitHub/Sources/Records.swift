public import PatchbayCore
public import PatchbayDomain

/// A user or an organization, as `gateway.list(User.self)` returns it.
///
/// Fields that only the user's own address returns are nil until it has been fetched.
public struct User: ResourceRecord, Hashable {
    /// The resource `users` of the definition `github.conf`.
    public static let resource = "users"

    /// The account's number, which never changes.
    public var id: Int64
    /// The account's name in addresses; the owner can change it.
    public var login: String
    /// The global id in the GraphQL API.
    public var nodeID: String?
    /// The address of the avatar.
    public var avatarURL: String?
    /// The address of the user in the REST API.
    public var url: String?
    /// The address of the profile on the website.
    public var htmlURL: String?
    /// `User`, `Organization` or `Bot`.
    public var type: String?
    /// Whether the account administers the server; on github.com, whether it belongs to GitHub's staff.
    public var isSiteAdmin: Bool?
    /// The display name; an edit by the gateway's user replaces it.
    public var name: String?
    /// The company as the user wrote it, such as `@github`.
    public var company: String?
    /// The address of the user's website as the user wrote it, often without `https://`.
    public var blog: String?
    /// The place as the user wrote it.
    public var location: String?
    /// The public email address; nil when the user shows none.
    public var email: String?
    /// Whether the user is open to job offers; nil when the user has not chosen.
    public var isHireable: Bool?
    /// The text that the user wrote for the profile.
    public var bio: String?
    /// The name on Twitter, without `@`.
    public var twitterUsername: String?
    /// The number of public repositories that the account owns.
    public var publicRepos: Int?
    /// The number of public gists.
    public var publicGists: Int?
    /// The number of accounts that follow this one.
    public var followers: Int?
    /// The number of accounts that this one follows.
    public var following: Int?
    /// The time when the account was created.
    public var createdAt: Timestamp?
    /// The time when GitHub last changed the account's data.
    public var updatedAt: Timestamp?
}

/// A repository, as `gateway.list(Repository.self, "octocat")` returns it.
public struct Repository: ResourceRecord, Hashable {
    /// The resource `repos` of the definition `github.conf`.
    public static let resource = "repos"

    /// The repository's number, which a rename or a transfer does not change.
    public var id: Int64
    /// The name without the owner; unique among the owner's repositories.
    public var name: String
    /// Such as `octocat/Hello-World`.
    public var fullName: String
    /// The global id in the GraphQL API.
    public var nodeID: String?
    /// The number of the account that owns the repository (``User/id``).
    public var ownerID: Int64?
    /// The name of the account that owns the repository (``User/login``).
    public var ownerLogin: String?
    /// The type of the owner: `User` or `Organization`.
    public var ownerType: String?
    /// Whether only permitted accounts can see the repository.
    public var isPrivate: Bool?
    /// Whether the repository is a fork of another one.
    public var isFork: Bool?
    /// The short text about the repository; an edit by the gateway's user replaces it.
    public var description: String?
    /// The address of the repository in the REST API.
    public var url: String?
    /// The address of the repository on the website.
    public var htmlURL: String?
    /// The project's own website as the owner wrote it; nil or empty when the owner gave none.
    public var homepage: String?
    /// The language with the most bytes of code, as GitHub detects it; nil when it detects none.
    public var language: String?
    /// The branch that is shown first, such as `main`.
    public var defaultBranch: String?
    /// `public`, `private` or `internal`.
    public var visibility: String?
    /// The number of accounts that starred the repository.
    public var stargazersCount: Int?
    /// The number of forks.
    public var forksCount: Int?
    /// The number of open issues, including open pull requests.
    public var openIssuesCount: Int?
    /// In KiB, as GitHub counts it.
    public var size: Int?
    /// Whether the repository is archived, so that it can only be read.
    public var isArchived: Bool?
    /// Whether GitHub has disabled the repository.
    public var isDisabled: Bool?
    /// Whether new repositories can be created from this one.
    public var isTemplate: Bool?
    /// The topics that the owner chose.
    public var topics: [String]?
    /// The SPDX identifier.
    public var license: String?
    /// Whether issues are enabled.
    public var hasIssues: Bool?
    /// Whether the wiki is enabled.
    public var hasWiki: Bool?
    /// Whether the repository has a GitHub Pages site.
    public var hasPages: Bool?
    /// The time when the repository was created.
    public var createdAt: Timestamp?
    /// The time when GitHub last changed the repository's data, such as its description.
    public var updatedAt: Timestamp?
    /// The time of the last push to any branch; nil for a repository that was never pushed to.
    public var pushedAt: Timestamp?
    /// The number of accounts that watch the repository. Only the answer about a single repository contains it.
    public var subscribersCount: Int?
    /// The number of forks in the whole fork network. Only the answer about a single repository contains it.
    public var networkCount: Int?
    /// The full name of the repository that this one was forked from.
    public var parent: String?
    /// The full name of the repository at the root of the fork network.
    public var source: String?
}

/// A commit of a repository's default branch, as `gateway.list(Commit.self, "octocat/Hello-World")` returns it.
public struct Commit: ResourceRecord, Hashable {
    /// The resource `commits` of the definition `github.conf`.
    public static let resource = "commits"

    /// The number of the repository that the commit was listed in (``Repository/id``); part of the key.
    public var repositoryID: Int64
    /// The hash of the commit in hexadecimal; part of the key.
    public var sha: String
    /// The global id in the GraphQL API.
    public var nodeID: String?
    /// The whole message: the subject line and the text after it.
    public var message: String?
    /// The hashes of the parent commits; more than one for a merge.
    public var parents: [String]?
    /// The hash of the commit's tree.
    public var tree: String?
    /// The address of the commit on the website.
    public var htmlURL: String?
    /// The number of comments on the commit.
    public var commentCount: Int?
    /// Whether the signature is known to be the committer's.
    public var isVerified: Bool?
    /// GitHub's reason for ``isVerified``, such as `valid`, `unsigned` or `unknown_key`.
    public var verificationReason: String?
    /// The author's name as the commit states it.
    public var authorName: String?
    /// The author's email address as the commit states it.
    public var authorEmail: String?
    /// The time when the author wrote the change, as the commit states it.
    public var authorDate: Timestamp?
    /// The account of the author's email address; nil if there is none.
    public var authorID: Int64?
    /// The name of the account of the author's email address; nil if there is none.
    public var authorLogin: String?
    /// The name of the committer as the commit states it; `GitHub` for a merge on the website.
    public var committerName: String?
    /// The committer's email address as the commit states it.
    public var committerEmail: String?
    /// The time when the commit was created, as the commit states it; a rebase changes it, unlike ``authorDate``.
    public var committerDate: Timestamp?
    /// The number of the account of the committer's email address; nil if there is none.
    public var committerID: Int64?
    /// The name of the account of the committer's email address; nil if there is none.
    public var committerLogin: String?
}
