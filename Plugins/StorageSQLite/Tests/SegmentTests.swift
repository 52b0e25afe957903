import PatchbayCore
import Testing

@testable import StorageSQLite

@Suite("a query becomes segments")
struct SegmentTests {
    let users = TestCollections.users
    let orders = TestCollections.orders

    @Test("starting after a primary key is one segment")
    func afterPrimaryKey() throws {
        #expect(
            try Query(users, after: 7, limit: 20).segments
                == [Segment(equal: [], lower: .init(value: .integer(7), isInclusive: false))])
        #expect(
            try Query(users, after: 7, order: .descending).segments
                == [Segment(equal: [], upper: .init(value: .integer(7), isInclusive: false))])
    }

    @Test("a text prefix is one segment, up to the text that follows it")
    func prefix() throws {
        let segments = try Query(users, by: users.index(named: "by_login"), .prefix("Ab")).segments
        #expect(segments == [range(from: "ab", to: "ac")])
    }

    @Test("folded text after the prefix \"@\" starts at \"[\"")
    func prefixBeforeLetters() throws {
        let folded = try Query(users, by: users.index(named: "by_login"), .prefix("a@")).segments
        #expect(folded == [range(from: "a@", to: "a[")])
        let exact = try Query(orders, .prefix("a@")).segments
        #expect(exact == [range(from: "a@", to: "aA")])
    }

    @Test("starting after an index entry is the rest of its group, then the following groups")
    func afterEntry() throws {
        let index = users.index(named: "by_login")
        #expect(
            try Query(users, by: index, after: ["x", 5]).segments == [
                Segment(equal: [text("x")], lower: .init(value: .integer(5), isInclusive: false)),
                Segment(equal: [], lower: .init(value: text("x"), isInclusive: false)),
            ])
    }

    @Test("null comes first, in a segment of its own")
    func nullFirst() throws {
        let index = users.index(named: "by_name")
        let upper = Segment.Limit(value: text("m"), isInclusive: false)
        let bounds = Bounds.between(nil, .excluding("m"))
        let ascending = [Segment(equal: [.null]), Segment(equal: [], upper: upper)]
        #expect(try Query(users, by: index, bounds).segments == ascending)
        #expect(try Query(users, by: index, bounds, order: .descending).segments == ascending.reversed())
        let least = Segment.Limit(value: text(""), isInclusive: true)
        #expect(
            try Query(users, by: index, .between(.excluding(.null), nil)).segments
                == [Segment(equal: [], lower: least)])
    }

    @Test("an empty range has no segments")
    func empty() throws {
        #expect(try Query(users, .between(.including(5), .excluding(5))).segments.isEmpty)
        #expect(try Query(users, .equal(5), after: 5).segments.isEmpty)
        #expect(try Query(users, .between(.including(9), .including(3))).segments.isEmpty)
    }

    @Test("a key over the limit is refused, as in every storage")
    func keyTooLong() {
        let long = Key.text(String(repeating: "x", count: Limits.keyBytes))
        #expect(throws: PatchbayError.self) { try Query(users, by: users.indexes[0], .equal(long)).segments }
    }

    private func text(_ text: String) -> PartValue { .text(Array(text.utf8)) }

    private func range(from lower: String, to upper: String) -> Segment {
        Segment(
            equal: [], lower: .init(value: text(lower), isInclusive: true),
            upper: .init(value: text(upper), isInclusive: false))
    }
}

extension Query {
    fileprivate var segments: [Segment] {
        get throws {
            let parts =
                index == collection.primaryKey ? index.parts : index.parts + collection.primaryKey.parts
            return try segments(along: parts)
        }
    }
}
