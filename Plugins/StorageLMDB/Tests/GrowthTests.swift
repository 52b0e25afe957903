import PatchbayCore
import PatchbayTestKit
import StorageLMDB
import Testing

@Suite("Growing")
struct GrowthTests {
    private static let title = String(repeating: "a long title, ", count: 30)

    @Test("the file grows past LMDB's default size of 10 MiB")
    func grows() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path) { storage in
                for round in Int64(0)..<4 { try await put(storage, round * 5000..<(round + 1) * 5000) }
                let count = try await storage.read { try $0.count(Query(Notes.first)) }
                #expect(count == 20_000)
            }
            #expect(try Disk.read(path + "/data.mdb").count > 16 << 20)
        }
    }

    @Test("a hundred storages fit into the address space of one process")
    func manyAtOnce() async throws {
        try await TemporaryDirectory.with { directory in
            var storages: [LMDBStorage] = []
            for number in 0..<100 {
                let storage = LMDBStorage(path: "\(directory.path)/\(number)", durability: .off)
                try await storage.open(Schema(version: 1, [Notes.first]))
                storages.append(storage)
            }
            for storage in storages { try await storage.close() }
        }
    }

    @Test("a write past the maximum size fails, and the storage stays usable")
    func full() async throws {
        try await TemporaryDirectory.with { directory in
            let path = directory.path + "/store"
            try await Notes.open(path, sizeMiBMax: 1) { storage in
                try await put(storage, 0..<10)
                #expect(await Notes.code { try await put(storage, 10..<5000) } == .storageFull)
                try await put(storage, 10..<20)
                let count = try await storage.read { try $0.count(Query(Notes.first)) }
                #expect(count == 20)
            }
        }
    }

    @Test("a write whose body swallows an error does not commit")
    func swallowed() async throws {
        try await TemporaryDirectory.with { directory in
            try await Notes.open(directory.path + "/store", sizeMiBMax: 1) { storage in
                let title = GrowthTests.title
                let code = await Notes.code {
                    try await storage.write { writer in
                        for id in Int64(0)..<5000 {
                            let row: Values = [.integer(id), .text(title)]
                            do { try writer.put(row, in: Notes.first) } catch { return }
                        }
                    }
                }
                #expect(code == .storageFull)
                let titles = try await Notes.titles(storage)
                #expect(titles == [])
            }
        }
    }

    private func put(_ storage: LMDBStorage, _ ids: Range<Int64>) async throws {
        try await Notes.put(storage, ids.map { ($0, "\(GrowthTests.title)\($0)") })
    }
}
