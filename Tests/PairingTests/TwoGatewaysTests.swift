import Patchbay
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayPlugins
@testable import PatchbayTestKit
import Testing

@Suite("Two gateways in one process")
struct TwoGatewaysTests {
    private func gateway(_ storage: String, _ path: String, seed: Int) async throws -> Gateway {
        try await Gateway(
            configuration: GatewayConfiguration([
                "storage": storage, "storage.path": path, "storage.durability": "off",
                "source": "synthetic", "source.seed": String(seed),
            ]))
    }

    private func users(_ gateway: Gateway) async throws -> [User] {
        try await gateway.store.read {
            try $0.list(StoredUser.self, Query(StoredUser.collection)).map(\.user)
        }
    }

    @Test("over different storages they work at the same time and know nothing of each other")
    func different() async throws {
        let folder = try TemporaryDirectory()
        let seeds = ["sqlite": 1, "lmdb": 2, "flatfile": 3]
        try await withThrowingTaskGroup(of: (String, [User]).self) { group in
            for (storage, seed) in seeds {
                group.addTask {
                    let gateway = try await gateway(storage, "\(folder.path)/\(storage)", seed: seed)
                    _ = await gateway.syncUsers(maximumRequests: 5).run()
                    let users = try await users(gateway)
                    try await gateway.close()
                    return (storage, users)
                }
            }
            var logins: Set<String> = []
            var count = 0
            for try await (storage, users) in group {
                #expect(users.count > 100, "\(storage)")
                logins.formUnion(users.map(\.login))
                count += users.count
            }
            #expect(logins.count > count / 2)
        }
    }

    @Test("over one SQLite file each sees what the other commits")
    func sameFile() async throws {
        let folder = try TemporaryDirectory()
        let first = try await gateway("sqlite", folder.path + "/users.sqlite", seed: 1)
        let second = try await gateway("sqlite", folder.path + "/users.sqlite", seed: 1)
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        let watched = Task {
            for try await changes in second.watchUsers() {
                look.yield()
                if !changes.isEmpty { return changes.count }
            }
            return 0
        }
        for await _ in looks { break }
        let fetched = try await first.initUsers()
        #expect(try await watched.value == fetched)
        try await second.editUser(try await users(first)[0].login, name: "Ada")
        #expect(try await users(first)[0].name == "Ada")
        #expect(try await users(first) == users(second))
        try await first.close()
        #expect(try await users(second).count == fetched)
        try await second.close()
    }
}
