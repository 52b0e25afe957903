import PatchbayCore
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
        let line = buffer.copyBytes() + Array("}".utf8)
        var read = 0
        for _ in 0..<Damage.rounds(5000) {
            let bytes = DecoderFuzzTests.damaged(line, &generator)
            unsafe read += CommitMark(bytes.span.bytes) == nil ? 0 : 1
        }
        #expect(read > 0)
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

    @Test("damaged pages and footers with matching checksums are read or refused")
    func runs() throws {
        var generator = SeededGenerator.fromEnvironment()
        let directory = try TemporaryDirectory(), path = directory.path + "/1.run"
        let folder = try Folder(directory.path, Disk())
        var writer = try RunWriter(1, in: folder)
        for number in 1000..<1400 {
            try unsafe Array("key \(number)".utf8).withUnsafeBytes {
                try unsafe writer.append($0, Place(offset: number * 10, length: 30))
            }
        }
        _ = try writer.finish(sync: false)
        let original = try Files.read(path)
        var opened = 0
        for _ in 0..<Damage.rounds(400) {
            try Files.write(DecoderFuzzTests.resealed(original, &generator), path)
            guard let run = try Run(folder.open("1.run", .read), readingUpTo: 0) else { continue }
            opened += 1
            try DecoderFuzzTests.walk(run)
        }
        #expect(opened > 0)
    }

    private static func walk(_ run: Run) throws {
        let index = IndexState(.nothing, [run])
        var faults = FaultList()
        try RunCheck.checkPages(run, &faults)
        do {
            for order in [Query.Order.ascending, .descending] {
                var cursor = try index.walk(KeyRange(lower: Array("key 11".utf8), upper: nil), order)
                var count = 0
                while let place = try cursor.next() {
                    #expect(place.isPossible)
                    count += 1
                }
                #expect(count <= 500 * run.pageCount)
            }
            _ = try unsafe Array("key 1200".utf8).withUnsafeBytes { try unsafe index.find($0) }
        } catch let error as PatchbayError {
            #expect(error.code == .corrupted)
        }
    }

    /// Damages a page, or the footer after the pages, then corrects all checksums.
    private static func resealed(_ original: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
        var bytes = original
        let pages = (original.count - Run.trailerBytes) / PageView.byteCount
        let footer = pages * PageView.byteCount
        for _ in 0..<Int.random(in: 1...6, using: &generator) {
            let isPage = Bool.random(using: &generator)
            // Damages headers, slots and entry heads more often than keys.
            let at = isPage ? Int.random(in: 0..<pages, using: &generator) * PageView.byteCount : footer
            let end = isPage ? at + (Bool.random(using: &generator) ? 64 : PageView.byteCount) : bytes.count
            bytes[Int.random(in: at..<end, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
        }
        unsafe bytes.withUnsafeMutableBytes { memory in
            let base = UnsafeRawPointer(memory.baseAddress!)
            for page in 0..<pages {
                let view = unsafe PageView(base: base + page * PageView.byteCount)
                unsafe memory.storeBytes(
                    of: view.checksum(run: 1, number: page), toByteOffset: page * PageView.byteCount,
                    as: UInt32.self)
            }
            let sum = unsafe Run.checksum(base + footer, memory.count - footer - 4)
            unsafe memory.storeBytes(of: sum, toByteOffset: memory.count - 4, as: UInt32.self)
        }
        return bytes
    }
}
