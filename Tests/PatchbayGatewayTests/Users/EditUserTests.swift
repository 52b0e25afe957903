import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Editing a user's name")
struct EditUserTests {
    private func edited(_ fixture: GatewayFixture) async throws {
        _ = await fixture.show("user-3")
        #expect(try await fixture.gateway.editUser("user-3", name: "Mine").hasChanged)
    }

    private func stored(_ fixture: GatewayFixture) async throws -> StoredUser {
        try #require(try await fixture.gateway.store.read { try $0.get(StoredUser.self, 3) })
    }

    @Test("an edited name stands beside the upstream one and is shown")
    func edit() async throws {
        let fixture = try await GatewayFixture()
        try await edited(fixture)
        let user = try await stored(fixture).user
        #expect(user.name == "Mine")
        #expect(user.detail?.name == "User 3")
    }

    @Test("a refresh that finds nothing new keeps an edited name")
    func unchanged() async throws {
        let fixture = try await GatewayFixture()
        try await edited(fixture)
        #expect(await fixture.show("user-3").last?.outcome.word == "unchanged")
        #expect(try await stored(fixture).user.name == "Mine")
    }

    @Test("a refresh that brings a new upstream name keeps an edited one, which reverts to the new one")
    func newUpstreamName() async throws {
        let fixture = try await GatewayFixture()
        try await edited(fixture)
        fixture.source.change { $0[2].detail?.name = "Upstream" }
        #expect(await fixture.show("user-3", .refresh).last?.outcome.word == "fresh")
        #expect(try await stored(fixture).user.name == "Mine")
        #expect(try await fixture.gateway.revertUser("user-3").value.user.name == "Upstream")
        #expect(try await stored(fixture).user.nameOverride == nil)
    }

    @Test("an edited name survives a new login and the list")
    func rename() async throws {
        let fixture = try await GatewayFixture()
        try await edited(fixture)
        fixture.source.change { $0[2].login = "renamed" }
        _ = await fixture.list()
        #expect(await fixture.show("renamed").last?.value?.user.name == "Mine")
        #expect(try await fixture.gateway.revertUser("RENAMED").hasChanged)
    }

    @Test("an edit that changes nothing is no commit and no notice")
    func nothing() async throws {
        let fixture = try await GatewayFixture()
        try await edited(fixture)
        let store = fixture.gateway.store
        let revision = try await store.storage.revision()
        #expect(try await !fixture.gateway.editUser("user-3", name: " Mine\n").hasChanged)
        _ = await fixture.show("user-4")
        let shown = try await store.storage.revision()
        #expect(try await !fixture.gateway.editUser("user-4", name: "User 4").hasChanged)
        #expect(try await !fixture.gateway.revertUser("user-4").hasChanged)
        #expect(shown == revision + 1)
        #expect(try await store.storage.revision() == shown)
    }

    @Test("two spellings of a letter are two names")
    func spellings() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.show("user-3")
        #expect(try await fixture.gateway.editUser("user-3", name: "caf\u{E9}").hasChanged)
        #expect(try await fixture.gateway.editUser("user-3", name: "cafe\u{301}").hasChanged)
        #expect(try await stored(fixture).user.nameOverride?.unicodeScalars.count == 5)
    }

    @Test("a name is trimmed", arguments: [" Ada ", "\u{3000}Ada\u{A0}", "\r\n\tAda\u{2028}"])
    func trimmed(_ name: String) async throws {
        #expect(try EditedName(name).text == "Ada")
    }

    @Test(
        "a name that is empty, too long or holds U+0000 is refused",
        arguments: ["", " \n", String(repeating: "x", count: EditedName.bytesMax + 1), "a\u{0}b"])
    func refused(_ name: String) async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.show("user-3")
        let error = await #expect(throws: PatchbayError.self) {
            try await fixture.gateway.editUser("user-3", name: name)
        }
        #expect(error?.code == .invalidValue)
        #expect(try EditedName(String(repeating: "x", count: EditedName.bytesMax)).text.utf8.count == 1_024)
    }

    @Test("a user who is not stored cannot be edited or reverted")
    func missing() async throws {
        let fixture = try await GatewayFixture()
        let error = await #expect(throws: PatchbayError.self) {
            try await fixture.gateway.editUser("user-3", name: "Mine")
        }
        #expect(error?.code == .notFound)
        await #expect(throws: PatchbayError.self) { try await fixture.gateway.revertUser("user-3") }
        #expect(fixture.source.requests.isEmpty)
    }
}
