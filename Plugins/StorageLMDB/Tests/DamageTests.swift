import PatchbayCore
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("Damaged files")
struct DamageTests {
    @Test("every way to read a row detects a changed byte in it")
    func row() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) {
                try await Notes.put($0, [(1, "first"), (2, "remarkable"), (3, "last")])
            }
            // In the row the text is followed by the seal; in the index the same text is followed by a zero.
            try Notes.damage(path, "remarkable", replacement: "unremarked", isIndex: false)
            try await Notes.open(path) { storage in
                #expect(await Notes.code { _ = try await Notes.titles(storage) } == .corrupted)
                #expect(
                    await Notes.code { _ = try await Notes.titles(storage, by: Notes.byTitle) } == .corrupted)
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
            try Notes.damage(path, "remarkable", replacement: "unremarked", isIndex: false)
            try await Notes.open(path) { storage in
                let error = await fault { try await Notes.titles(storage) }
                #expect(error?.details == [.file(path + "/data.mdb"), .key("-7")])
            }
        }
    }

    @Test("a changed byte in an index entry is detected")
    func index() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "remarkable")]) }
            try Notes.damage(path, "remarkable", replacement: "remarkably", isIndex: true)
            try await Notes.open(path) { storage in
                #expect(
                    await Notes.code { _ = try await Notes.titles(storage, by: Notes.byTitle) } == .corrupted)
                let titles = try await Notes.titles(storage)
                #expect(titles == ["remarkable"])
            }
        }
    }

    @Test("a write below a branch whose keys are out of order is refused")
    func disorder() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", data = path + "/data.mdb"
            let notes = (0..<500).map { (Int64($0), "note \($0)") }
            try await Notes.open(path) { try await Notes.put($0, notes) }
            var bytes = try Disk.read(data)
            let branches = stride(from: 2 * 4096, to: bytes.count, by: 4096).filter { bytes[$0 + 10] == 1 }
            try #require(branches.count == 2)
            // The offsets of the second and the third node.
            for page in branches {
                bytes.swapAt(page + 18, page + 20)
                bytes.swapAt(page + 19, page + 21)
            }
            try Disk.write(bytes, to: data)
            try await Notes.open(path) { storage in
                #expect(await Notes.code { try await Notes.put(storage, [(1, "new")]) } == .corrupted)
            }
        }
    }

    @Test("a truncated file is refused and keeps its length", arguments: [1, 2, 3, 5])
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

    @Test("a header that counts no pages but has a root is refused")
    func header() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", data = path + "/data.mdb"
            try await Notes.open(path) { try await Notes.put($0, [(1, "kept")]) }
            var bytes = try Disk.read(data)
            // The number of the last page, in both headers.
            for header in [0, 4096] {
                bytes.replaceSubrange(header + 136..<header + 144, with: [1, 0, 0, 0, 0, 0, 0, 0])
            }
            try Disk.write(bytes, to: data)
            #expect(await Notes.code { try await Notes.open(path) { _ in } } == .corrupted)
        }
    }

    @Test("a file whose last pages were freed before they were written opens")
    func freedAtTheEnd() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { storage in
                try await Notes.put(storage, [(1, "kept")])
                try await storage.write { writer in
                    for id in Int64(2)..<2000 {
                        try writer.put([.integer(id), .text("gone \(id)")], in: Notes.first)
                    }
                    for id in Int64(2)..<2000 { _ = try writer.delete(.integer(id), in: Notes.first) }
                }
            }
            let titles = try await Notes.open(path) { try await Notes.titles($0) }
            #expect(titles == ["kept"])
        }
    }

    @Test(
        "a page of garbage anywhere causes an error, or reads return the right rows",
        arguments: ["noise", "zeros"])
    func rubbish(_ kind: String) async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", data = path + "/data.mdb"
            let notes = (0..<1000).map { (Int64($0 * 7 % 1000), "note \($0)") }
            try await Notes.open(path) { try await Notes.put($0, notes) }
            let expected = try await Notes.open(path) { try await Notes.titles($0, by: Notes.byTitle) }
            let sound = try Disk.read(data)
            for page in 0..<sound.count / 4096 {
                var bytes = sound
                for place in page * 4096..<(page + 1) * 4096 {
                    bytes[place] =
                        kind == "zeros" ? 0 : UInt8(truncatingIfNeeded: (place &* 2_654_435_761) >> 13)
                }
                try Disk.write(bytes, to: data)
                try await readAndWrite(path, notes, expected)
            }
        }
    }

    /// Reads everything and writes every row again; each is correct or throws `corrupted`.
    private func readAndWrite(_ path: String, _ notes: [(Int64, String)], _ expected: [String]) async throws {
        do {
            try await Notes.open(path) { storage in
                let byTitle = try await Notes.titles(storage, by: Notes.byTitle)
                let byKey = try await Notes.titles(storage)
                #expect(byTitle == expected && byKey.sorted() == expected.sorted())
                try await Notes.put(storage, notes)
            }
        } catch let error as PatchbayError {
            #expect(error.code == .corrupted)
        }
    }
}
