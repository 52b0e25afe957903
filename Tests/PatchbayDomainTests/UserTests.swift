import PatchbayCore
import PatchbayDomain
import Testing

@Suite("A user")
struct UserTests {
    private var full: StoredUser {
        var user = User(id: 7, login: "ada", url: "https://api.example.org/users/ada")
        (user.nodeID, user.userViewType, user.avatarURL) = ("N", "public", "https://a.example.org/7")
        (user.gravatarID, user.htmlURL, user.isSiteAdmin, user.type) = (
            "", "https://example.org/ada", true, "Bot"
        )
        var detail = User.Detail()
        (detail.name, detail.company, detail.blog, detail.location) = ("Ada", "C", "", "L")
        (detail.email, detail.isHireable, detail.bio, detail.twitterUsername) = ("e", false, "b", "t")
        (detail.publicRepos, detail.publicGists, detail.followers, detail.following) = (1, 2, 3, .max)
        (detail.createdAt, detail.updatedAt) = (Timestamp(milliseconds: -1), Timestamp(milliseconds: 5))
        (user.detail, user.nameOverride) = (detail, "Edited")
        var stored = StoredUser(user: user, fetchedAt: Timestamp(milliseconds: 1))
        stored.detailFetchedAt = Timestamp(milliseconds: 2)
        stored.detailValidator = Validator(entityTag: "W/\"x\"", lastModified: "then", partition: "me")
        stored.goneAt = Timestamp(milliseconds: 3)
        stored.refusal = StoredRefusal(Refusal(.forbidden), since: Timestamp(milliseconds: 4))
        return stored
    }

    private func roundTrip<R: Record>(_ record: R) throws -> R {
        var builder = RowBuilder()
        builder.begin(R.collection)
        record.write(to: &builder)
        return R(try builder.finish())
    }

    @Test("a stored user with everything, or with the least, comes back as it was")
    func storedUser() throws {
        let least = StoredUser(user: User(id: 1, login: "a", url: "u"), fetchedAt: Timestamp(milliseconds: 0))
        #expect(try roundTrip(full) == full)
        #expect(try roundTrip(least) == least)
    }

    @Test("a stored page comes back as it was")
    func storedPage() throws {
        let page = StoredUserPage(
            after: 0, end: 46, next: "https://api.example.org/users?since=46",
            validator: Validator(entityTag: "\"e\""),
            fetchedAt: Timestamp(milliseconds: 9), isFull: true)
        #expect(try roundTrip(page) == page)
    }

    @Test("a list row keeps the stored detail and the edited name; a new detail replaces the old one")
    func merging() {
        let stored = full.user
        var row = User(id: 7, login: "ada-renamed", url: "https://api.example.org/users/ada-renamed")
        #expect(row.merged(into: stored).detail == stored.detail)
        #expect(row.merged(into: stored).login == "ada-renamed")
        #expect(row.merged(into: stored).name == "Edited")
        row.detail = User.Detail()
        #expect(row.merged(into: stored).detail?.name == nil)
        #expect(row.merged(into: nil) == row)
    }

    @Test("the columns stand in the order of their positions")
    func columns() {
        #expect(StoredUser.collection.fields.map(\.name).firstIndex(of: "gone_at_ms") == 29)
        #expect(StoredUser.collection.fields.map(\.name).firstIndex(of: "name") == 10)
        #expect(Collection(definition: StoredUser.collection.definition) == StoredUser.collection)
    }
}
