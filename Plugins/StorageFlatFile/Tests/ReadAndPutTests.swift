import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

/// A transaction remembers the row that it read last, for a put of the same key.
@Suite("reading rows, then changing them")
struct ReadAndPutTests {
    private typealias Note = Notes.Note

    @Test("any mix of reads and changes leaves the same rows as in a dictionary")
    func mixed() async throws {
        try await TemporaryDirectory.with { directory in
            var model: [Int64: Note] = [:], generator = SeededGenerator.fromEnvironment()
            let options = FlatFileStorage.Options(durability: .off, changesMax: 60)
            let storage = FlatFileStorage(directory.path + "/store", options, Disk())
            let store = try await Store(storage, schema: Notes.schema)
            for _ in 0..<40 {
                let (before, seeded) = (model, generator)
                (model, generator) = try await storage.write { writer in
                    var (model, generator) = (before, seeded)
                    for _ in 0..<50 { try ReadAndPutTests.step(writer, &model, &generator) }
                    return (model, generator)
                }
                try await ReadAndPutTests.check(store, model, generator.seed)
            }
            #expect(try await storage.verifyFiles { _ in }.isEmpty, "seed \(generator.seed)")
            try await store.close()
        }
    }

    /// Reads a row in one of several ways, then often changes it.
    private static func step(
        _ writer: any StorageWriter, _ model: inout [Int64: Note], _ generator: inout SeededGenerator
    ) throws {
        let id = Int64.random(in: 1...20, using: &generator),
            other = Int64.random(in: 1...20, using: &generator)
        let note = note(id, &generator), second = self.note(other, &generator)
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: try read(writer, id, model)
        case 1: _ = try writer.get(.integer(id), in: Notes.notes, fields: FieldSet(positions: [0])) { _ in }
        case 2:
            // The visitor changes a row, often the one that it sees.
            var changed = model
            let within = Bool.random(using: &generator) ? second : self.note(id, &generator)
            _ = try writer.get(.integer(id), in: Notes.notes, fields: .all) { _ in
                try put(within, writer, &changed)
            }
            model = changed
        case 3:
            #expect(try writer.delete(.integer(id), in: Notes.notes) == (model[id] != nil))
            model[id] = nil
        case 4 where id == 1:
            try read(writer, other, model)
            try writer.deleteAll(in: Notes.notes)
            model = [:]
        default: try read(writer, id, model)
        }
        if Bool.random(using: &generator) { try put(note, writer, &model) }
        if Int.random(in: 0..<3, using: &generator) == 0 { try put(second, writer, &model) }
    }

    /// Returns a row that often has the slug, which is unique, of another row.
    private static func note(_ id: Int64, _ generator: inout SeededGenerator) -> Note {
        var note = Note(id, "title \(Int.random(in: 0..<5, using: &generator))")
        if Bool.random(using: &generator) { note.slug = "slug-\(Int.random(in: 1...20, using: &generator))" }
        return note
    }

    private static func read(_ writer: any StorageWriter, _ id: Int64, _ model: [Int64: Note]) throws {
        var found: Note?
        _ = try writer.get(.integer(id), in: Notes.notes, fields: .all) { found = Note($0) }
        #expect(found == model[id])
    }

    /// Puts a row, and expects it to be refused when another row has its slug.
    private static func put(
        _ note: Note, _ writer: any StorageWriter, _ model: inout [Int64: Note]
    ) throws {
        var builder = RowBuilder()
        builder.begin(Notes.notes)
        note.write(to: &builder)
        let isTaken = model.values.contains { $0.id != note.id && $0.slug == note.slug }
        do {
            try writer.put(builder.finish(), in: Notes.notes)
            #expect(!isTaken, "\(note) was not refused")
            model[note.id] = note
        } catch let error as PatchbayError {
            #expect(error.code == .conflict && isTaken, "\(error)")
        }
    }

    private static func check(_ store: Store, _ model: [Int64: Note], _ seed: UInt64) async throws {
        let content = try await store.content()
        #expect(content.notes == model.values.sorted { $0.id < $1.id }, "seed \(seed)")
        #expect(
            content.bySlug == model.values.sorted { $0.slug.utf8.lexicographicallyPrecedes($1.slug.utf8) },
            "seed \(seed)")
        #expect(content.byTitle.count == model.count, "seed \(seed)")
    }

    @Test("a row that its visitor changed is not mistaken for the row that was read")
    func changedWithin() async throws {
        try await TemporaryDirectory.with { directory in
            let storage = FlatFileStorage(path: directory.path + "/store", durability: .off)
            let store = try await Store(storage, schema: Notes.schema)
            try await store.put(Note(1, "first"))
            try await storage.write { writer in
                var model: [Int64: Note] = [1: Note(1, "first")]
                _ = try writer.get(.integer(1), in: Notes.notes, fields: .all) { _ in
                    try ReadAndPutTests.put(Note(1, "second"), writer, &model)
                }
                try ReadAndPutTests.put(Note(1, "third"), writer, &model)
            }
            #expect(try await store.content().byTitle.map(\.title) == ["third"])
            #expect(try await storage.verifyFiles { _ in }.isEmpty)
            try await store.close()
        }
    }

    @Test("a row that was just read is not read again")
    func readOnce() async throws {
        try await TemporaryDirectory.with { directory in
            let storage = FlatFileStorage(path: directory.path + "/store", durability: .off)
            let store = try await Store(storage, schema: Notes.schema)
            try await store.put(Note(1, "one"), Note(2, "two"))
            let data = directory.path + "/store/notes.jsonl"
            let sound = try Files.read(data)
            try await store.write { writing in
                let stored = try writing.reading.get(Note.self, .integer(1))
                try #require(stored != nil)
                // Only a second read of the file would see this.
                try Files.write(Array(repeating: 0x58, count: sound.count), data)
                try writing.put(Note(1, "changed"))
                try Files.write(sound, data)
            }
            #expect(try await store.content().byTitle.map(\.title) == ["changed", "two"])
            #expect(try await storage.verifyFiles { _ in }.isEmpty)
            try await store.close()
        }
    }
}
