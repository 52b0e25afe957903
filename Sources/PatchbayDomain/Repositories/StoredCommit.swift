public import PatchbayCore

/// A commit as it stands in the storage, under its repository.
public struct StoredCommit: Hashable, Sendable {
    public var repositoryID: Int64
    public var commit: Commit
    public var fetchedAt: Timestamp

    public init(repositoryID: Int64, commit: Commit, fetchedAt: Timestamp) {
        self.repositoryID = repositoryID
        self.commit = commit
        self.fetchedAt = fetchedAt
    }
}

extension StoredCommit: Record {
    static let repositoryID = Column<Int64>(0, "repository_id")
    static let sha = Column<String>(1, "sha")
    static let message = Column<String>(2, "message")
    static let parents = Column<String>(3, "parents")
    static let authorName = Column<String?>(4, "author_name")
    static let authorEmail = Column<String?>(5, "author_email")
    static let authoredAt = Column<Timestamp?>(6, "authored_at_ms")
    static let authorID = Column<Int64?>(7, "author_id")
    static let authorLogin = Column<String?>(8, "author_login")
    static let committerName = Column<String?>(9, "committer_name")
    static let committerEmail = Column<String?>(10, "committer_email")
    static let committedAt = Column<Timestamp?>(11, "committed_at_ms")
    static let committerID = Column<Int64?>(12, "committer_id")
    static let committerLogin = Column<String?>(13, "committer_login")
    static let tree = Column<String?>(14, "tree")
    static let nodeID = Column<String?>(15, "node_id")
    static let htmlURL = Column<String?>(16, "html_url")
    static let commentCount = Column<Int64?>(17, "comment_count")
    static let isVerified = Column<Bool?>(18, "is_verified")
    static let verificationReason = Column<String?>(19, "verification_reason")
    static let fetchedAt = Column<Timestamp>(20, "fetched_at_ms")

    /// The commits of a repository in the order in which they were committed; walk it descending for the
    /// newest first.
    public static let byDate = Index(
        "by_date", .exact(repositoryID.position), .exact(committedAt.position))

    public static let collection = Collection(
        "commits", key: repositoryID.position, sha.position, indexes: [byDate],
        fields: [
            repositoryID.field, sha.field, message.field, parents.field, authorName.field, authorEmail.field,
            authoredAt.field, authorID.field, authorLogin.field, committerName.field, committerEmail.field,
            committedAt.field, committerID.field, committerLogin.field, tree.field, nodeID.field,
            htmlURL.field, commentCount.field, isVerified.field, verificationReason.field, fetchedAt.field,
        ])

    /// The key of a commit.
    public static func key(_ sha: String, in repositoryID: Int64) -> Key {
        [.integer(repositoryID), .text(sha)]
    }

    /// One call instead of one assignment a field: see ``StoredUser``.
    public init(_ row: borrowing Row) {
        self.init(
            repositoryID: row[Self.repositoryID],
            commit: Commit(
                sha: row[Self.sha], message: row[Self.message],
                parents: row[Self.parents].split(separator: " ").map(String.init),
                author: Commit.Signature(
                    name: row[Self.authorName], email: row[Self.authorEmail], date: row[Self.authoredAt],
                    userID: row[Self.authorID], login: row[Self.authorLogin]),
                committer: Commit.Signature(
                    name: row[Self.committerName], email: row[Self.committerEmail],
                    date: row[Self.committedAt], userID: row[Self.committerID],
                    login: row[Self.committerLogin]),
                tree: row[Self.tree], nodeID: row[Self.nodeID], htmlURL: row[Self.htmlURL],
                commentCount: row[Self.commentCount], isVerified: row[Self.isVerified],
                verificationReason: row[Self.verificationReason]),
            fetchedAt: row[Self.fetchedAt])
    }

    public func write(to row: inout RowBuilder) {
        row[Self.repositoryID] = repositoryID
        row[Self.sha] = commit.sha
        row[Self.message] = commit.message
        row[Self.parents] = commit.parents.joined(separator: " ")
        row[Self.authorName] = commit.author.name
        row[Self.authorEmail] = commit.author.email
        row[Self.authoredAt] = commit.author.date
        row[Self.authorID] = commit.author.userID
        row[Self.authorLogin] = commit.author.login
        row[Self.committerName] = commit.committer.name
        row[Self.committerEmail] = commit.committer.email
        row[Self.committedAt] = commit.committer.date
        row[Self.committerID] = commit.committer.userID
        row[Self.committerLogin] = commit.committer.login
        row[Self.tree] = commit.tree
        row[Self.nodeID] = commit.nodeID
        row[Self.htmlURL] = commit.htmlURL
        row[Self.commentCount] = commit.commentCount
        row[Self.isVerified] = commit.isVerified
        row[Self.verificationReason] = commit.verificationReason
        row[Self.fetchedAt] = fetchedAt
    }
}
