public import PatchbayCore

/// A repository as it stands in the storage: with when and how it was fetched.
public struct StoredRepository: Hashable, Sendable {
    public var repository: Repository
    /// When a list or the repository's own address last told about it.
    public var fetchedAt: Timestamp
    /// When the detail was fetched or confirmed; nil while there is none.
    public var detailFetchedAt: Timestamp?
    /// What the source gave to ask with, whether the detail has changed.
    public var detailValidator: Validator
    /// When the source stopped listing it: a whole list of its owner lacks it, or another repository has taken its
    /// name. The row stays; lists leave it out. A 404 of the repository's own address is a ``refusal``.
    public var goneAt: Timestamp?
    /// Why the source does not tell about it although it knows it. The row stays in lists.
    public var refusal: StoredRefusal?
}

extension StoredRepository {
    public init(repository: Repository, fetchedAt: Timestamp) {
        self.init(repository: repository, fetchedAt: fetchedAt, detailValidator: Validator())
    }
}

extension StoredRepository: Record {
    static let id = Column<Int64>(0, "id")
    static let name = Column<String>(1, "name")
    static let fullName = Column<String>(2, "full_name")
    static let ownerID = Column<Int64>(3, "owner_id")
    static let ownerLogin = Column<String>(4, "owner_login")
    static let ownerType = Column<String?>(5, "owner_type")
    static let nodeID = Column<String?>(6, "node_id")
    static let isPrivate = Column<Bool>(7, "is_private")
    static let isFork = Column<Bool>(8, "is_fork")
    static let about = Column<String?>(9, "description")
    static let url = Column<String>(10, "url")
    static let htmlURL = Column<String?>(11, "html_url")
    static let homepage = Column<String?>(12, "homepage")
    static let language = Column<String?>(13, "language")
    static let defaultBranch = Column<String?>(14, "default_branch")
    static let visibility = Column<String?>(15, "visibility")
    static let stargazers = Column<Int64?>(16, "stargazers")
    static let forks = Column<Int64?>(17, "forks")
    static let openIssues = Column<Int64?>(18, "open_issues")
    static let size = Column<Int64?>(19, "size_kb")
    static let isArchived = Column<Bool?>(20, "is_archived")
    static let isDisabled = Column<Bool?>(21, "is_disabled")
    static let isTemplate = Column<Bool?>(22, "is_template")
    static let topics = Column<String?>(23, "topics")
    static let license = Column<String?>(24, "license")
    static let hasIssues = Column<Bool?>(25, "has_issues")
    static let hasWiki = Column<Bool?>(26, "has_wiki")
    static let hasPages = Column<Bool?>(27, "has_pages")
    static let createdAt = Column<Timestamp?>(28, "created_at_ms")
    static let updatedAt = Column<Timestamp?>(29, "updated_at_ms")
    static let pushedAt = Column<Timestamp?>(30, "pushed_at_ms")
    static let subscribers = Column<Int64?>(31, "subscribers")
    static let network = Column<Int64?>(32, "network")
    static let parent = Column<String?>(33, "parent")
    static let source = Column<String?>(34, "source")
    static let fetchedAt = Column<Timestamp>(35, "fetched_at_ms")
    static let detailFetchedAt = Column<Timestamp?>(36, "detail_fetched_at_ms")
    static let detailEntityTag = Column<String?>(37, "detail_etag")
    static let detailLastModified = Column<String?>(38, "detail_last_modified")
    static let detailPartition = Column<String?>(39, "detail_partition")
    static let goneAt = Column<Timestamp?>(40, "gone_at_ms")
    static let refusal = RefusalColumns(at: 41)

    /// What ``Repository/Facts`` are made of.
    static var facts: ClosedRange<Int> { homepage.position...pushedAt.position }
    /// What a ``Repository/Detail`` is made of.
    static var detail: ClosedRange<Int> { subscribers.position...source.position }

    /// Full names in the order of their letters, big or small alike. Not unique: while a repository is being
    /// renamed, two rows may carry one name until both were refreshed.
    public static let byFullName = Index("by_full_name", .caseFolded(fullName.position))
    /// The repositories of an owner in the order of their ids.
    public static let byOwner = Index("by_owner", .exact(ownerID.position))

    public static let collection = Collection(
        "repositories", key: id.position, indexes: [byFullName, byOwner],
        fields: [
            id.field, name.field, fullName.field, ownerID.field, ownerLogin.field, ownerType.field,
            nodeID.field, isPrivate.field, isFork.field, about.field, url.field, htmlURL.field,
            homepage.field, language.field, defaultBranch.field, visibility.field, stargazers.field,
            forks.field, openIssues.field, size.field, isArchived.field, isDisabled.field,
            isTemplate.field, topics.field, license.field, hasIssues.field, hasWiki.field,
            hasPages.field, createdAt.field, updatedAt.field, pushedAt.field, subscribers.field,
            network.field, parent.field, source.field, fetchedAt.field, detailFetchedAt.field,
            detailEntityTag.field, detailLastModified.field, detailPartition.field, goneAt.field,
        ] + refusal.fields)

    /// Whether lists leave the row out; tells without making a record of it.
    public static func isGone(_ row: borrowing Row) -> Bool { !row.isNull(goneAt.position) }

    /// One call instead of one assignment a field: see ``StoredUser``.
    public init(_ row: borrowing Row) {
        self.init(
            repository: Repository(row), fetchedAt: row[Self.fetchedAt],
            detailFetchedAt: row[Self.detailFetchedAt],
            detailValidator: Validator(
                entityTag: row[Self.detailEntityTag], lastModified: row[Self.detailLastModified],
                partition: row[Self.detailPartition]),
            goneAt: row[Self.goneAt], refusal: Self.refusal.read(row))
    }

    public func write(to row: inout RowBuilder) {
        row[Self.id] = repository.id
        row[Self.name] = repository.name
        row[Self.fullName] = repository.fullName
        row[Self.ownerID] = repository.owner.id
        row[Self.ownerLogin] = repository.owner.login
        row[Self.ownerType] = repository.owner.type
        row[Self.nodeID] = repository.nodeID
        row[Self.isPrivate] = repository.isPrivate
        row[Self.isFork] = repository.isFork
        row[Self.about] = repository.description
        row[Self.url] = repository.url
        row[Self.htmlURL] = repository.htmlURL
        repository.facts?.write(to: &row)
        repository.detail?.write(to: &row)
        row[Self.fetchedAt] = fetchedAt
        row[Self.detailFetchedAt] = detailFetchedAt
        row[Self.detailEntityTag] = detailValidator.entityTag
        row[Self.detailLastModified] = detailValidator.lastModified
        row[Self.detailPartition] = detailValidator.partition
        row[Self.goneAt] = goneAt
        Self.refusal.write(refusal, to: &row)
    }
}

extension Repository {
    fileprivate init(_ row: borrowing Row) {
        self.init(
            id: row[StoredRepository.id], name: row[StoredRepository.name],
            fullName: row[StoredRepository.fullName],
            owner: Owner(
                id: row[StoredRepository.ownerID], login: row[StoredRepository.ownerLogin],
                type: row[StoredRepository.ownerType]),
            nodeID: row[StoredRepository.nodeID], isPrivate: row[StoredRepository.isPrivate],
            isFork: row[StoredRepository.isFork], description: row[StoredRepository.about],
            url: row[StoredRepository.url], htmlURL: row[StoredRepository.htmlURL],
            // Every answer that tells facts tells topics, be there none.
            facts: row.has(StoredRepository.facts, fetched: StoredRepository.topics) ? Facts(row) : nil,
            detail: row.has(StoredRepository.detail, fetched: StoredRepository.detailFetchedAt)
                ? Detail(row) : nil)
    }
}

extension Repository.Facts {
    fileprivate init(_ row: borrowing Row) {
        self.init(
            homepage: row[StoredRepository.homepage], language: row[StoredRepository.language],
            defaultBranch: row[StoredRepository.defaultBranch],
            visibility: row[StoredRepository.visibility], stargazers: row[StoredRepository.stargazers],
            forks: row[StoredRepository.forks], openIssues: row[StoredRepository.openIssues],
            size: row[StoredRepository.size], isArchived: row[StoredRepository.isArchived],
            isDisabled: row[StoredRepository.isDisabled], isTemplate: row[StoredRepository.isTemplate],
            topics: (row[StoredRepository.topics] ?? "").split(separator: " ").map(String.init),
            license: row[StoredRepository.license], hasIssues: row[StoredRepository.hasIssues],
            hasWiki: row[StoredRepository.hasWiki], hasPages: row[StoredRepository.hasPages],
            createdAt: row[StoredRepository.createdAt], updatedAt: row[StoredRepository.updatedAt],
            pushedAt: row[StoredRepository.pushedAt])
    }

    fileprivate func write(to row: inout RowBuilder) {
        row[StoredRepository.homepage] = homepage
        row[StoredRepository.language] = language
        row[StoredRepository.defaultBranch] = defaultBranch
        row[StoredRepository.visibility] = visibility
        row[StoredRepository.stargazers] = stargazers
        row[StoredRepository.forks] = forks
        row[StoredRepository.openIssues] = openIssues
        row[StoredRepository.size] = size
        row[StoredRepository.isArchived] = isArchived
        row[StoredRepository.isDisabled] = isDisabled
        row[StoredRepository.isTemplate] = isTemplate
        row[StoredRepository.topics] = topics.joined(separator: " ")
        row[StoredRepository.license] = license
        row[StoredRepository.hasIssues] = hasIssues
        row[StoredRepository.hasWiki] = hasWiki
        row[StoredRepository.hasPages] = hasPages
        row[StoredRepository.createdAt] = createdAt
        row[StoredRepository.updatedAt] = updatedAt
        row[StoredRepository.pushedAt] = pushedAt
    }
}

extension Repository.Detail {
    fileprivate init(_ row: borrowing Row) {
        self.init(
            subscribers: row[StoredRepository.subscribers], network: row[StoredRepository.network],
            parent: row[StoredRepository.parent], source: row[StoredRepository.source])
    }

    fileprivate func write(to row: inout RowBuilder) {
        row[StoredRepository.subscribers] = subscribers
        row[StoredRepository.network] = network
        row[StoredRepository.parent] = parent
        row[StoredRepository.source] = source
    }
}
