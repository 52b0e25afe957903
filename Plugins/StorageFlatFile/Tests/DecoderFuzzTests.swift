import PatchbayCore
import PatchbaySystem
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

/// Damaged bytes with matching checksums, as a malicious program would make them. Decoding them must not read out of
/// bounds, overflow or run forever.
@Suite("hostile bytes")
struct DecoderFuzzTests {
    private static func damaged(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) { Damage.apply(to: &damaged, &generator) }
        return damaged
    }

    @Test("commit marks are read or refused")
    func marks() {
        var generator = SeededGenerator.fromEnvironment()
        let buffer = ByteBuffer()
        CommitMark(transaction: .max / 2, previous: 15, synced: 16, others: ["notes", "tags"]).write(
            to: buffer)
        let line = buffer.copyBytes()
        var read = 0
        for _ in 0..<Damage.rounds(5000) {
            let bytes = DecoderFuzzTests.damaged(line, &generator)
            read += DecoderFuzzTests.mark(bytes) == nil ? 0 : 1
        }
        #expect(read > 0)
    }

    private static func mark(_ line: [UInt8]) -> CommitMark? {
        let buffer = ByteBuffer()
        buffer.append(line)
        Line.seal(buffer, from: 0, at: 0, generation: 0)
        return SealedFile.object(buffer).flatMap { CommitMark($0) }
    }

    @Test("lines are parsed or refused")
    func lines() throws {
        var generator = SeededGenerator.fromEnvironment()
        let texts = [
            #"{"id":1,"title":"a \"b\" \u00e9","slug":"s","weight":0.5,"blob":"AQID""#,
            #"{"id":1,"_deleted":true"#,
        ]
        let layout = LineLayout(Notes.notes), row = ByteBuffer()
        for round in 0..<Damage.rounds(5000) {
            let body = DecoderFuzzTests.damaged(Array(texts[round % 2].utf8), &generator)
            let buffer = ByteBuffer()
            buffer.append(body)
            Line.seal(buffer, from: 0, at: 7, generation: 9)
            #expect(unsafe Line.isSound(buffer.base, buffer.count, at: 7, generation: 9) || body.isEmpty)
            let outcome = unsafe LineParser.parse(buffer.base, buffer.count, layout, .all, into: row)
            #expect(row.count <= row.capacity, "seed \(generator.seed)")
            if outcome == .row { row.withBytes { _ = Notes.Note(RowView(unchecked: $0)) } }
        }
    }

    @Test("a damaged checkpoint or schema with a matching checksum is read or refused")
    func smallFiles() async throws {
        var generator = SeededGenerator.fromEnvironment()
        let directory = try TemporaryDirectory(), path = directory.path + "/store"
        let store = try await Store(FlatFileStorage(path: path, durability: .off), schema: Notes.schema)
        for number in 1...40 as ClosedRange<Int64> { try await store.put(Notes.Note(number, "n \(number)")) }
        try await store.close()
        for (inner, name) in [("index", "checkpoint.json"), (".", "schema.json")] {
            let original = try Files.read("\(path)/\(inner)/\(name)")
            for _ in 0..<Damage.rounds(120) {
                let object = Array(original.dropLast(Line.trailerBytes))
                let bytes = DecoderFuzzTests.damaged(object, &generator)
                let buffer = ByteBuffer()
                buffer.append(bytes)
                Line.seal(buffer, from: 0, at: 0, generation: 0)
                try Files.write(buffer.copyBytes(), "\(path)/\(inner)/\(name)")
                try await DecoderFuzzTests.read(path, seed: generator.seed)
                try Files.write(original, "\(path)/\(inner)/\(name)")
            }
        }
    }

    /// Opens and reads a copy. Any error must be one that reports the damage.
    private static func read(_ path: String, seed: UInt64) async throws {
        let copy = path + "-copy"
        try Files.copy(path, to: copy)
        let storage = FlatFileStorage(path: copy, durability: .off)
        do {
            let store = try await Store(storage, schema: Notes.schema)
            _ = try await store.content()
            _ = try await storage.verifyFiles { _ in }
            try await store.close()
        } catch let error as PatchbayError {
            #expect(
                [.corrupted, .unsupported, .invalidConfiguration].contains(error.code),
                "\(error), seed \(seed)")
            // The storage was not opened, or is damaged; the copy is removed anyway.
            try? await storage.close()
        }
        try Files.removeAll(copy)
        if Files.isFolder(copy + ".before-schema-1") {
            try Files.removeAll(copy + ".before-schema-1")
        }
    }

    @Test("damaged pages with matching checksums are read or refused")
    func pages() throws {
        var generator = SeededGenerator.fromEnvironment()
        let directory = try TemporaryDirectory(), folder = try Folder(directory.path, Disk())
        let file = try IndexFile(in: folder), disk = try folder.open("1.pages", .reading)
        let keys = (1000..<1400).map { number in Array("key \(number)".utf8) }
        let root = try #require(IndexTests.filled(file, keys).root), original = try Files.read(file.path)
        var opened = 0
        for _ in 0..<Damage.rounds(400) {
            try Files.overwrite(original, file.path)
            let damaged = try DecoderFuzzTests.damagePages(file.path, disk, root, &generator)
            for isWhole in [true, false] {
                guard let loaded = try file.load(damaged, level: root.level, whole: isWhole) else {
                    continue
                }
                opened += 1
                try DecoderFuzzTests.walk(IndexState(file, loaded), file.pageCount)
            }
        }
        #expect(opened > 0)
    }

    private static func walk(_ index: IndexState, _ pageCount: Int) throws {
        do {
            for order in [Query.Order.ascending, .descending] {
                var cursor = try index.walk(KeyRange(lower: Array("key 11".utf8), upper: nil), order)
                var count = 0
                while let place = try cursor.next() {
                    #expect(place.isPossible)
                    count += 1
                }
                #expect(count <= 500 * pageCount)
            }
            var index = index
            try unsafe Array("key 1200".utf8).withUnsafeBytes { key in
                _ = try unsafe index.find(key)
                _ = try unsafe index.holds(prefix: key)
                try unsafe index.set(key, Place(offset: 1, length: 1))
                try unsafe index.remove(key)
            }
        } catch let error as PatchbayError {
            #expect(error.code == .corrupted)
        }
    }

    /// Damages pages, then corrects the checksums in the root. Returns the reference to the root.
    private static func damagePages(
        _ path: String, _ file: DiskFile, _ root: Child, _ generator: inout SeededGenerator
    ) throws -> PageReference {
        let leaves = root.page!.children.map(\.reference!.number), top = root.reference!.number
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let page = (leaves + [top]).randomElement(using: &generator)!
            // Damages headers and slots more often than entries.
            let length = Bool.random(using: &generator) ? 64 : Page.byteCount
            let at = page * Page.byteCount + Int.random(in: 0..<length, using: &generator)
            try Files.overwrite([UInt8.random(in: 0...255, using: &generator)], path, at: at)
        }
        func checksum(_ page: Int) throws -> UInt32 {
            try #require(try Page(file, at: page * Page.byteCount)).checksum
        }
        let bytes = try Files.read(path), start = top * Page.byteCount
        for (slot, leaf) in leaves.enumerated() {
            let at = start + 4 + 2 * slot, entry = Int(bytes[at]) | Int(bytes[at + 1]) << 8
            guard entry + 12 <= Page.byteCount else { continue }
            let sum = try checksum(leaf)
            let bytes = (0..<4).map { UInt8(truncatingIfNeeded: sum >> UInt32(8 * $0)) }
            try Files.overwrite(bytes, path, at: start + entry + 8)
        }
        return PageReference(number: top, checksum: try checksum(top))
    }
}
