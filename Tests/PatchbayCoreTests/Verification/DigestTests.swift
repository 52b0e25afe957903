@testable import PatchbayCore
@testable import PatchbayTestKit
import Testing

@Suite("digests") struct DigestTests {
    /// The output of `openssl mac -macopt size:16 SIPHASH` for the key and the bytes 0, 1, 2 ...
    @Test(
        "SipHash agrees with other implementations",
        arguments: [
            (0, "a3817f04ba25a8e66df67214c7550293"), (1, "3b62a9ba6258f5610f83e264f31497b4"),
            (2, "6ee2a4ca67b054bbfd3315bf85230577"),
        ])
    func reference(_ words: Int, _ hexadecimal: String) {
        var hash = SipHash(key0: 0x0706_0504_0302_0100, key1: 0x0F0E_0D0C_0B0A_0908)
        for word in 0..<UInt64(words) { hash.combine(0x0706_0504_0302_0100 &+ word &* 0x0808_0808_0808_0808) }
        let bytes = unsafe withUnsafeBytes(of: hash.finish().littleEndian) { unsafe Array($0) }
        let text = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(text == hexadecimal)
    }

    @Test("the digits of a digest are read back, and other texts are not")
    func digits() {
        for value in [0, 1, 0xFEDC_BA98_7654_3210 << 64 | 0x0123_4567_89AB_CDEF, UInt128.max] as [UInt128] {
            #expect(UInt128(hexadecimal: value.hexadecimal) == value)
        }
        let digits = String(repeating: "0", count: 31)
        for text in ["", digits, digits + "00", digits + "g", "+" + digits, digits + "A"] {
            #expect(UInt128(hexadecimal: text) == nil, "\(text)")
        }
    }

    private func digest(_ rows: [Values]) throws -> String {
        var digest = ContentDigest(of: Sample.pages), builder = RowBuilder()
        for values in rows { try digest.combine(builder.row(values, Sample.pages)) }
        return digest.description
    }

    @Test("every value matters: null is not empty, and the order is part of the digest")
    func everything() throws {
        let rows: [Values] = [
            Sample.page("a"), Sample.page("b"), Sample.page("a", etag: ""), Sample.page("a", visits: 1),
            Sample.page("a", body: "x"), Sample.page("a", body: "x\u{1}"), Sample.page("a", etag: "x"),
        ]
        let digests =
            try rows.map { try digest([$0]) } + [
                digest([]), digest([rows[0], rows[1]]), digest([rows[1], rows[0]]),
            ]
        #expect(Set(digests).count == digests.count)
        #expect(digests.allSatisfy { $0.count == 32 })
    }

    @Test("a row from before a field was added has the same digest as one with the field null")
    func layouts() throws {
        let old = CollectionSchema("pages", key: 0, fields: Array(Sample.pages.fields.prefix(3)))
        var builder = RowBuilder(), short = ContentDigest(of: Sample.pages)
        try short.combine(builder.row(["a", nil, 7], old))
        #expect(try digest([["a", nil, 7, nil]]) == short.description)
    }
}

@Suite("batches") struct RowBatchTests {
    @Test("batches contain every row once, whatever their size", arguments: [1, 2, 7, 29, 30, 31])
    func everyRow(_ rowsMax: Int) async throws {
        let storage = MemoryStorage()
        try await storage.open(Sample.schema)
        let rows = (0..<30).map { Sample.page("page \($0 + 10)", visits: Int64($0 % 3)) }
        try await storage.put(rows, in: Sample.pages)
        for index in [Sample.pages.primaryKey, Sample.byVisits] {
            var found: [Values] = []
            var query: Query? = Query(Sample.pages, by: index)
            while let next = query {
                let batch = try await storage.batch(next, rowsMax: rowsMax)
                #expect(batch.count <= rowsMax)
                for position in 0..<batch.count {
                    found.append(batch.row(position).values(Sample.pages, .all))
                }
                query = batch.rest(of: next)
            }
            #expect(found == (try await storage.rows(Query(Sample.pages, by: index))))
        }
    }

    @Test("a digest over several batches equals that of all rows")
    func digest() async throws {
        let storage = MemoryStorage()
        try await storage.open(Sample.schema)
        var digest = ContentDigest(of: Sample.pages), builder = RowBuilder()
        let rows = (0...RowBatch.rowsMax).map { Sample.page("page \($0 + 100_000)") }
        try await storage.put(rows, in: Sample.pages)
        for row in rows { try digest.combine(builder.row(row, Sample.pages)) }
        #expect(try await storage.digest(of: Sample.pages) == digest)
    }
}

extension RowBuilder {
    @_lifetime(&self)
    fileprivate mutating func row(_ values: Values, _ collection: CollectionSchema) throws -> RowView {
        begin(collection)
        for (position, value) in values.enumerated() { value.write(to: &self, at: position) }
        return try finish()
    }
}
