import PatchbayCore
import PatchbayTestKit
import Testing

@testable import StorageFlatFile

@Suite("damaged copies")
struct FuzzTests {
    /// A storage's files, and its content after each transaction that no checkpoint covers.
    private struct Original {
        var files: [String: [UInt8]]
        var states: [Notes.Content]
    }

    private static func original(_ path: String, isClosed: Bool) async throws -> Original {
        let options = FlatFileStorage.Options(durability: .full, changesMax: 30)
        let store = try await Store(FlatFileStorage(path, options, Disk()), schema: Notes.schema)
        for round in 0..<3 as Range<Int64> {
            try await store.write { writing in
                for number in 1...25 as ClosedRange<Int64> {
                    try writing.put(Notes.Note(number + round * 10, "note \(number) \(round)"))
                }
                try writing.put(Notes.Tag("round", round))
            }
        }
        if isClosed { try await store.close() }
        let again = isClosed ? try await Store(FlatFileStorage(path: path), schema: Notes.schema) : store
        var states = [try await again.content()]
        if !isClosed {
            for number in 1...4 as ClosedRange<Int64> {
                try await again.write { writing in
                    try writing.put(Notes.Note(number, "tail \(number)"))
                    try writing.delete(Notes.Note.self, .integer(number + 20))
                    if number % 2 == 0 { try writing.put(Notes.Tag("round", number)) }
                }
                states.append(try await again.content())
            }
        }
        let files = try self.files(path)
        try await again.close()
        return Original(files: files, states: states)
    }

    private static func files(_ path: String) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try Files.names(path) where name != "lock" && name != "index" {
            files[name] = try Files.read("\(path)/\(name)")
        }
        for name in try Files.names(path + "/index") {
            files["index/\(name)"] = try Files.read("\(path)/index/\(name)")
        }
        return files
    }

    @Test("a damaged copy answers correctly, or reports what is damaged and where", arguments: [true, false])
    func copies(_ isClosed: Bool) async throws {
        var generator = SeededGenerator.fromEnvironment()
        let directory = try TemporaryDirectory()
        let original = try await FuzzTests.original(directory.path + "/original", isClosed: isClosed)
        let names = original.files.keys.sorted(), path = directory.path + "/copy"
        var refused = 0
        for round in 0..<Damage.rounds(150) {
            let name = names.randomElement(using: &generator)!
            var files = original.files
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                Damage.apply(to: &files[name]!, &generator)
            }
            try Files.makeFolder(path)
            try Files.makeFolder(path + "/index")
            for (name, bytes) in files { try Files.write(bytes, "\(path)/\(name)") }
            let found = try await FuzzTests.contentOrCorrupted(path)
            refused += found == nil ? 1 : 0
            if let found, !original.states.contains(found) {
                Issue.record("round \(round), \(name), seed \(generator.seed): rows that were never written")
            }
            try Files.removeAll(path)
        }
        #expect(refused > 0)
    }

    /// Returns every row by every index; nil when the storage reports damage.
    private static func contentOrCorrupted(_ path: String) async throws -> Notes.Content? {
        let storage = FlatFileStorage(path: path, durability: .off)
        do {
            let store = try await Store(storage, schema: Notes.schema)
            let content = try await store.content()
            let faults = try await storage.verifyFiles { _ in }
            #expect(faults.allSatisfy { $0.file != nil })
            try await store.close()
            return content
        } catch let error as PatchbayError {
            let codes: [PatchbayError.Code] = [.corrupted]
            #expect(codes.contains(error.code), "\(error)")
            #expect(error.file != nil && error.byte != nil, "\(error)")
            // The storage was not opened, or its index is damaged; either way it is discarded.
            try? await storage.close()
            return nil
        }
    }
}
