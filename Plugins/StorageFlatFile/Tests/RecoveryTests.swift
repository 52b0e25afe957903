import PatchbayCore
import PatchbayTestKit
import TestSupport
import Testing

@testable import StorageFlatFile

@Suite("recovery")
struct RecoveryTests {
    /// Writes a few transactions over both collections; the last one is `last`.
    private static func fill(_ store: Store, last: (Store) async throws -> Void) async throws -> Notes.Content
    {
        try await store.put(Notes.Note(1, "one"), Notes.Note(2, "Two", weight: 2, blob: [2]))
        try await store.write { writing in
            try writing.put(Notes.Note(3, "three"))
            try writing.put(Notes.Tag("odd", 2))
            try writing.delete(Notes.Note.self, 1)
        }
        try await store.put(Notes.Note(2, "two"))
        let before = try await store.content()
        try await last(store)
        return before
    }

    /// Opens with `off` what was written with `full`, because that is fast and must find the same.
    private static func open(_ path: String, _ durability: Durability = .off) async throws -> Store {
        try await Store(FlatFileStorage(path: path, durability: durability), schema: Notes.schema)
    }

    @Test("a last transaction truncated at any byte is either complete or absent", arguments: [true, false])
    func tornTail(_ isInBoth: Bool) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", copy = directory.path + "/copy"
            let store = try await RecoveryTests.open(path, .full)
            let before = try await RecoveryTests.fill(store) { store in
                try await store.write { writing in
                    try writing.put(Notes.Note(4, "four"))
                    try writing.delete(Notes.Note.self, 2)
                    if isInBoth { try writing.put(Notes.Tag("even", 1)) }
                }
            }
            let after = try await store.content()
            // Copied while it is open, as a crash leaves it.
            for name in isInBoth ? ["notes", "tags"] : ["notes"] {
                let whole = try Files.read("\(path)/\(name).jsonl")
                let lines = whole.split(separator: 0x0A, omittingEmptySubsequences: true)
                let tail = name == "notes" ? lines.suffix(3) : lines.suffix(2)
                let start = whole.count - tail.map { $0.count + 1 }.reduce(0, +)
                for end in start...whole.count {
                    try Files.copy(path, to: copy)
                    try Files.write(Array(whole[..<end]), "\(copy)/\(name).jsonl")
                    let reopened = try await RecoveryTests.open(copy)
                    #expect(try await reopened.content() == (end == whole.count ? after : before))
                    try await reopened.put(Notes.Note(9, "nine"))
                    try await reopened.close()
                    let again = try await RecoveryTests.open(copy)
                    #expect(try await again.content().notes.last == Notes.Note(9, "nine"))
                    try await again.close()
                    try Files.removeAll(copy)
                }
            }
            try await store.close()
        }
    }

    @Test("a bit flipped anywhere is reported or harmless", arguments: [true, false])
    func bitFlips(_ hasIndexFiles: Bool) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", copy = directory.path + "/copy"
            let store = try await RecoveryTests.open(path, .full)
            _ = try await RecoveryTests.fill(store) { try await $0.put(Notes.Note(5, "five")) }
            let content = try await store.content()
            try await store.close()
            if !hasIndexFiles { try Files.removeAll(path + "/index") }
            var refused = 0, files = ["notes.jsonl", "tags.jsonl", "schema.json"]
            if hasIndexFiles { files += try Files.names(path + "/index").map { "index/" + $0 } }
            for name in files {
                let whole = try Files.read("\(path)/\(name)")
                for at in whole.indices where !name.hasSuffix(".pages") || at % 61 == 0 || at < 16 {
                    var damaged = whole
                    damaged[at] ^= 1 << UInt8(at % 8)
                    try Files.copy(path, to: copy)
                    try Files.write(damaged, "\(copy)/\(name)")
                    let isLast =
                        !hasIndexFiles && name == "notes.jsonl"
                        && RecoveryTests.isInLastTransaction(at, whole)
                    let found = try await RecoveryTests.contentOrCorrupted(copy)
                    if let found, !isLast { #expect(found == content, "\(name) byte \(at)") }
                    refused += found == nil ? 1 : 0
                    try Files.removeAll(copy)
                }
            }
            #expect(refused > 100)
        }
    }

    /// Without index files a damaged last transaction cannot be distinguished from one that a crash truncated.
    private static func isInLastTransaction(_ at: Int, _ whole: [UInt8]) -> Bool {
        let lines = whole.split(separator: 0x0A)
        return at >= whole.count - lines.suffix(2).map { $0.count + 1 }.reduce(0, +)
    }

    private static func contentOrCorrupted(_ path: String) async throws -> Notes.Content? {
        do {
            let store = try await open(path)
            let content: Notes.Content
            do {
                content = try await store.content()
            } catch {
                try await store.close()
                throw error
            }
            try await store.close()
            return content
        } catch let error as PatchbayError {
            #expect(error.code == .corrupted, "\(error)")
            #expect(error.file != nil)
            return nil
        }
    }

    @Test("missing or damaged index files are rebuilt from the data")
    func indexFiles() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            let store = try await RecoveryTests.open(path, .full)
            _ = try await RecoveryTests.fill(store) { try await $0.put(Notes.Note(5, "five")) }
            let content = try await store.content()
            try await store.close()
            for name in try Files.names(path + "/index")
            where Files.status("\(path)/index/\(name)") != nil {
                try Files.remove("\(path)/index/\(name)")
                let reopened = try await RecoveryTests.open(path)
                #expect(try await reopened.content() == content, "without \(name)")
                try await reopened.close()
            }
            for name in try Files.names(path + "/index") where name.hasSuffix(".pages") {
                var bytes = try Files.read("\(path)/index/\(name)")
                for at in 100..<Page.byteCount { bytes[at] = 0xAA }
                try Files.write(bytes, "\(path)/index/\(name)")
            }
            #expect(try await RecoveryTests.contentOrCorrupted(path) == content)
        }
    }

    @Test("damage in an index file too large to check on opening is detected when it is read, then repaired")
    func largeIndexFile() async throws {
        try await TemporaryDirectory.with { directory in
            let options = FlatFileStorage.Options(durability: .off, wholeCheckBytesMax: 0)
            let make = {
                try await Store(FlatFileStorage(directory.path, options, Disk()), schema: Notes.schema)
            }
            let store = try await make()
            try await store.put(Notes.Note(1, "one"))
            let content = try await store.content()
            try await store.close()
            for name in try Files.names(directory.path + "/index") where name.hasSuffix(".pages") {
                var bytes = try Files.read("\(directory.path)/index/\(name)")
                bytes[Page.byteCount - 1] ^= 1
                try Files.write(bytes, "\(directory.path)/index/\(name)")
            }
            let damaged = try await make()
            await #expect(throws: PatchbayError.self) { try await damaged.content() }
            // Not closed, like a program that ends with the error.
            #expect(!(try Files.names(directory.path + "/index").contains("checkpoint.json")))
            try await damaged.close()
            let healed = try await make()
            #expect(try await healed.content() == content)
            try await healed.close()
        }
    }

    @Test("a file that was truncated before its checkpoint, edited or replaced is reported")
    func changedFiles() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", file = path + "/notes.jsonl"
            let store = try await RecoveryTests.open(path, .full)
            _ = try await RecoveryTests.fill(store) { try await $0.put(Notes.Note(5, "five")) }
            try await store.close()
            let whole = try Files.read(file)
            let inserted = Array(whole[..<200]) + Array("{\"id\":77}\n".utf8) + Array(whole[200...])
            for content in [Array(whole.dropLast(30)), [], inserted, Array(whole.reversed())] {
                try Files.write(content, file)
                #expect(try await RecoveryTests.contentOrCorrupted(path) == nil)
                #expect(try Files.read(file) == content)
            }
            try Files.remove(file)
            #expect(try await RecoveryTests.contentOrCorrupted(path) == nil)
        }
    }

    @Test("a transaction whose number leaves no room for a next one is refused")
    func lastNumber() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", store = try await RecoveryTests.open(path)
            try await store.close()
            try Files.removeAll(path + "/index")
            let header = ByteBuffer()
            let members = #"{"_patchbay":1,"_collection":"notes","_generation":"1","_base":"#
            header.append(Array("\(members)\(UInt64.max)".utf8))
            Line.seal(header, from: 0, at: 0, generation: 0)
            try Files.write(header.copyBytes(), path + "/notes.jsonl")
            #expect(try await RecoveryTests.contentOrCorrupted(path) == nil)
        }
    }

    @Test("jq reads the files", .needs("jq"))
    func jq() async throws {
        try await TemporaryDirectory.with { directory in
            let store = try await RecoveryTests.open(directory.path)
            try await store.put(Notes.Note(1, "quote \" and \u{2028} and \u{1F600}"), Notes.Note(.max, nil))
            try await store.close()
            let titles = Files.output(of: "jq -r 'select(.id) | .title' \(directory.path)/notes.jsonl")
            #expect(titles == "quote \" and \u{2028} and \u{1F600}\nnull\n")
            let ids = Files.output(of: "jq -c 'select(.id) | .id' \(directory.path)/notes.jsonl")
            #expect(ids == "1\n\"9223372036854775807\"\n")
        }
    }
}
