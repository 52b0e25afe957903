import PatchbayCore
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("Unique indexes in LMDB")
struct UniqueIndexTests {
    private static let byShelf = Index("by_shelf", .exact(1))
    private static let byCode = Index("by_code", .exact(2), unique: true)
    private static let byTag = Index("by_tag", .exact(3), .exact(1), unique: true)
    private static let books = CollectionSchema(
        "books", key: 0, indexes: [byShelf, byCode, byTag],
        fields: [
            Field("id", .integer), Field("shelf", .integer), Field("code", .text),
            Field("tag", .text, isOptional: true),
        ])

    private struct Book {
        var id, shelf: Int64
        var code: String
        var tag: String?

        func put(_ writer: any StorageWriter) throws {
            try writer.put(
                [.integer(id), .integer(shelf), .text(code), tag.map { .text($0) } ?? .null], in: books)
        }
    }

    @Test("a row that one of several unique indexes refuses changes none of them")
    func refused() async throws {
        var generator = SeededGenerator.fromEnvironment()
        try await TemporaryDirectory.with { directory in
            let memory = MemoryStorage(), schema = Schema(version: 1, [Self.books])
            try await memory.open(schema)
            try await Notes.open(directory.path + "/store", schema) { storage in
                for _ in 0..<6 {
                    let books = (0..<250).map { _ in Self.book(&generator) }
                    let expected = try await Self.put(books, memory),
                        taken = try await Self.put(books, storage)
                    #expect(taken == expected)
                    #expect(taken.contains(true) && taken.contains(false))
                    for index in [Self.byShelf, Self.byCode, Self.byTag] {
                        #expect(try await Self.ids(storage, index) == Self.ids(memory, index))
                    }
                }
                #expect(try await storage.verifyFiles { _ in } == [])
            }
        }
    }

    /// Returns a book with a long code, so that few entries fill a page.
    private static func book(_ generator: inout SeededGenerator) -> Book {
        let number = Int.random(in: 0..<900, using: &generator)
        return Book(
            id: Int64.random(in: -600..<600, using: &generator),
            shelf: Int64.random(in: 0..<5, using: &generator),
            code: String(repeating: "c", count: 300) + "\(number)",
            tag: Bool.random(using: &generator) ? nil : "\(Int.random(in: 0..<300, using: &generator))")
    }

    /// Puts the books in one transaction, and returns which were refused.
    private static func put(_ books: [Book], _ storage: some Storage) async throws -> [Bool] {
        try await storage.write { writer in
            try books.map { book in
                do {
                    try book.put(writer)
                    return false
                } catch let error as PatchbayError where error.code == .conflict {
                    return true
                }
            }
        }
    }

    private static func ids(_ storage: some Storage, _ index: Index) async throws -> [Int64] {
        try await storage.read { reader in
            var ids: [Int64] = []
            try reader.scan(Query(books, by: index)) {
                ids.append($0.integer(0))
                return .next
            }
            return ids
        }
    }

    @Test("a damaged page next to a new entry causes an error, even under another branch")
    func damagedBeside() async throws {
        var generator = SeededGenerator.fromEnvironment()
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", schema = Schema(version: 1, [Self.books])
            // Three levels of pages with a dozen entries each.
            let numbers = (0..<160).map { $0 * 2 + 1000 }
            try await Notes.open(path, schema) { storage in
                _ = try await Self.put(numbers.map { Self.book(Int64($0), $0) }, storage)
            }
            let sound = try Disk.read(path + "/data.mdb")
            for page in 2..<sound.count / 4096 {
                var bytes = sound
                bytes.replaceSubrange(page * 4096..<(page + 1) * 4096, with: repeatElement(0, count: 4096))
                try Disk.write(bytes, to: path + "/data.mdb")
                // Keys after all others check one side only, those before them both.
                let sign: Int64 = page % 2 == 0 ? 1 : -1
                let books = numbers.shuffled(using: &generator).map {
                    Self.book(sign * Int64($0 + 5000), $0 + 1)
                }
                do {
                    try await Notes.open(path, schema) { storage in
                        let taken = try await Self.put(books, storage)
                        #expect(!taken.contains(true))
                    }
                } catch let error as PatchbayError {
                    #expect(error.code == .corrupted)
                }
            }
        }
    }

    private static func book(_ id: Int64, _ number: Int) -> Book {
        Book(id: id, shelf: id, code: String(repeating: "c", count: 300) + "\(number)", tag: nil)
    }
}
