import PatchbayCore
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("Damaged files")
struct DamageTests {
    @Test("a changed byte in a row is seen by every way to read it")
    func row() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "first"), (2, "remarkable"), (3, "last")]) }
            // The row's text is followed by its seal; the index holds the same text with a zero behind.
            try damage(path, "remarkable", replacement: "unremarked", isIndex: false)
            try await Notes.open(path) { storage in
                #expect(await Notes.code { _ = try await Notes.titles(storage) } == .corrupted)
                #expect(await Notes.code { _ = try await Notes.titles(storage, by: Notes.byTitle) } == .corrupted)
                #expect(await Notes.code { try await Notes.put(storage, [(2, "new")]) } == .corrupted)
                let isThere = try await storage.read { try $0.get(1, in: Notes.first) { _ in } }
                #expect(isThere)
            }
        }
    }

    @Test("the error names the file and the key")
    func context() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(-7, "remarkable")]) }
            try damage(path, "remarkable", replacement: "unremarked", isIndex: false)
            try await Notes.open(path) { storage in
                do {
                    _ = try await Notes.titles(storage)
                    Issue.record("read a damaged row")
                } catch let error as PatchbayError {
                    #expect(error.context == ["file": path + "/data.mdb", "key": "-7"])
                }
            }
        }
    }

    @Test("a changed byte in an index entry is seen")
    func index() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "remarkable")]) }
            try damage(path, "remarkable", replacement: "remarkably", isIndex: true)
            try await Notes.open(path) { storage in
                #expect(await Notes.code { _ = try await Notes.titles(storage, by: Notes.byTitle) } == .corrupted)
                let titles = try await Notes.titles(storage)
                #expect(titles == ["remarkable"])
            }
        }
    }

    @Test("a file that is cut is refused, and keeps its length", arguments: [1, 2, 3, 5])
    func cut(pages: Int) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            let notes = (0..<500).map { (Int64($0), "note \($0)") }
            try await Notes.open(path) { try await Notes.put($0, notes) }
            let bytes = try Disk.read(path + "/data.mdb")
            let rest = Array(bytes.prefix(bytes.count - pages * 4096 + 100))
            try Disk.write(rest, to: path + "/data.mdb")
            #expect(await Notes.code { try await Notes.open(path) { _ in } } == .corrupted)
            #expect(try Disk.read(path + "/data.mdb") == rest)
        }
    }

    @Test("a file whose last pages were freed before they were written opens")
    func freedAtTheEnd() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { storage in
                try await Notes.put(storage, [(1, "kept")])
                try await storage.write { writer in
                    var builder = RowBuilder()
                    for id in Int64(2)..<2000 {
                        builder.begin(Notes.first)
                        builder.set(0, id)
                        builder.set(1, "gone \(id)")
                        try writer.put(builder.finish(), in: Notes.first)
                    }
                    for id in Int64(2)..<2000 { _ = try writer.delete(.integer(id), in: Notes.first) }
                }
            }
            let titles = try await Notes.open(path) { try await Notes.titles($0) }
            #expect(titles == ["kept"])
        }
    }

    /// Replaces a text where it stands in a row, or where it stands in an index.
    private func damage(_ path: String, _ text: String, replacement: String, isIndex: Bool) throws {
        var bytes = try Disk.read(path + "/data.mdb")
        let wanted = Array(text.utf8)
        var count = 0
        for start in 0..<(bytes.count - wanted.count - 1) where bytes[start] == wanted[0] {
            guard bytes[start..<start + wanted.count].elementsEqual(wanted) else { continue }
            // An index entry goes on with a zero and the key; a row with its seal.
            guard (bytes[start + wanted.count] == 0) == isIndex else { continue }
            bytes.replaceSubrange(start..<start + wanted.count, with: Array(replacement.utf8))
            count += 1
        }
        try #require(count > 0)
        try Disk.write(bytes, to: path + "/data.mdb")
    }
}
