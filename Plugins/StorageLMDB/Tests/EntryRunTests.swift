import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageLMDB

@Suite("Sorting entries in bounded memory")
struct EntryRunTests {
    @Test("entries are sorted, and no longer there afterwards")
    func order() {
        var generator = SeededGenerator.fromEnvironment()
        var run = EntryRun()
        for _ in 0..<2 {
            var keys: [[UInt8]] = (0..<5000).map { _ in
                (0..<Int.random(in: 1...30, using: &generator)).map { _ in
                    UInt8.random(in: 0...3, using: &generator)
                }
            }
            for key in keys { run.add(key, ownBytes: key.count / 2, mayRepeat: key[0] == 1) }
            #expect(run.bytes > keys.map(\.count).reduce(0, +))
            keys.sort { $0.lexicographicallyPrecedes($1) }
            var seen: [[UInt8]] = []
            unsafe run.removeAll { own, key, mayRepeat in
                unsafe seen.append([UInt8](key))
                #expect(unsafe own.elementsEqual(key.prefix(key.count / 2)))
                #expect(unsafe mayRepeat == (key[0] == 1))
            }
            #expect(seen == keys)
            #expect(run.bytes == 0)
        }
    }

    @Test(
        "an index is complete however little memory there is, and a unique one finds a repetition",
        arguments: [1, 20_000, 1 << 20])
    func build(bytesMax: Int) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            let bare = CollectionSchema("notes", key: 0, fields: Notes.first.fields)
            let titles = (0..<2000).map { "title \($0 * 7919 % 1999)" }
            try await Notes.open(path, Schema(version: 1, [bare])) { storage in
                try await Notes.put(storage, titles.enumerated().map { (Int64($0), $1) }, in: bare)
            }
            #expect(try build(Notes.byTitle, bytesMax, path) == titles.sorted())
            #expect(throws: PatchbayError.self) { try build(Notes.byTitleOnly, bytesMax, path) }
        }
    }

    /// Builds an index, and returns the titles in its order.
    private func build(_ index: Index, _ bytesMax: Int, _ path: String) throws -> [String] {
        let environment = try Environment(
            path: path, flags: 0, bytesMax: 64 << 20, busyTimeoutMilliseconds: 0)
        defer { environment.close() }
        let reading = try Transaction(environment, isWriting: false)
        defer { reading.abort() }
        let writing = WriteSeries(environment, after: reading.snapshot.number, bytesMax: 50_000)
        defer { writing.abort() }
        try IndexBuild(index: index, collection: Notes.first, progress: { _ in }, bytesMax: bytesMax)
            .run(reading, writing)
        try writing.commit()
        return try Transaction.run(environment, isWriting: false) { transaction in
            let tree = try transaction.open(Table.name(Notes.first, index))
            var walk = try Walk(transaction, tree, order: .ascending), titles: [String] = []
            while let entry = try unsafe walk.next() {
                // A title ends with a zero.
                unsafe titles.append(String(decoding: entry.key.prefix { $0 != 0 }, as: UTF8.self))
            }
            return titles
        }
    }
}
