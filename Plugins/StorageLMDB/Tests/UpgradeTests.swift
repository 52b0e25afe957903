import PatchbayCore
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("Changing the schema")
struct UpgradeTests {
    @Test("a unique index over rows that are not unique is refused, and nothing changes")
    func conflict() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "same"), (2, "same")]) }
            let before = try Disk.read(path + "/data.mdb")
            #expect(await Notes.code { try await Notes.open(path, Notes.laterSchema) { _ in } } == .conflict)
            #expect(try Disk.read(path + "/data.mdb") == before)
            let titles = try await Notes.open(path) { try await Notes.titles($0, by: Notes.byTitle) }
            #expect(titles == ["same", "same"])
        }
    }

    // MARK: The copy from before

    @Test("before a change to a newer schema, a copy of the storage is kept next to it")
    func keepsOld() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", old = path + ".before-schema-2"
            try await Notes.open(path) { try await Notes.put($0, [(1, "b"), (2, "a")]) }
            try await Notes.open(path + "/", Notes.laterSchema) { _ in }
            #expect(Disk.names(directory.path) == ["store", "store.before-schema-2"])
            let titles = try await Notes.open(old) { storage in
                #expect(try await storage.verifyFiles { _ in } == [])
                return try await Notes.titles(storage, by: Notes.byTitle)
            }
            #expect(titles == ["a", "b"])
            // The schema is already the new one, so the copy belongs to the user.
            let kept = try Disk.read(old + "/data.mdb")
            try await Notes.open(path, Notes.laterSchema) { _ in }
            #expect(try Disk.read(old + "/data.mdb") == kept)
        }
    }

    @Test("the copy of an unfinished change is replaced")
    func replacesOld() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", old = path + ".before-schema-2"
            try await Notes.open(path) { try await Notes.put($0, [(1, "same"), (2, "same")]) }
            #expect(await Notes.code { try await Notes.open(path, Notes.laterSchema) { _ in } } == .conflict)
            try await Notes.open(path) { try await Notes.put($0, [(2, "other")]) }
            try await Notes.open(path, Notes.laterSchema) { _ in }
            #expect(try await Notes.open(old) { try await Notes.titles($0) } == ["same", "other"])
        }
    }

    @Test("anything else at the path of the copy is an error, and nothing changes")
    func takenPlace() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", old = path + ".before-schema-2"
            try await Notes.open(path) { try await Notes.put($0, [(1, "a")]) }
            try Disk.makeFolder(old)
            try Disk.write([1], to: old + "/letter")
            let before = try Disk.read(path + "/data.mdb")
            #expect(await Notes.code { try await Notes.open(path, Notes.laterSchema) { _ in } } == .conflict)
            #expect(try Disk.read(path + "/data.mdb") == before)
            #expect(try Disk.read(old + "/letter") == [1])
        }
    }

    @Test("a newer stored schema is refused, and no byte changes")
    func newer() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path, Notes.laterSchema) { _ in }
            let before = try Disk.read(path + "/data.mdb")
            #expect(await Notes.code { try await Notes.open(path) { _ in } } == .unsupported)
            #expect(try Disk.read(path + "/data.mdb") == before)
            #expect(Disk.names(directory.path) == ["store"])
        }
    }

    // MARK: Many rows

    private static let bare = CollectionSchema("notes", key: 0, fields: Notes.first.fields)

    /// Long titles in another order than the keys, so that an index over them takes several transactions and runs.
    private static func fill(_ path: String, _ count: Int64) async throws {
        try await Notes.open(path, Schema(version: 1, [bare])) { storage in
            for start in stride(from: 0, to: count, by: 5000) {
                try await Notes.put(storage, (start..<start + 5000).map { ($0, title($0, count)) }, in: bare)
            }
        }
    }

    private static func title(_ id: Int64, _ count: Int64) -> String {
        "\(100_000 + id * 7919 % count) " + String(repeating: "long ", count: 90)
    }

    @Test("indexes added at the same version are built in bounded steps, without a copy")
    func bulk() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", count: Int64 = 40_000
            try await UpgradeTests.fill(path, count)
            let log = ProgressLog()
            let storage = LMDBStorage(path: path, durability: .off)
            try await storage.open(Notes.schema) { log.append($0) }
            let titles = try await Notes.titles(storage, by: Notes.byTitle)
            #expect(titles.count == Int(count) && titles == titles.sorted())
            #expect(try await storage.verifyFiles { _ in } == [])
            try await storage.close()
            #expect(Disk.names(directory.path) == ["store"])
            #expect(Disk.names(path) == ["data.mdb", "lock.mdb"])
            #expect(
                log.all.last
                    == WorkProgress("building the index by_title of notes", done: 40_000, of: 40_000))
            #expect(zip(log.all, log.all.dropFirst()).allSatisfy { $0.done <= $1.done })
        }
    }

    @Test("a build that was killed halfway leaves the old state, and the next open completes it")
    func killed() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", count: Int64 = 40_000
            try await UpgradeTests.fill(path, count)
            // A kill would leave the file as it is halfway through the build.
            let killed = directory.path + "/killed"
            let storage = LMDBStorage(path: path, durability: .off)
            try await storage.open(Notes.schema) { progress in
                guard progress.done > 35_000, !Disk.exists(killed) else { return }
                _ = Disk.run("mkdir '\(killed)' && cp '\(path)/data.mdb' '\(killed)'")
            }
            try await storage.close()
            try await Notes.open(killed, Schema(version: 1, [UpgradeTests.bare])) { storage in
                #expect(try await storage.verifyFiles { _ in } == [])
                let rowCount = try await storage.read { try $0.count(Query(UpgradeTests.bare)) }
                #expect(rowCount == Int(count))
            }
            try await Notes.open(killed) { storage in
                #expect(try await storage.verifyFiles { _ in } == [])
                let titles = try await Notes.titles(storage, by: Notes.byTitle)
                #expect(titles.count == Int(count) && titles == titles.sorted())
            }
        }
    }

    @Test("a build that is cancelled ends at once and leaves the old state")
    func cancelled() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", count: Int64 = 20_000
            try await UpgradeTests.fill(path, count)
            for doneMin in [1, 15_000] {
                let log = ProgressLog()
                let opening = Task {
                    try await LMDBStorage(path: path, durability: .off).open(Notes.schema) { progress in
                        log.append(progress)
                        if progress.done >= doneMin { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
                    }
                }
                await #expect(throws: CancellationError.self) { try await opening.value }
                #expect(log.all.last.map { $0.done < Int(count) } == true)
                try await Notes.open(path, Schema(version: 1, [UpgradeTests.bare])) { storage in
                    #expect(try await storage.verifyFiles { _ in } == [])
                    let rowCount = try await storage.read { try $0.count(Query(UpgradeTests.bare)) }
                    #expect(rowCount == Int(count))
                }
            }
            let titles = try await Notes.open(path) { try await Notes.titles($0, by: Notes.byTitle) }
            #expect(titles.count == Int(count) && titles == titles.sorted())
        }
    }

    @Test("two rows that violate a unique index late in a build leave nothing of it")
    func lateConflict() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", count: Int64 = 40_000
            try await UpgradeTests.fill(path, count)
            let bare = Schema(version: 1, [UpgradeTests.bare])
            let last = "199999 " + String(repeating: "long ", count: 90)
            try await Notes.open(path, bare) { storage in
                try await Notes.put(storage, [(50_000, last), (50_001, last)], in: UpgradeTests.bare)
            }
            let unique = CollectionSchema(
                "notes", key: 0, indexes: [Notes.byTitleOnly], fields: Notes.first.fields)
            let code = await Notes.code { try await Notes.open(path, Schema(version: 1, [unique])) { _ in } }
            #expect(code == .conflict)
            try await Notes.open(path, bare) { storage in
                #expect(try await storage.verifyFiles { _ in } == [])
                let free = try #require(
                    try await storage.describe().settings.first { $0.name == "free_pages" })
                let freeCount = try #require(Int(free.value))
                #expect(freeCount > 1000)
            }
        }
    }

    @Test("an index whose new parts rows violate is refused before the old one is dropped")
    func changedUnique() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "same"), (2, "same")]) }
            let before = try Disk.read(path + "/data.mdb")
            let changed = CollectionSchema(
                "notes", key: 0, indexes: [Index("by_title", .exact(1), unique: true)],
                fields: Notes.first.fields)
            let code = await Notes.code { try await Notes.open(path, Schema(version: 1, [changed])) { _ in } }
            #expect(code == .conflict)
            #expect(try Disk.read(path + "/data.mdb") == before)
            try await Notes.open(path) { try await Notes.put($0, [(2, "other")]) }
            try await Notes.open(path, Schema(version: 1, [changed])) { storage in
                #expect(try await storage.verifyFiles { _ in } == [])
                let titles = try await Notes.titles(storage, by: changed.indexes[0], in: changed)
                #expect(titles == ["other", "same"])
            }
        }
    }
}
