import PatchbayCore
import PatchbayDomain
import Testing

@Suite("Favourites, kept edits and clearings as rows")
struct FavouriteTests {
    private func roundTrip<R: Record>(_ record: R) throws -> R {
        var builder = RowBuilder()
        builder.begin(R.collection)
        record.write(to: &builder)
        return R(try builder.finish())
    }

    private func favourite(_ name: String?) -> StoredFavourite {
        var user = User(id: 7, login: "octo", url: "u")
        (user.avatarURL, user.htmlURL, user.isSiteAdmin, user.type) = ("a", "h", true, "Bot")
        user.nameOverride = name
        return StoredFavourite(of: user, addedAt: Timestamp(milliseconds: 5))
    }

    @Test("a favourite, a kept edit and a clearing come back as they were")
    func rows() throws {
        for name in [nil, "", "Ada\u{2028}", String(repeating: "🧭", count: 300)] {
            #expect(try roundTrip(favourite(name)) == favourite(name))
        }
        let edit = StoredUserEdit(id: 3, name: "Mine")
        #expect(try roundTrip(edit) == edit)
        let clearing = StoredClearing(list: "users", count: 4, clearedAt: Timestamp(milliseconds: 1))
        #expect(try roundTrip(clearing) == clearing)
    }

    @Test("the title is the name, or the login where there is none or an empty one")
    func title() {
        #expect(favourite("Ada").title == "Ada")
        #expect(favourite("").title == "octo")
        #expect(favourite(nil).title == "octo")
    }

    @Test(
        "the initial is the first character in upper case, or # for what is no letter",
        arguments: [
            ("ada", "A"), ("Ada", "A"), ("élan", "É"), ("e\u{301}lan", "É"), ("Émile", "É"), ("ßeta", "ß"),
            ("김철수", "김"), ("\u{1100}\u{1175}\u{11B7}철수", "김"), ("李", "李"), ("жук", "Ж"), ("ǆ", "Ǆ"),
            ("7up", "#"), ("🧭", "#"), ("👩‍🚀", "#"), ("", "#"), (" a", "#"), ("\u{301}a", "#"), ("_", "#"),
            ("#", "#"),
        ])
    func initial(_ title: String, _ initial: Character) {
        #expect(Initial(of: title).character == initial)
    }
}
