import PatchbayCore

/// The record that is measured: the 23 fields that the bare engines store, 10 numbers and 13 texts of which 7 may be
/// null.
///
/// Patchbay's own `StoredUser` has 30 fields; storing those here and 23 there would compare unequal work.
struct BenchUser: Record, Hashable {
    let id: Int64
    var publicRepos, publicGists, followers, following, createdAt, updatedAt, fetchedAt: Int64
    var isSiteAdmin, isFavourite: Bool
    var login, nodeID, avatarURL, htmlURL, url, type: String
    var name, company, blog, location, email, bio, twitterUsername: String?

    static let byLogin = Index("by_login", .exact(10), unique: true)

    static let collection = Collection("users", key: 0, indexes: [byLogin], fields: fields)

    static let numberNames = [
        "id", "public_repos", "public_gists", "followers", "following", "created_at", "updated_at",
        "fetched_at",
        "site_admin", "favourite",
    ]
    static let textNames = [
        "login", "node_id", "avatar_url", "html_url", "url", "type", "name", "company", "blog", "location",
        "email",
        "bio", "twitter_username",
    ]
    static let textsRequired = 6

    static let fields =
        numberNames.map { Field($0, .integer) }
        + textNames.enumerated().map { Field($1, .text, isOptional: $0 >= textsRequired) }

    func write(to row: inout RowBuilder) {
        row.set(0, id)
        row.set(1, publicRepos)
        row.set(2, publicGists)
        row.set(3, followers)
        row.set(4, following)
        row.set(5, createdAt)
        row.set(6, updatedAt)
        row.set(7, fetchedAt)
        isSiteAdmin.write(to: &row, at: 8)
        isFavourite.write(to: &row, at: 9)
        row.set(10, login)
        row.set(11, nodeID)
        row.set(12, avatarURL)
        row.set(13, htmlURL)
        row.set(14, url)
        row.set(15, type)
        name.write(to: &row, at: 16)
        company.write(to: &row, at: 17)
        blog.write(to: &row, at: 18)
        location.write(to: &row, at: 19)
        email.write(to: &row, at: 20)
        bio.write(to: &row, at: 21)
        twitterUsername.write(to: &row, at: 22)
    }
}

extension BenchUser {
    /// One call instead of one assignment a field: Swift 6.3 then makes the value in place, without a copy of it at
    /// the end.
    init(_ row: borrowing Row) {
        self.init(
            id: row.integer(0), publicRepos: row.integer(1), publicGists: row.integer(2),
            followers: row.integer(3), following: row.integer(4), createdAt: row.integer(5),
            updatedAt: row.integer(6), fetchedAt: row.integer(7), isSiteAdmin: row.integer(8) != 0,
            isFavourite: row.integer(9) != 0, login: row.text(10), nodeID: row.text(11),
            avatarURL: row.text(12), htmlURL: row.text(13), url: row.text(14), type: row.text(15),
            name: String?(row, at: 16), company: String?(row, at: 17), blog: String?(row, at: 18),
            location: String?(row, at: 19), email: String?(row, at: 20), bio: String?(row, at: 21),
            twitterUsername: String?(row, at: 22))
    }
}

/// The same record without a secondary index, for a load that builds the index last.
struct UnindexedUser: Record {
    let user: BenchUser

    static let collection = Collection("users", key: 0, fields: BenchUser.fields)

    init(_ user: BenchUser) { self.user = user }

    init(_ row: borrowing Row) { user = BenchUser(row) }

    func write(to row: inout RowBuilder) { user.write(to: &row) }
}
