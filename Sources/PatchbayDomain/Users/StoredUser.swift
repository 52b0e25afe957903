public import PatchbayCore

/// A user as it stands in the storage: with when and how it was fetched.
public struct StoredUser: Hashable, Sendable {
    public var user: User
    /// When a list or the user's own address last told about it.
    public var fetchedAt: Timestamp
    /// When the detail was fetched or confirmed; nil while there is none.
    public var detailFetchedAt: Timestamp?
    /// What the source gave to ask with, whether the detail has changed.
    public var detailValidator: Validator
    /// When the source stopped listing the user: it is absent from the page that would hold it, or another account
    /// has taken its login. The row stays; lists leave it out. A 404 of the user's own address is a ``refusal``.
    public var goneAt: Timestamp?
    /// Why the source does not tell about it although it knows it. The row stays in lists.
    public var refusal: StoredRefusal?
}

extension StoredUser {
    public init(user: User, fetchedAt: Timestamp) {
        self.init(user: user, fetchedAt: fetchedAt, detailValidator: Validator())
    }
}

extension StoredUser: Record {
    static let id = Column<Int64>(0, "id")
    static let login = Column<String>(1, "login")
    static let nodeID = Column<String?>(2, "node_id")
    static let type = Column<String>(3, "type")
    static let userViewType = Column<String?>(4, "user_view_type")
    static let isSiteAdmin = Column<Bool>(5, "site_admin")
    static let avatarURL = Column<String?>(6, "avatar_url")
    static let gravatarID = Column<String?>(7, "gravatar_id")
    static let url = Column<String>(8, "url")
    static let htmlURL = Column<String?>(9, "html_url")
    static let name = Column<String?>(10, "name")
    static let company = Column<String?>(11, "company")
    static let blog = Column<String?>(12, "blog")
    static let location = Column<String?>(13, "location")
    static let email = Column<String?>(14, "email")
    static let isHireable = Column<Bool?>(15, "hireable")
    static let bio = Column<String?>(16, "bio")
    static let twitterUsername = Column<String?>(17, "twitter_username")
    static let publicRepos = Column<Int64?>(18, "public_repos")
    static let publicGists = Column<Int64?>(19, "public_gists")
    static let followers = Column<Int64?>(20, "followers")
    static let following = Column<Int64?>(21, "following")
    static let createdAt = Column<Timestamp?>(22, "created_at_ms")
    static let updatedAt = Column<Timestamp?>(23, "updated_at_ms")
    static let nameOverride = Column<String?>(24, "name_override")
    static let fetchedAt = Column<Timestamp>(25, "fetched_at_ms")
    static let detailFetchedAt = Column<Timestamp?>(26, "detail_fetched_at_ms")
    static let detailEntityTag = Column<String?>(27, "detail_etag")
    static let detailLastModified = Column<String?>(28, "detail_last_modified")
    static let goneAt = Column<Timestamp?>(29, "gone_at_ms")
    static let detailPartition = Column<String?>(30, "detail_partition")
    static let refusal = RefusalColumns(at: 31)
    static let foldedName = Column<String?>(34, "folded_name")

    /// Logins in the order of their letters, big or small alike. Not unique: while an account is being
    /// renamed, two rows may carry one login until both were refreshed.
    public static let byLogin = Index("by_login", .caseFolded(login.position))

    /// The names that are shown, case-folded, of each the first ``foldedNameBytesMax`` bytes; empty where there is no
    /// name. Null in rows that were written before there was this field, so these are found by it.
    public static let byFoldedName = Index("by_folded_name", .exact(foldedName.position))

    /// How much of a name the index holds.
    public static let foldedNameBytesMax = 200

    public static let collection = Collection(
        "users", key: id.position, indexes: [byLogin, byFoldedName],
        fields: [
            id.field, login.field, nodeID.field, type.field, userViewType.field, isSiteAdmin.field,
            avatarURL.field, gravatarID.field, url.field, htmlURL.field, name.field, company.field,
            blog.field, location.field, email.field, isHireable.field, bio.field, twitterUsername.field,
            publicRepos.field, publicGists.field, followers.field, following.field, createdAt.field,
            updatedAt.field, nameOverride.field, fetchedAt.field, detailFetchedAt.field,
            detailEntityTag.field, detailLastModified.field, goneAt.field, detailPartition.field,
        ] + refusal.fields + [foldedName.field])

    /// What a ``User/Detail`` is made of.
    static var detail: ClosedRange<Int> { name.position...updatedAt.position }

    /// Whether lists leave the row out; tells without making a record of it.
    public static func isGone(_ row: borrowing Row) -> Bool { !row.isNull(goneAt.position) }

    /// Whether the detail was never fetched of a user that the source may tell about; without making a
    /// record.
    public static func lacksDetail(_ row: borrowing Row) -> Bool {
        row.isNull(detailFetchedAt.position) && !isGone(row) && row.isNull(refusal.kind.position)
    }

    /// One call instead of one assignment a field: Swift 6.3 then makes the value in place, without a copy of it
    /// at the end.
    public init(_ row: borrowing Row) {
        self.init(
            user: User(row), fetchedAt: row[Self.fetchedAt], detailFetchedAt: row[Self.detailFetchedAt],
            detailValidator: Validator(
                entityTag: row[Self.detailEntityTag], lastModified: row[Self.detailLastModified],
                partition: row[Self.detailPartition]),
            goneAt: row[Self.goneAt], refusal: Self.refusal.read(row))
    }

    public func write(to row: inout RowBuilder) {
        row[Self.id] = user.id
        row[Self.login] = user.login
        row[Self.nodeID] = user.nodeID
        row[Self.type] = user.type
        row[Self.userViewType] = user.userViewType
        row[Self.isSiteAdmin] = user.isSiteAdmin
        row[Self.avatarURL] = user.avatarURL
        row[Self.gravatarID] = user.gravatarID
        row[Self.url] = user.url
        row[Self.htmlURL] = user.htmlURL
        row[Self.nameOverride] = user.nameOverride
        row[Self.fetchedAt] = fetchedAt
        row[Self.detailFetchedAt] = detailFetchedAt
        row[Self.detailEntityTag] = detailValidator.entityTag
        row[Self.detailLastModified] = detailValidator.lastModified
        row[Self.detailPartition] = detailValidator.partition
        row[Self.goneAt] = goneAt
        Self.refusal.write(refusal, to: &row)
        row[Self.foldedName] = (user.name ?? "").caseFolded.beginning(bytesMax: Self.foldedNameBytesMax)
        user.detail?.write(to: &row)
    }
}

extension User {
    fileprivate init(_ row: borrowing Row) {
        self.init(
            id: row[StoredUser.id], login: row[StoredUser.login], nodeID: row[StoredUser.nodeID],
            type: row[StoredUser.type], userViewType: row[StoredUser.userViewType],
            isSiteAdmin: row[StoredUser.isSiteAdmin], avatarURL: row[StoredUser.avatarURL],
            gravatarID: row[StoredUser.gravatarID], url: row[StoredUser.url],
            htmlURL: row[StoredUser.htmlURL],
            detail: row.has(StoredUser.detail, fetched: StoredUser.detailFetchedAt) ? Detail(row) : nil,
            nameOverride: row[StoredUser.nameOverride])
    }
}

extension User.Detail {
    fileprivate init(_ row: borrowing Row) {
        self.init(
            name: row[StoredUser.name], company: row[StoredUser.company], blog: row[StoredUser.blog],
            location: row[StoredUser.location], email: row[StoredUser.email],
            isHireable: row[StoredUser.isHireable], bio: row[StoredUser.bio],
            twitterUsername: row[StoredUser.twitterUsername], publicRepos: row[StoredUser.publicRepos],
            publicGists: row[StoredUser.publicGists], followers: row[StoredUser.followers],
            following: row[StoredUser.following], createdAt: row[StoredUser.createdAt],
            updatedAt: row[StoredUser.updatedAt])
    }

    fileprivate func write(to row: inout RowBuilder) {
        row[StoredUser.name] = name
        row[StoredUser.company] = company
        row[StoredUser.blog] = blog
        row[StoredUser.location] = location
        row[StoredUser.email] = email
        row[StoredUser.isHireable] = isHireable
        row[StoredUser.bio] = bio
        row[StoredUser.twitterUsername] = twitterUsername
        row[StoredUser.publicRepos] = publicRepos
        row[StoredUser.publicGists] = publicGists
        row[StoredUser.followers] = followers
        row[StoredUser.following] = following
        row[StoredUser.createdAt] = createdAt
        row[StoredUser.updatedAt] = updatedAt
    }
}
