public import PatchbayCore

/// A repository: what lists and `GET /repos/{owner}/{repo}` tell.
///
/// Identity is the numeric id: owner and name may change. The list of all public repositories tells the first
/// group of fields only, other lists tell ``facts``, too, and ``detail`` is nil until the repository was
/// fetched alone.
public struct Repository: Hashable, Sendable {
    public var id: Int64
    /// The name without its owner.
    public var name: String
    /// `owner/name`.
    public var fullName: String
    public var owner: Owner
    public var nodeID: String?
    public var isPrivate: Bool
    public var isFork: Bool
    public var description: String?
    /// The API's address of the repository.
    public var url: String
    public var htmlURL: String?
    public var facts: Facts?
    public var detail: Detail?

    /// Whose it is.
    public struct Owner: Hashable, Sendable {
        public var id: Int64
        public var login: String
        /// `User` or `Organization`.
        public var type: String?

        public init(id: Int64, login: String, type: String? = nil) {
            self.id = id
            self.login = login
            self.type = type
        }
    }

    /// What the list of all public repositories leaves out.
    public struct Facts: Hashable, Sendable {
        public var homepage: String?
        public var language: String?
        public var defaultBranch: String?
        /// `public`, `private` or `internal`.
        public var visibility: String?
        public var stargazers: Int64?
        public var forks: Int64?
        public var openIssues: Int64?
        /// In kilobytes, as the source counts.
        public var size: Int64?
        public var isArchived: Bool?
        public var isDisabled: Bool?
        public var isTemplate: Bool?
        /// Each in small letters, digits and hyphens.
        public var topics: [String]
        /// The SPDX identifier of the license.
        public var license: String?
        public var hasIssues: Bool?
        public var hasWiki: Bool?
        public var hasPages: Bool?
        public var createdAt: Timestamp?
        public var updatedAt: Timestamp?
        public var pushedAt: Timestamp?
    }

    /// What only the repository's own address tells.
    public struct Detail: Hashable, Sendable {
        public var subscribers: Int64?
        /// The repositories of its network of forks.
        public var network: Int64?
        /// What it was forked from.
        public var parent: String?
        /// What the forks of its network began with.
        public var source: String?

        public init(
            subscribers: Int64? = nil, network: Int64? = nil, parent: String? = nil, source: String? = nil
        ) {
            self.subscribers = subscribers
            self.network = network
            self.parent = parent
            self.source = source
        }
    }
}

// In an extension, so that the compiler makes the memberwise initialisers, which rows are read with.
extension Repository {
    public init(id: Int64, owner: Owner, name: String, url: String) {
        self.init(
            id: id, name: name, fullName: "\(owner.login)/\(name)", owner: owner, isPrivate: false,
            isFork: false,
            url: url)
    }
}

extension Repository.Facts {
    public init() { self.init(topics: []) }
}

extension Repository {
    /// The fresh repository from a source, with what is stored where the answer was a row that does not tell
    /// it.
    public func merged(into stored: Repository?) -> Repository {
        guard let stored else { return self }
        precondition(stored.id == id, "repositories of two ids are not one")
        var merged = self
        merged.facts = facts ?? stored.facts
        merged.detail = detail ?? stored.detail
        return merged
    }
}
