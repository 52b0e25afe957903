import PatchbayCore
import Testing

@Suite("key ranges") struct KeyRangeTests {
    private static let words = CollectionSchema(
        "words", key: 0, indexes: [byCount], fields: [Field("word", .text), Field("count", .integer)])
    private static let byCount = Index("by_count", .exact(1))

    private func range(_ bounds: Bounds, after: Key? = nil, _ order: Query.Order = .ascending) throws
        -> KeyRange
    {
        try Query(KeyRangeTests.words, bounds, after: after, order: order).keyRange()
    }

    @Test("each kind of bounds becomes a range of bytes")
    func bounds() throws {
        #expect(try range(.all) == KeyRange())
        #expect(try range(.equal("a")) == KeyRange(lower: [0x61, 0], upper: [0x61, 1]))
        #expect(try range(.prefix("a")) == KeyRange(lower: [0x61], upper: [0x62]))
        #expect(try range(.prefix("")) == KeyRange())
        #expect(try range(.prefix("\u{7F}")) == KeyRange(lower: [0x7F], upper: [0x80]))
        #expect(
            try range(.between(.including("a"), .excluding("b")))
                == KeyRange(lower: [0x61, 0], upper: [0x62, 0]))
        #expect(
            try range(.between(.excluding("a"), .including("b")))
                == KeyRange(lower: [0x61, 1], upper: [0x62, 1]))
        #expect(try range(.between(nil, nil)) == KeyRange())
    }

    @Test("after narrows the side at which the walk begins")
    func after() throws {
        #expect(try range(.all, after: "c") == KeyRange(lower: [0x63, 1]))
        #expect(try range(.all, after: "c", .descending) == KeyRange(upper: [0x63, 0]))
        #expect(try range(.equal("d"), after: "c") == KeyRange(lower: [0x64, 0], upper: [0x64, 1]))
        #expect(try range(.equal("b"), after: "c").isEmpty)
        #expect(try range(.equal("d"), after: "c", .descending).isEmpty)
        #expect(try range(.prefix("b"), after: "c", .descending) == KeyRange(lower: [0x62], upper: [0x63]))
    }

    @Test("nothing comes after the largest integer")
    func largest() throws {
        let max = Key.integer(.max), byCount = KeyRangeTests.byCount
        #expect(try Query(KeyRangeTests.words, by: byCount, after: max).keyRange().isEmpty)
        #expect(
            try Query(KeyRangeTests.words, by: byCount, .between(.excluding(max), nil)).keyRange().isEmpty)
        let equal = try Query(KeyRangeTests.words, by: byCount, .equal(max)).keyRange()
        #expect(equal.upper == nil && equal.lower == Array(repeating: 0xFF, count: 8) && !equal.isEmpty)
    }

    @Test("a range is empty when its end is not after its start")
    func empty() {
        #expect(KeyRange(lower: [1], upper: [1]).isEmpty)
        #expect(KeyRange(lower: [1, 0], upper: [1]).isEmpty)
        #expect(KeyRange(lower: [], upper: []).isEmpty)
        #expect(!KeyRange(lower: [1], upper: [1, 0]).isEmpty)
        #expect(!KeyRange().isEmpty)
    }
}
