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

    private func users(_ gateway: Gateway) throws -> NamedQuestion {
        try gateway.question(gateway.resource("users"))
    }

    @Test("over different storages they work at the same time and do not affect each other")
    func different() async throws {
        let folder = try TemporaryDirectory()
        let seeds = ["sqlite": 1, "lmdb": 2, "flatfile": 3]
        try await withThrowingTaskGroup(of: (String, [Item]).self) { group in
            for (storage, seed) in seeds {
                group.addTask {
                    let gateway = try await gateway(storage, "\(folder.path)/\(storage)", seed: seed)
                    _ = await gateway.sync(try users(gateway), maximumRequests: 5).run()
                    let users = try await gateway.stored("users")
                    try await gateway.close()
                    return (storage, users)
                }
            }
            var logins: Set<String> = []
            var count = 0
            for try await (storage, users) in group {
                #expect(users.count > 100, "\(storage)")
                logins.formUnion(users.map(\.handle))
                count += users.count
            }
            #expect(logins.count > count / 2)
        }
    }

    @Test("over one SQLite file each sees the commits of the other")
    func sameFile() async throws {
        let folder = try TemporaryDirectory()
        let first = try await gateway("sqlite", folder.path + "/users.sqlite", seed: 1)
        let second = try await gateway("sqlite", folder.path + "/users.sqlite", seed: 1)
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        let watched = Task {
            for try await changes in second.watch(try second.resource("users")) {
                look.yield()
                if !changes.isEmpty { return changes.count }
            }
            return 0
        }
        for await _ in looks { break }
        let fetched = try await first.initialize(users(first))
        #expect(try await watched.value == fetched)
        try await second.edit(
            second.resource("users"), first.stored("users")[0].handle, "name", to: "Ada")
        #expect(try await first.stored("users")[0].shownName == "Ada")
        #expect(
            try await first.stored("users").map(\.shownValues) == second.stored("users").map(\.shownValues))
        try await first.close()
        #expect(try await second.count("users") == fetched)
        try await second.close()
    }
}
