import HTTPTypes
import PatchbayCore
import PatchbayTestKit
import Testing

@testable import PatchbayServer

/// A storage may come from other hands, so every column of a stored answer may have any value of its type.
@Suite("Stored answers with extreme values", .timeLimit(.minutes(5)))
struct StoredExtremesTests {
    private static let integers: [Int64] = [
        .min, .min + 1, -1, 0, 1, 99, 199, 600, 1_000, 5_000, 253_402_300_800_000, .max - 1, .max,
    ]
    private static let texts = [
        "", "x", "\n", ": ", "::\n::\n", String(repeating: "x", count: 10_000), "-1", "{}",
    ]
    private static let bytes: [[UInt8]] = [[], [0], [UInt8](repeating: 0xFF, count: 10_000)]

    private static func values(of field: Field) -> [FieldValue] {
        switch field.type {
        case .integer: integers.map { .integer($0) }
        case .text: texts.map { .text($0) }
        case .bytes: bytes.map { .bytes($0) }
        case .real: []
        }
    }

    @Test("every answer has a status, and none is served that the server could not have given")
    func everyColumn() async throws {
        var count = 0
        let collection = StoredAnswer.collection
        for (position, field) in collection.fields.enumerated()
        where !collection.primaryKey.parts.contains(where: { $0.position == position }) {
            for value in Self.values(of: field) {
                let storage = MemoryStorage()
                let store = try await Store(storage, schema: Schema(version: 1, AnswerCache.collections))
                let first = try await ProxyBench(store: store)
                first.server.answers(.fresh(600, [.eTag: "\"a\""]))
                _ = await first.get()
                await first.cache.close()
                var rows = try await storage.rows(Query(collection))
                #expect(rows.count == 1)
                rows[0][position] = value
                let changed = rows
                try await store.write { writing in try writing.deleteAll(in: collection) }
                try await storage.put(changed, in: collection)
                let second = try await ProxyBench(store: store)
                second.server.answers(.fresh(600, [.eTag: "\"b\""], "new"))
                for fields in [
                    [:], [.range: "bytes=0-1"], [.ifNoneMatch: "\"a\""], [.cacheControl: "no-cache"],
                ]
                    as [HTTPFields]
                {
                    let answer = await second.get("/users", fields)
                    let code = answer.head.status.code
                    // 416 is the answer to a range of an empty body.
                    let isPossible = [200, 206, 304].contains(code) || field.name == "body" && code == 416
                    #expect(isPossible || field.name == "status", "\(field.name) \(value)")
                }
                _ = try await AnswerCache.content(of: store)
                await second.cache.close()
                _ = try await AnswerCache.clear(store)
                count += 1
            }
        }
        print("tried \(count) values in the columns of stored answers")
        #expect(count > 90)
    }
}
