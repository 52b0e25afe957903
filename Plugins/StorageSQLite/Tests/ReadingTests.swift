import PatchbayCore
import StorageSQLite
import Testing

@testable import StorageSQLite

@Suite("reads run side by side")
struct ReadingTests {
    let users = TestCollections.users

    @Test("a read sees the state at its start, even before it reads anything")
    func snapshot() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        let options = ConnectionOptions(path: folder.database, durability: .off, busyTimeoutMilliseconds: 0)
        let reader = try Reader([users], options)
        let writer = try options.connect()
        let count = try reader.read { transaction in
            try writer.execute("insert into users (id, login) values (1, 'ada')")
            let first = try transaction.count(Query(users))
            try writer.execute("insert into users (id, login) values (2, 'ben')")
            return [first, try transaction.count(Query(users))]
        }
        #expect(count == [0, 0])
        #expect(try reader.read { try $0.count(Query(users)) } == 2)
        try await storage.close()
    }

    @Test("a reader cannot write")
    func readerIsReadOnly() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        let connection = try ConnectionOptions(
            path: folder.database, durability: .off, busyTimeoutMilliseconds: 0
        ).connectForReading()
        #expect(throws: PatchbayError.self) { try connection.execute("delete from users") }
        try await storage.close()
    }

    @Test("a nested walk of the same shape does not disturb the outer one")
    func nested() async throws {
        let folder = try TestFolder()
        let storage = try await folder.storage()
        for id in 0..<3 { try await storage.putUser(Int64(id), "user\(id)") }
        let users = users
        let visits = try await storage.read { reader in
            var visits: [String] = []
            try reader.scan(Query(users)) { outer in
                let name = outer.text(1)
                try reader.scan(Query(users)) { inner in
                    visits.append("\(name) \(inner.text(1)) \(outer.text(1))")
                    return .next
                }
                return .next
            }
            return visits
        }
        #expect(visits.count == 9)
        #expect(visits[5] == "user1 user2 user1")
        try await storage.close()
    }
}
