public import PatchbayCore

/// A commit of a repository. It never changes: its name is a digest of what it holds.
public struct Commit: Hashable, Sendable {
    /// The commit's name: 40 or 64 hexadecimal digits.
    public var sha: String
    public var message: String
    /// The names of the commits it follows; none for a first commit, two or more for a merge.
    public var parents: [String]
    public var author: Signature
    public var committer: Signature
    public var tree: String?
    public var nodeID: String?
    public var htmlURL: String?
    public var commentCount: Int64?
    /// Whether the source could verify its signature; nil when it did not say.
    public var isVerified: Bool?
    /// What the source found about the signature, such as `valid` or `unsigned`.
    public var verificationReason: String?

    /// Who wrote or committed it, and when.
    public struct Signature: Hashable, Sendable {
        public var name: String?
        public var email: String?
        public var date: Timestamp?
        /// The account that the source found for the e-mail address.
        public var userID: Int64?
        public var login: String?

        public init(
            name: String? = nil, email: String? = nil, date: Timestamp? = nil, userID: Int64? = nil,
            login: String? = nil
        ) {
            self.name = name
            self.email = email
            self.date = date
            self.userID = userID
            self.login = login
        }
    }
}

// In an extension, so that the compiler makes the memberwise initialiser, which rows are read with.
extension Commit {
    public init(sha: String, message: String = "", parents: [String] = []) {
        self.init(
            sha: sha, message: message, parents: parents, author: Signature(), committer: Signature())
    }
}
