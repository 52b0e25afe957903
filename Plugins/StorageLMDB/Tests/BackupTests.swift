import PatchbayCore
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("Copies")
struct BackupTests {
    @Test("a copy opens like the original, is sound, and has no free pages")
    func copies() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", copy = directory.path + "/copy"
            let log = ProgressLog()
            let (revision, titles) = try await Notes.open(path) { storage in
                for round in 0..<3 {
                    try await Notes.put(storage, (0..<2000).map { (Int64($0), "\(round) \($0)") })
                }
                try await Notes.putBodies(storage, [1, 2, 3], length: 20_000)
                try await storage.backup(to: copy + "/") { log.append($0) }
                return (try await storage.revision(), try await Notes.titles(storage, by: Notes.byTitle))
            }
            #expect(log.all.last.map { $0.done == $0.total } == true)
            #expect(Disk.names(directory.path) == ["copy", "store"])
            #expect(Disk.names(copy) == ["data.mdb"])
            let bytes = try (
                copy: Disk.read(copy + "/data.mdb").count, own: Disk.read(path + "/data.mdb").count
            )
            #expect(bytes.copy < bytes.own)
            try await Notes.open(copy) { storage in
                #expect(try await storage.verifyFiles { _ in } == [])
                #expect(try await storage.revision() == revision)
                #expect(try await Notes.titles(storage, by: Notes.byTitle) == titles)
                let bodies = try await Notes.titles(storage, in: Notes.wide)
                #expect(bodies.map(\.utf8.count) == [20_000, 20_000, 20_000])
                let free = try await storage.describe().settings.first { $0.name == "free_pages" }
                #expect(free?.value == "0")
                try await Notes.put(storage, [(1, "changed")])
                #expect(try await storage.verifyFiles { _ in } == [])
            }
        }
    }

    @Test("a copy of an empty storage opens")
    func empty() async throws {
        try await TemporaryDirectory.with { directory in
            let copy = directory.path + "/copy"
            try await Notes.open(directory.path + "/store") { try await $0.backup(to: copy) { _ in } }
            #expect(try await Notes.open(copy) { try await Notes.titles($0) } == [])
        }
    }

    @Test("a copy of a storage with a damaged page fails and leaves nothing")
    func damaged() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", data = path + "/data.mdb"
            try await Notes.open(path) {
                try await Notes.put($0, (0..<1000).map { (Int64($0), "note \($0)") })
            }
            let sound = try Disk.read(data)
            var refusedCount = 0
            for page in 2..<sound.count / 4096 {
                var bytes = sound
                for place in page * 4096..<(page + 1) * 4096 { bytes[place] = 0xFF }
                try Disk.write(bytes, to: data)
                let code = await Notes.code {
                    try await Notes.open(path) { try await $0.backup(to: directory.path + "/copy") { _ in } }
                }
                if code != nil {
                    #expect(code == .corrupted)
                    #expect(Disk.names(directory.path) == ["store"])
                    refusedCount += 1
                } else {
                    _ = Disk.run("rm -r '\(directory.path)/copy'")
                }
            }
            #expect(refusedCount > sound.count / 4096 / 2)
        }
    }

    @Test("a copy removes nothing that it did not make, whatever its name")
    func otherFolders() async throws {
        try await TemporaryDirectory.with { directory in
            let copy = directory.path + "/copy", others = [".creating", ".unfinished"].map { copy + $0 }
            for other in others {
                try Disk.makeFolder(other)
                try Disk.write([1, 2, 3], to: other + "/data.mdb")
            }
            try await Notes.open(directory.path + "/store") { try await $0.backup(to: copy) { _ in } }
            #expect(Disk.names(directory.path) == ["copy", "copy.creating", "copy.unfinished", "store"])
            for other in others { #expect(try Disk.read(other + "/data.mdb") == [1, 2, 3]) }
        }
    }

    @Test("of several copies to one path at once, one is complete and the others are refused")
    func atOnce() async throws {
        try await TemporaryDirectory.with { directory in
            let copy = directory.path + "/copy"
            let codes = try await Notes.open(directory.path + "/store") { storage in
                try await Notes.put(storage, (0..<2000).map { (Int64($0), "\($0)") })
                return await withTaskGroup(of: PatchbayError.Code?.self) { group in
                    for _ in 0..<8 {
                        group.addTask { await Notes.code { try await storage.backup(to: copy) { _ in } } }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(codes.filter { $0 == nil }.count == 1)
            #expect(codes.allSatisfy { $0 == nil || $0 == .conflict }, "\(codes)")
            #expect(Disk.names(directory.path) == ["copy", "store"])
            #expect(try await Notes.open(copy) { try await Notes.titles($0) }.count == 2000)
        }
    }
}
