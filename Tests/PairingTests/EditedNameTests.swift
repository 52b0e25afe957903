import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// What becomes of an edited name, over every storage.
@Suite("An edited name over every storage", .timeLimit(.minutes(5)))
struct EditedNameTests {
    private let folder: StorageFolder
    private let script = ScriptedSource(users: ScriptedUserSource.users(1...20))
    private let clock = ManualClock()

    init() throws { folder = try StorageFolder() }

    private func gateway(_ plugin: String, _ name: String = "store") async throws -> Gateway {
        try await Gateway(
            storage: folder.storage(plugin, name), source: script.source, clock: clock.layerClock)
    }

    private func shown(_ login: String, in gateway: Gateway, _ policy: Policy = .localOnly) async -> User? {
        await gateway.showUser(login, policy: policy).ending.value?.user
    }

    @Test(
        "it survives a 304, a new upstream name, a list and a new login, and reverts to what upstream says now",
        arguments: StorageFolder.all)
    func survives(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        _ = await gateway.showUser("user-3").ending
        try await gateway.editUser("user-3", name: "Mine")
        #expect(await shown("user-3", in: gateway, .localFirst)?.name == "Mine")
        #expect(script.requests.last == "user user-3 if changed")

        script.users.change { $0[2].detail?.name = "Upstream" }
        #expect(await shown("user-3", in: gateway, .localFirst)?.name == "Mine")
        #expect(await shown("user-3", in: gateway, .refresh)?.detail?.name == "Upstream")

        script.users.change { $0[2].login = "renamed" }
        #expect(await gateway.listUsers().ending.value?.users[2].name == "Mine")
        #expect(await shown("renamed", in: gateway, .refresh)?.name == "Mine")

        #expect(try await gateway.revertUser("renamed").hasChanged)
        #expect(await shown("renamed", in: gateway)?.name == "Upstream")
        #expect(try await !gateway.revertUser("renamed").hasChanged)
        try await gateway.close()
    }

    @Test("it goes with a clear, unless edits are to be kept", arguments: StorageFolder.all)
    func cleared(_ plugin: String) async throws {
        let gateway = try await gateway(plugin)
        for isKept in [true, false] {
            _ = await gateway.showUser("user-3").ending
            try await gateway.editUser("user-3", name: "Mine")
            try await gateway.clearUsers(keepingEdits: isKept)
            #expect(await shown("user-3", in: gateway) == nil)
            #expect(await shown("user-3", in: gateway, .localFirst)?.nameOverride == (isKept ? "Mine" : nil))
        }
        try await gateway.close()
    }

    @Test(
        "it is copied to another storage, and survives a refresh and reverts there",
        arguments: StorageFolder.pairs)
    func copied(_ from: String, _ to: String) async throws {
        let first = try await gateway(from)
        _ = await first.listUsers().ending
        _ = await first.showUser("user-3").ending
        try await first.editUser("user-3", name: "Mine \u{1F469}\u{200D}\u{1F52C} '")
        try await first.editUser("user-4", name: "Waits")
        try await first.clearUsers(keepingEdits: true)
        _ = await first.showUser("user-3").ending
        try await first.close()

        let copied = try await CopyStorage(from: "store", folder.storage(from, "store")) {
            [folder] in
            try await folder.storage(to, "copy")
        }.run(isVerified: true)
        #expect(copied.collections.contains { $0.collection.name == "user_edits" && $0.rows == 1 })

        let second = try await gateway(to, "copy")
        #expect(await shown("user-3", in: second)?.name == "Mine \u{1F469}\u{200D}\u{1F52C} '")
        #expect(await shown("user-3", in: second, .refresh)?.name == "Mine \u{1F469}\u{200D}\u{1F52C} '")
        #expect(await shown("user-4", in: second, .localFirst)?.name == "Waits")
        #expect(try await second.revertUser("user-3").value.user.name == "User 3")
        try await second.close()
    }
}
