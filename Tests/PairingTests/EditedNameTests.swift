import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// Keeping, copying and clearing an edited name over every storage.
@Suite("An edited name over every storage", .timeLimit(.minutes(5)))
struct EditedNameTests {
    private let folder: StorageFolder
    private let feed = ScriptedFeed(people: 1...20)
    private let clock = ManualClock()

    init() throws { folder = try StorageFolder() }

    private func gateway(_ plugin: String, _ name: String = "store") async throws -> Gateway {
        try await Gateway(
            storage: folder.storage(plugin, name), source: feed.source(), clock: clock.layerClock)
    }

    private func shown(
        _ login: String, in gateway: Gateway, _ policy: Policy = .localOnly
    ) async throws -> Item? {
        try await gateway.showPerson(login, policy: policy).ending.value
    }

    @Test(
        "it survives a 304, a new upstream name, a list and a new login, and reverts to the upstream name",
        arguments: StorageFolder.all)
    func survives(_ plugin: String) async throws {
        let gateway = try await gateway(plugin), people = try gateway.people
        _ = try await gateway.showPerson("user-3").ending
        try await gateway.edit(people, "user-3", "name", to: "Mine")
        #expect(try await shown("user-3", in: gateway, .localFirst)?.shownName == "Mine")
        #expect(feed.requests.last == "person user-3 if changed")

        feed.change("people") { $0[2]["name"] = .text("Upstream") }
        #expect(try await shown("user-3", in: gateway, .localFirst)?.shownName == "Mine")
        #expect(try await shown("user-3", in: gateway, .refresh)?["name"] == .text("Upstream"))

        feed.change("people") { $0[2]["login"] = .text("renamed") }
        #expect(try await gateway.listPeople().ending.value?.items[2].shownName == "Mine")
        #expect(try await shown("renamed", in: gateway, .refresh)?.shownName == "Mine")

        #expect(try await gateway.revert(people, "renamed").hasChanged)
        #expect(try await shown("renamed", in: gateway)?.shownName == "Upstream")
        #expect(try await !gateway.revert(people, "renamed").hasChanged)
        try await gateway.close()
    }

    @Test("a clear removes it unless edits are kept", arguments: StorageFolder.all)
    func cleared(_ plugin: String) async throws {
        let gateway = try await gateway(plugin), people = try gateway.people
        for isKept in [true, false] {
            _ = try await gateway.showPerson("user-3").ending
            try await gateway.edit(people, "user-3", "name", to: "Mine")
            try await gateway.clear(people, keepingEdits: isKept)
            #expect(try await shown("user-3", in: gateway) == nil)
            let again = try await shown("user-3", in: gateway, .localFirst)
            #expect(again?.override(of: people.editable[0]) == (isKept ? "Mine" : nil))
        }
        try await gateway.close()
    }

    @Test(
        "it is copied to another storage, where it survives a refresh and can be reverted",
        arguments: StorageFolder.pairs)
    func copied(_ from: String, _ to: String) async throws {
        let first = try await gateway(from), people = try first.people
        _ = try await first.listPeople().ending
        _ = try await first.showPerson("user-3").ending
        try await first.edit(people, "user-3", "name", to: "Mine \u{1F469}\u{200D}\u{1F52C} '")
        try await first.edit(people, "user-4", "name", to: "Waits")
        try await first.clear(people, keepingEdits: true)
        _ = try await first.showPerson("user-3").ending
        try await first.close()

        let copied = try await CopyStorage(from: "store", folder.storage(from, "store")) {
            [folder] in
            try await folder.storage(to, "copy")
        }.run(isVerified: true)
        #expect(copied.collections.contains { $0.collection.name == "edits" && $0.rows == 1 })

        let second = try await gateway(to, "copy")
        let mine = "Mine \u{1F469}\u{200D}\u{1F52C} '"
        #expect(try await shown("user-3", in: second)?.shownName == mine)
        #expect(try await shown("user-3", in: second, .refresh)?.shownName == mine)
        #expect(try await shown("user-4", in: second, .localFirst)?.shownName == "Waits")
        #expect(try await second.revert(second.people, "user-3").value.shownName == "User 3")
        try await second.close()
    }
}
