import PatchbayCore
import PatchbayTestKit
import StorageSQLite
import Testing

@Suite("a damaged file never ends the process")
struct DamageTests {
    let users = TestCollections.users

    @Test(
        "a file that was cut inside its last page is refused, however little is missing",
        arguments: [1, 100, 4_095])
    func cutInsidePage(_ missing: Int) async throws {
        let folder = try TestFolder()
        try await folder.storage().close()
        let sound = folder.bytes()
        folder.write(Array(sound.dropLast(missing)))
        let error = await fault { try await folder.storage().close() }
        #expect(
            error?.code == .corrupted && error?.message.contains("\(sound.count - missing) bytes") == true)
        folder.write(sound)
        try await folder.storage().close()
    }

    @Test("a path that is too long for SQLite is refused with its length, and the longest one works")
    func longPaths() async throws {
        let folder = try TestFolder()
        func path(_ bytes: Int) -> String {
            var path = folder.path
            while bytes - path.utf8.count > 200 { path += "/" + String(repeating: "d", count: 99) }
            _ = TestFolder.shell("mkdir -p '\(path)'")
            return path + "/" + String(repeating: "f", count: bytes - path.utf8.count - 1)
        }
        let longest = SQLiteStorage(path: path(480))
        try await longest.open(TestCollections.schema)
        try await longest.close()
        let error = await fault { try await SQLiteStorage(path: path(481)).open(TestCollections.schema) }
        #expect(error?.code == .invalidConfiguration && error?.message.contains("481 bytes") == true)
    }

    @Test("a walk over damaged pages returns rows or an error")
    func randomDamage() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        let users = users
        try await storage.write { writer in
            for id in 0..<400 {
                try writer.put(
                    [
                        .integer(Int64(id)), .text("user\(id)"), .text("name \(id % 7)"),
                        .integer(Int64(id % 50)),
                        .real(Double(id) / 3), .bytes(Array(repeating: UInt8(id % 256), count: id)),
                    ], in: users)
            }
        }
        try await storage.close()
        let sound = folder.bytes()
        var codes: Set<PatchbayError.Code> = []
        for round in 0..<60 {
            let damaged = damage(sound, round)
            folder.write(damaged)
            if let error = await fault({ try await walk(folder) }) { codes.insert(error.code) }
        }
        #expect(codes.contains(.corrupted))
        #expect(codes.isSubset(of: [.corrupted, .invalidConfiguration]))
    }

    /// Overwrites some bytes of one page, or truncates the file. Each round causes different, reproducible damage.
    private func damage(_ sound: [UInt8], _ round: Int) -> [UInt8] {
        var bytes = sound
        if round % 10 == 9 { return Array(bytes.prefix(bytes.count * (round + 1) / 70)) }
        for step in 0..<24 {
            let place = (round * 7_919 + step * 31 + (round % 3) * step * 1_009) % bytes.count
            bytes[place] = UInt8(truncatingIfNeeded: round * 37 + step * 101 + 255)
        }
        return bytes
    }

    private func walk(_ folder: TestFolder) async throws {
        let storage = SQLiteStorage(path: folder.database, durability: .off)
        let users = users
        do {
            try await storage.open(TestCollections.schema)
            try await storage.read { reader in
                for index in [users.primaryKey] + users.indexes {
                    _ = try reader.keys(Query(users, by: index))
                }
            }
        } catch {
            try? await storage.close()  // The error of the walk matters, not that of closing a damaged file.
            throw error
        }
        try await storage.close()
    }
}
