import PatchbayDomain
import Testing

@Suite("The initials of titles")
struct InitialTests {
    @Test(
        "the initial is the first character in upper case, or # for a non-letter",
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
