import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

@Suite("index file filters")
struct KeyFilterTests {
    private static func hash(_ text: String) -> UInt64 {
        unsafe Array(text.utf8).withUnsafeBytes { unsafe keyHash($0) }
    }

    @Test("every inserted key is found, and few others are", arguments: [1, 1000, 100_000])
    func holds(_ count: Int) throws {
        var filter = try #require(KeyFilter(entryCount: count))
        for number in 0..<count { filter.insert(KeyFilterTests.hash("key \(number)")) }
        #expect((0..<count).allSatisfy { filter.mayHold(KeyFilterTests.hash("key \($0)")) })
        let wrong = (0..<10_000).count { filter.mayHold(KeyFilterTests.hash("other \($0)")) }
        #expect(wrong < 300)
    }

    @Test("a run with too many entries has no filter")
    func tooMany() {
        #expect(KeyFilter(entryCount: KeyFilter.entriesMax) != nil)
        #expect(KeyFilter(entryCount: KeyFilter.entriesMax + 1) == nil)
    }

    @Test(
        "the sole part of an entry ends with the index's own parts, and does not exist when one of them is null"
    )
    func soleParts() throws {
        let collection = CollectionSchema(
            "things", key: 0,
            indexes: [
                Index("pair", .exact(1), .exact(2), unique: true), Index("loose", .exact(1)),
            ],
            fields: [
                Field("id", .integer), Field("name", .text), Field("number", .integer, isOptional: true),
            ])
        func entry(_ number: Int64?, _ index: Index) throws -> (bytes: [UInt8], own: Int) {
            var builder = RowBuilder(), bytes: [UInt8] = []
            builder.begin(collection)
            Int64(9).write(to: &builder, at: 0)
            "ab".write(to: &builder, at: 1)
            number.write(to: &builder, at: 2)
            let own = try collection.appendEntry(of: builder.finish(), in: index, to: &bytes).ownBytes
            return (bytes, own)
        }
        let pair = SolePart(collection.indexes[0], of: collection)
        let (full, own) = try entry(7, collection.indexes[0])
        #expect(unsafe full.withUnsafeBytes { unsafe pair.count(in: $0) } == own)
        #expect(unsafe full[..<own].withUnsafeBytes { unsafe pair.count(in: $0) } == own)
        #expect(unsafe full[..<(own - 1)].withUnsafeBytes { unsafe pair.count(in: $0) } == 0)
        #expect(
            try unsafe entry(nil, collection.indexes[0]).bytes.withUnsafeBytes { unsafe pair.count(in: $0) }
                == 0)
        let loose = SolePart(collection.indexes[1], of: collection)
        #expect(
            try unsafe entry(7, collection.indexes[1]).bytes.withUnsafeBytes { unsafe loose.count(in: $0) }
                == 0)
        let key = SolePart(collection.primaryKey, of: collection)
        #expect(
            try unsafe entry(7, collection.primaryKey).bytes.withUnsafeBytes { unsafe key.count(in: $0) } == 8
        )
    }
}
