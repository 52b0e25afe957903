import CLMDB
import PatchbayCore
import PatchbaySystem
import PatchbayTestKit
import Testing

@testable import StorageLMDB

@Suite("File checks")
struct VerificationTests {
    @Test("after many random writes every page is in use or free, and every index is complete")
    func sound() async throws {
        try await TemporaryDirectory.with { directory in
            try await Notes.open(directory.path + "/store") { storage in
                var generator = SeededGenerator.fromEnvironment()
                for _ in 0..<40 {
                    let ids = (0..<60).map { _ in Int64.random(in: 0..<2000, using: &generator) }
                    // Some values are so long that they get their own pages.
                    let length = Int.random(in: 0...40, using: &generator) == 0 ? 9000 : 40
                    try await Notes.putBodies(storage, ids, length: length)
                    try await storage.write { writer in
                        for id in ids.prefix(20) { _ = try writer.delete(.integer(id), in: Notes.wide) }
                    }
                    #expect(try await storage.verifyFiles { _ in } == [])
                }
            }
        }
    }

    @Test("progress reaches its total")
    func progress() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { storage in
                try await Notes.put(storage, (0..<500).map { (Int64($0), "note \($0)") })
                let log = ProgressLog()
                _ = try await storage.verifyFiles { log.append($0) }
                let last = try #require(log.all.last)
                #expect(last.task == "checking the storage \"\(path)\"")
                #expect(last.done == last.total)
            }
        }
    }

    @Test("a changed byte in a row or an index entry is found, with its page and key")
    func changedByte() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { try await Notes.put($0, [(1, "first"), (2, "remarkable")]) }
            try Notes.damage(path, "remarkable", replacement: "unremarked", isIndex: false)
            try await Notes.open(path) { storage in
                let faults = try await storage.verifyFiles { _ in }
                #expect(faults.count == 1)
                #expect(faults.first?.file == path + "/data.mdb")
                #expect(faults.first?.place?.hasPrefix("page ") == true)
                #expect(
                    faults.first?.message == "the entry 2 of \"notes\" is damaged: its checksum is wrong")
            }
        }
    }

    @Test("a page of zeros is found in every tree")
    func zeros() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", data = path + "/data.mdb"
            let notes = (0..<1500).map { (Int64($0 * 7 % 1500), "note \($0)") }
            try await Notes.open(path) { try await Notes.put($0, notes) }
            let sound = try Disk.read(data)
            let free = try freePages(data)
            #expect(free.count < sound.count / 4096 / 2)
            for page in 2..<sound.count / 4096 where !free.contains(UInt64(page)) {
                var bytes = sound
                for place in page * 4096..<(page + 1) * 4096 { bytes[place] = 0 }
                try Disk.write(bytes, to: data)
                do {
                    let faults = try await Notes.open(path) { try await $0.verifyFiles { _ in } }
                    #expect(!faults.isEmpty, "page \(page)")
                } catch let error as PatchbayError {
                    #expect(error.code == .corrupted)
                }
            }
        }
    }

    @Test("a page that is both free and in use, and one that is free twice, are found")
    func freeAndUsed() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", data = path + "/data.mdb"
            try await Notes.open(path) { storage in
                for round in 0..<3 { try await Notes.put(storage, (0..<300).map { (Int64($0), "\(round)") }) }
            }
            var bytes = try Disk.read(data)
            let (offset, used, count) = try freeList(data)
            try #require(count >= 2)
            let sound = bytes
            Notes.store(used, in: &bytes, at: offset)
            try Disk.write(bytes, to: data)
            let faults = try await Notes.open(path) { try await $0.verifyFiles { _ in } }
            #expect(faults.contains { $0.place == "page \(used)" && $0.message.contains("and in the list") })
            bytes = sound
            bytes.replaceSubrange(offset..<offset + 8, with: sound[offset + 8..<offset + 16])
            try Disk.write(bytes, to: data)
            let twice = try await Notes.open(path) { try await $0.verifyFiles { _ in } }
            #expect(twice.contains { $0.message.contains("twice") }, "\(twice)")
        }
    }

    @Test("a page that nothing leads to is found")
    func lost() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", data = path + "/data.mdb"
            try await Notes.open(path) { storage in
                for round in 0..<3 { try await Notes.put(storage, (0..<300).map { (Int64($0), "\(round)") }) }
            }
            var bytes = try Disk.read(data)
            let (offset, _, count) = try freeList(data)
            // The list's count is one too low, so its last page is lost.
            Notes.store(UInt64(count - 1), in: &bytes, at: offset - 8)
            try Disk.write(bytes, to: data)
            let faults = try await Notes.open(path) { try await $0.verifyFiles { _ in } }
            #expect(faults.count == 1)
            #expect(faults.first?.message.contains("neither in use nor in the list") == true)
        }
    }

    @Test("a list of free pages with a count that is too high is found, and does not end the process")
    func greatCounts() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store", data = path + "/data.mdb"
            try await Notes.open(path) { storage in
                for round in 0..<5 { try await Notes.put(storage, (0..<300).map { (Int64($0), "\(round)") }) }
            }
            let counts = try freeListCounts(data)
            try #require(counts.count >= 2)
            var bytes = try Disk.read(data)
            for offset in counts { Notes.store(.max, in: &bytes, at: offset) }
            try Disk.write(bytes, to: data)
            try await Notes.open(path) { storage in
                let faults = try await storage.verifyFiles { _ in }
                #expect(faults.contains { $0.message == "an entry of the list of free pages is damaged" })
                #expect(await Notes.code { _ = try await storage.describe() } == .corrupted)
            }
        }
    }

    @Test("a cancelled check stops")
    func cancelled() async throws {
        try await TemporaryDirectory.with { directory in
            try await Notes.open(directory.path + "/store") { storage in
                try await Notes.put(storage, (0..<500).map { (Int64($0), "note \($0)") })
                let log = ProgressLog()
                let checking = Task {
                    unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                    return try await storage.verifyFiles { log.append($0) }
                }
                await #expect(throws: CancellationError.self) { _ = try await checking.value }
                #expect(log.all.isEmpty)
                #expect(try await storage.verifyFiles { _ in } == [])
            }
        }
    }

    @Test("at most a hundred faults are kept")
    func many() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) {
                try await Notes.put($0, (0..<300).map { (Int64($0), "remarkable") })
            }
            try Notes.damage(path, "remarkable", replacement: "unremarked", isIndex: false)
            let faults = try await Notes.open(path) { try await $0.verifyFiles { _ in } }
            #expect(faults.count == 100)
        }
    }

    // MARK: The list of free pages

    private func freePages(_ data: String) throws -> Set<UInt64> {
        try withSnapshot(data) { snapshot, _ in
            var pages: Set<UInt64> = []
            try unsafe snapshot.forEach(in: Snapshot.freePages, snapshot.header.free) { list in
                unsafe pages.formUnion(try snapshot.freePages(list.value))
            }
            return pages
        }
    }

    /// The offsets in the file of the counts of the entries in the list's first page.
    private func freeListCounts(_ data: String) throws -> [Int] {
        try withSnapshot(data) { snapshot, map in
            let page = try snapshot.page(snapshot.header.free.page)
            try #require(page.isLeaf)
            return try (0..<page.count).map { try offset(ofValue: $0, page, map) }
        }
    }

    /// The offset in the file of the list's first page number, a page that is in use, and the count of numbers.
    private func freeList(_ data: String) throws -> (offset: Int, used: UInt64, count: Int) {
        try withSnapshot(data) { snapshot, map in
            let page = try snapshot.page(snapshot.header.free.page)
            let key = try unsafe #require(unsafe page.key(0))
            let list = try unsafe snapshot.value(page, 0, after: key)
            return unsafe (
                try offset(ofValue: 0, page, map) + 8, snapshot.header.main.page,
                try snapshot.freePages(list).count
            )
        }
    }

    /// The offset in the file of a leaf's value, which follows its key.
    private func offset(ofValue place: Int, _ page: Page, _ map: FileMap) throws -> Int {
        let key = try unsafe #require(unsafe page.key(place)), start = try unsafe #require(key.baseAddress)
        let origin = try unsafe #require(map.bytes.baseAddress)
        return unsafe start + key.count - origin
    }

    private func withSnapshot<Result>(
        _ data: String, _ body: (Snapshot, FileMap) throws -> Result
    ) throws -> Result {
        let environment = try Environment(
            path: FileSystem.parent(of: data), flags: MDB_RDONLY | MDB_NOLOCK, bytesMax: 1 << 20,
            busyTimeoutMilliseconds: 0)
        defer { environment.close() }
        return try Transaction.run(environment, isWriting: false) { try body($0.snapshot, environment.map) }
    }
}
