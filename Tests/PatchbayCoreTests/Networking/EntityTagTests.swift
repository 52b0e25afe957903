import PatchbayCore
import Testing

@Suite("Entity tags")
struct EntityTagTests {
    @Test("tags compare weakly, lists are split at commas, and an empty tag is ignored")
    func tags() {
        #expect(EntityTag.isEqual("W/\"a\"", "\"a\""))
        #expect(!EntityTag.isEqual("\"a\"", "\"b\""))
        #expect(EntityTag.isListed("\"b\"", in: "\"a\", W/\"b\" ,\"c\""))
        #expect(EntityTag.isListed("\"a,b\"", in: "\"x\",\"a,b\""))
        #expect(!EntityTag.isListed("\"a\"", in: "\"a,b\""))
        #expect(EntityTag.isListed(nil, in: "*"))
        #expect(!EntityTag.isListed(nil, in: "\"a\""))
        #expect(!EntityTag.isListed("W/\"\"", in: "W/\"\""))
    }

    @Test("an empty tag identifies no answer", arguments: ["", "\"\"", "W/\"\"", "W/"])
    func empty(_ tag: String) {
        #expect(!EntityTag.isUsable(tag))
        #expect(EntityTag.isUsable(tag + "x"))
    }
}
