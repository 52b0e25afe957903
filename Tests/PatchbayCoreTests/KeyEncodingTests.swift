import PatchbayCore
@testable import PatchbayTestKit
import Testing

@Suite("key encoding") struct KeyEncodingTests {
    private static let notes = CollectionSchema(
        "notes", key: 0, 1, indexes: [byTitle, byTag],
        fields: [
            Field("book", .text), Field("page", .integer), Field("title", .text, isOptional: true),
            Field("tag", .integer, isOptional: true),
        ])
    private static let byTitle = Index("by_title", .caseFolded(2), .exact(3))
    private static let byTag = Index("by_tag", .exact(3), unique: true)

    private static func encoded(_ key: Key, in index: Index = notes.primaryKey) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try notes.appendKey(key, in: index, to: &bytes)
        return bytes
    }

    @Test("encoded integers sort like the integers")
    func integers() {
        let integers: [Int64] = [.min, .min + 1, -256, -255, -1, 0, 1, 255, 256, .max - 1, .max]
        let encoded = integers.map { integer in
            var bytes: [UInt8] = []
            KeyEncoding.append(integer, to: &bytes)
            return bytes
        }
        for (bytes, next) in zip(encoded, encoded.dropFirst()) {
            #expect(bytes.lexicographicallyPrecedes(next))
        }
    }

    @Test("encoded texts sort like the texts, and none is a prefix of another")
    func texts() throws {
        let encoded = try Promise.textsInOrder.map { try KeyEncodingTests.encoded(.text($0)) }
        for (bytes, next) in zip(encoded, encoded.dropFirst()) {
            #expect(bytes.lexicographicallyPrecedes(next))
            #expect(!next.starts(with: bytes))
        }
    }

    @Test("keys are encoded as documented")
    func format() throws {
        #expect(try KeyEncodingTests.encoded(["A", 1]) == [0x41, 0, 0x80, 0, 0, 0, 0, 0, 0, 1])
        let byTitle = KeyEncodingTests.byTitle
        #expect(
            try KeyEncodingTests.encoded([.null, -1], in: byTitle) == [0, 1, 0x7F]
                + Array(repeating: 255, count: 7))
        #expect(try KeyEncodingTests.encoded("Az\u{C4}", in: byTitle) == [1, 0x61, 0x7A, 0xC3, 0x84, 0])
    }

    @Test("the encoding of a key's first values is a prefix of the encoded key")
    func firstValues() throws {
        let values: [Key] = ["t", 7, "b", 9]
        let whole = try KeyEncodingTests.encoded(.compound(values), in: KeyEncodingTests.byTitle)
        for count in 1...4 {
            let first = try KeyEncodingTests.encoded(
                .compound(Array(values.prefix(count))), in: KeyEncodingTests.byTitle)
            #expect(whole.starts(with: first))
        }
    }

    @Test("the entry of a row is the encoding of its key, with whether a part is null")
    func entries() throws {
        let notes = KeyEncodingTests.notes
        var builder = RowBuilder()
        for (title, hasNull) in [("T", false), (nil, true)] as [(String?, Bool)] {
            builder.begin(notes)
            builder.set(0, "b")
            builder.set(1, 9 as Int64)
            if let title { builder.set(2, title) }
            builder.set(3, 4 as Int64)
            let row = try builder.finish()
            var entry: [UInt8] = []
            let own = try notes.appendEntry(of: row, in: KeyEncodingTests.byTitle, to: &entry)
            let key = notes.key(of: row, in: KeyEncodingTests.byTitle)
            #expect(key == [title.map { .text($0) } ?? .null, 4, "b", 9])
            #expect(try KeyEncodingTests.encoded(key, in: KeyEncodingTests.byTitle) == entry)
            #expect(own.hasNull == hasNull)
            let ownKey = Key.compound(Array(key.values.prefix(2)))
            #expect(try KeyEncodingTests.encoded(ownKey, in: KeyEncodingTests.byTitle).count == own.ownBytes)
            #expect(notes.key(of: row) == ["b", 9])
        }
    }

    @Test("an entry that is too long throws its length, and nothing is appended")
    func longEntry() throws {
        let notes = KeyEncodingTests.notes
        var builder = RowBuilder()
        builder.begin(notes)
        builder.set(0, String(repeating: "b", count: 600))
        builder.set(1, 9 as Int64)
        builder.set(2, String(repeating: "T", count: 700))
        let row = try builder.finish()
        var entry: [UInt8] = [7]
        do {
            try notes.appendEntry(of: row, in: KeyEncodingTests.byTitle, to: &entry)
            Issue.record("took an entry that is too long")
        } catch let error as PatchbayError {
            // A marker and a text, a marker of null, a text and a number.
            let count = 1 + 701 + 1 + 601 + 8
            #expect(error.message == "the key of notes.by_title has \(count) bytes; the limit is 480")
        }
        #expect(entry == [7])
    }

    @Test("a key may have 480 bytes; 481 are refused")
    func limit() throws {
        let longest = String(repeating: "x", count: Limits.keyBytes - 1)
        #expect(try KeyEncodingTests.encoded(.text(longest)).count == Limits.keyBytes)
        let error = #expect(throws: PatchbayError.self) {
            try KeyEncodingTests.encoded(.text(longest + "x"))
        }
        #expect(error?.code == .invalidValue)
    }

    @Test("the successor is the smallest key after all with the prefix")
    func successor() {
        #expect(KeyEncoding.successor([1, 2]) == [1, 3])
        #expect(KeyEncoding.successor([1, 0xFF, 0xFF]) == [2])
        #expect(KeyEncoding.successor([0xFF]) == nil)
        #expect(KeyEncoding.successor([]) == nil)
    }
}
