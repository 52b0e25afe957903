public import PatchbayCore

/// A user that somebody marked as a favourite, as the user was then.
///
/// It does not depend on the user's own row: it stays when the users are cleared and when the source deletes the
/// account.
public struct StoredFavourite: Hashable, Sendable {
    /// The user's id.
    public var id: Int64
    public var login: String
    /// The name that was shown: the one that was edited here, else the upstream one.
    public var name: String?
    public var type: String
    public var isSiteAdmin: Bool
    public var avatarURL: String?
    public var url: String
    public var htmlURL: String?
    public var addedAt: Timestamp

    public init(of user: User, addedAt: Timestamp) {
        id = user.id
        login = user.login
        name = user.name
        type = user.type
        isSiteAdmin = user.isSiteAdmin
        avatarURL = user.avatarURL
        url = user.url
        htmlURL = user.htmlURL
        self.addedAt = addedAt
    }

    /// What it is called in a list: the name, or the login where there is none or an empty one.
    public var title: String { name.flatMap { $0.isEmpty ? nil : $0 } ?? login }

    /// As much of the title as its order goes by: the first 200 bytes, in whole characters of Unicode.
    public var sortTitle: String { title.beginning(bytesMax: 200) }
}

extension StoredFavourite: Record {
    static let id = Column<Int64>(0, "id")
    static let login = Column<String>(1, "login")
    static let sortTitle = Column<String>(2, "sort_title")
    static let name = Column<String?>(3, "name")
    static let type = Column<String>(4, "type")
    static let isSiteAdmin = Column<Bool>(5, "site_admin")
    static let avatarURL = Column<String?>(6, "avatar_url")
    static let url = Column<String>(7, "url")
    static let htmlURL = Column<String?>(8, "html_url")
    static let addedAt = Column<Timestamp>(9, "added_at_ms")

    /// Titles in the order of the storage: by their bytes, A to Z like a to z; of each the first 200 bytes.
    public static let byTitle = Index("by_title", .caseFolded(sortTitle.position))
    public static let byLogin = Index("by_login", .caseFolded(login.position))

    public static let collection = Collection(
        "favourites", key: id.position, indexes: [byTitle, byLogin],
        fields: [
            id.field, login.field, sortTitle.field, name.field, type.field, isSiteAdmin.field,
            avatarURL.field, url.field, htmlURL.field, addedAt.field,
        ])

    /// The fields that ``id(_:)`` reads.
    public static let idField = FieldSet(positions: [id.position])

    /// The id in a row; without making a record of it.
    public static func id(_ row: borrowing Row) -> Int64 { row[id] }

    public init(_ row: borrowing Row) {
        id = row[Self.id]
        login = row[Self.login]
        name = row[Self.name]
        type = row[Self.type]
        isSiteAdmin = row[Self.isSiteAdmin]
        avatarURL = row[Self.avatarURL]
        url = row[Self.url]
        htmlURL = row[Self.htmlURL]
        addedAt = row[Self.addedAt]
    }

    public func write(to row: inout RowBuilder) {
        row[Self.id] = id
        row[Self.login] = login
        row[Self.sortTitle] = sortTitle
        row[Self.name] = name
        row[Self.type] = type
        row[Self.isSiteAdmin] = isSiteAdmin
        row[Self.avatarURL] = avatarURL
        row[Self.url] = url
        row[Self.htmlURL] = htmlURL
        row[Self.addedAt] = addedAt
    }
}
