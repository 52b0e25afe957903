import PatchbayCore
import Testing

@Suite("keys") struct KeyTests {
    @Test("two spellings of a character are different keys")
    func spellings() {
        #expect(Key.text("\u{E9}") != Key.text("e\u{301}"))
        #expect(Set<Key>(["\u{E9}", "e\u{301}", "\u{E9}"]).count == 2)
    }

    @Test("keys of different kinds and shapes differ, and equal values are equal")
    func equality() {
        let keys: [Key] = [.null, 0, 1, "", "0", [0], ["0"], [0, "0"], [.null], []]
        for (left, key) in keys.enumerated() {
            for (right, other) in keys.enumerated() { #expect((key == other) == (left == right)) }
        }
        #expect(Key.compound([1, "a"]) == [1, "a"])
        #expect(Key.compound([1, "a"]).hashValue == ([1, "a"] as Key).hashValue)
    }

    @Test("the description of a key shows its values")
    func description() {
        #expect(Key.compound([1, "a", .null]).description == #"(1, "a", null)"#)
        #expect(Key.integer(.min).values == [.integer(.min)])
        #expect(Key.compound([1, 2]).values == [1, 2])
    }
}
