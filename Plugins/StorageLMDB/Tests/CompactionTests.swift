import PatchbayCore
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("Compacting")
struct CompactionTests {
    @Test("the file shrinks and keeps every row and the revision")
    func shrinks() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", data = path + "/data.mdb"
            try await Notes.open(path) { storage in
                try await Notes.putBodies(storage, Array(0..<3000), length: 500)
                try await storage.write { writer in
                    for id in Int64(100)..<3000 { _ = try writer.delete(.integer(id), in: Notes.wide) }
                }
                let revision = try await storage.revision()
                let before = try Disk.read(data).count
                let log = ProgressLog()
                try await storage.compact { log.append($0) }
                #expect(try Disk.read(data).count < before / 5)
                #expect(log.all.last.map { $0.done == $0.total } == true)
                #expect(try await storage.revision() == revision)
                #expect(try await Notes.titles(storage, in: Notes.wide).count == 100)
                #expect(try await storage.verifyFiles { _ in } == [])
                try await Notes.putBodies(storage, [1], length: 10)
                #expect(try await storage.revision() == revision + 1)
                #expect(try await storage.verifyFiles { _ in } == [])
            }
            #expect(Disk.names(path) == ["data.mdb", "lock.mdb"])
            #expect(try await Notes.open(path) { try await Notes.titles($0, in: Notes.wide) }.count == 100)
        }
    }

    @Test("reads and writes wait for compacting, and lose nothing")
    func meanwhile() async throws {
        try await TemporaryDirectory.with { directory in
            try await Notes.open(directory.path + "/store") { storage in
                try await Notes.put(storage, (0..<1000).map { (Int64($0), "note \($0)") })
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for worker in 0..<4 {
                        group.addTask {
                            for step in 0..<50 {
                                let id = Int64(10_000 + worker * 100 + step)
                                try await Notes.put(storage, [(id, "added")])
                                let isThere = try await storage.read {
                                    try $0.get(.integer(id), in: Notes.first) { _ in }
                                }
                                #expect(isThere)
                                _ = try await storage.revision()
                            }
                        }
                    }
                    group.addTask { for _ in 0..<5 { try await storage.compact { _ in } } }
                    group.addTask { for _ in 0..<5 { _ = try await storage.verifyFiles { _ in } } }
                    try await group.waitForAll()
                }
                #expect(try await Notes.titles(storage).count == 1200)
                #expect(try await storage.verifyFiles { _ in } == [])
            }
        }
    }

    @Test("a closed storage cannot be compacted, and closing waits for it")
    func closing() async throws {
        try await TemporaryDirectory.with { directory in
            let storage = LMDBStorage(path: directory.path + "/store", durability: .off)
            try await storage.open(Notes.schema)
            let compaction = Task { await Notes.code { try await storage.compact { _ in } } }
            try await storage.close()
            // Either may come first.
            #expect([nil, .unsupported].contains(await compaction.value))
            #expect(await Notes.code { try await storage.compact { _ in } } == .unsupported)
            #expect(try await Notes.open(directory.path + "/store") { try await Notes.titles($0) } == [])
        }
    }

    @Test("the next open removes the rest of a killed compaction")
    func killed() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "a")]) }
            try Disk.makeFolder(path + "/creating")
            try Disk.write([1, 2, 3], to: path + "/creating/data.mdb")
            #expect(try await Notes.open(path) { try await Notes.titles($0) } == ["a"])
            #expect(Disk.names(path) == ["data.mdb", "lock.mdb"])
        }
    }

    @Test("a storage describes its engine, files and settings")
    func describes() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { storage in
                try await Notes.putBodies(storage, Array(0..<500), length: 100)
                let description = try await storage.describe()
                #expect(description.engine.hasPrefix("LMDB 0.9."))
                #expect(description.files.map(\.path) == [path + "/data.mdb", path + "/lock.mdb"])
                let data = try #require(description.files.first)
                #expect(data.bytes >= 500 * 100)
                let names = [
                    "durability", "map_size", "page_size", "pages", "free_pages", "last_transaction",
                    "reader_places",
                ]
                #expect(description.settings.map(\.name) == names)
                #expect(description.settings.first?.value == "off")
                let revision = try await storage.revision()
                #expect(description.settings[5].value == "\(revision)")
            }
        }
    }
}
