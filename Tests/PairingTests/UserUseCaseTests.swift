import PatchbayCore
import PatchbayDomain
import PatchbayGateway
@testable import PatchbayTestKit
import TestSupport
import Testing

/// Edits, clears and favourites over every storage, and changes that another process commits.
@Suite("Use cases of users over every storage", .timeLimit(.minutes(5)))
struct UserUseCaseTests {
    private let folder: StorageFolder
    private let source = ScriptedUserSource(users: ScriptedUserSource.users(1...50))

    init() throws { folder = try StorageFolder() }

    private func gateway(_ plugin: String) async throws -> Gateway {
        try await Gateway(
            storage: folder.storage(plugin, "store.\(plugin)"),
            source: Source(name: "scripted", users: source),
            now: { Timestamp(milliseconds: 1_790_000_000_000) })
    }

    @Test("edits, kept edits and favourites are alike over every storage", arguments: StorageFolder.all)
    func editing(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        #expect(try await gateway.initUsers() == 20)
        for (id, name) in [(3, "Ö\u{1B}[31m"), (4, "zed"), (5, "É"), (6, "'; DROP TABLE users; --")] {
            #expect(try await gateway.editUser("user-\(id)", name: name).hasChanged)
            #expect(try await gateway.addFavourite("user-\(id)").hasChanged)
        }
        let titles = try await gateway.listFavourites().map(\.title)
        #expect(titles == ["'; DROP TABLE users; --", "zed", "É", "Ö\u{1B}[31m"])
        let revision = try await gateway.store.storage.revision()
        #expect(try await !gateway.editUser("user-4", name: "zed").hasChanged)
        #expect(try await gateway.store.storage.revision() == revision)
        #expect(try await gateway.clearUsers(keepingEdits: true).keptEdits == 4)
        #expect(try await gateway.initUsers() == 20)
        let users = try await gateway.store.read {
            try $0.list(StoredUser.self, Query(StoredUser.collection))
        }
        #expect(users.compactMap(\.user.nameOverride).count == 4)
        #expect(try await gateway.findFavourites(among: users.map(\.user)) == [3, 4, 5, 6])
        #expect(try await gateway.searchFavourites("ö").map(\.id) == [3])
        #expect(try await gateway.removeFavourite("user-6").id == 6)
        #expect(try await gateway.revertUser("user-4").hasChanged)
        try await gateway.close()
    }

    @Test("a commit of another process is told to who watches", arguments: ["sqlite", "lmdb"])
    func watching(_ plugin: String) async throws {
        let command = Command(in: folder.folder.path)
        let gateway = try await gateway(plugin)
        var changes = gateway.watchUsers().makeAsyncIterator()
        #expect(try await changes.next()?.isEmpty == true)
        for id in 1...3 as ClosedRange<Int64> {
            let path = "\(plugin):\(folder.folder.path)"
            let written = try await OwnThread().run { _ in
                try command.run("selftest", "write", "--store", path, "--start", "\(id)", "--count", "1")
            }
            #expect(written.status == 0, "\(written.errors)")
            let set = try await changes.next()
            #expect(set?.map(\.user.id) == [id])
            if case .inserted = set?.first {} else { Issue.record("\(set ?? [])") }
        }
        let edited = try await OwnThread().run { [folder] _ in
            try command.run(
                "users", "edit", "selftest-2", "--name", "Mine", "--storage", plugin, "--set",
                "storage.path=\(folder.folder.path)/store.\(plugin)")
        }
        #expect(edited.status == 0, "\(edited.errors)")
        let set = try await changes.next()
        #expect(set?.map(\.user.name) == ["Mine"])
        try await gateway.close()
    }
}
