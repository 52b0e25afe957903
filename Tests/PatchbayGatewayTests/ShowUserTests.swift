import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Showing a user")
struct ShowUserTests {
    @Test("a user that is not stored is fetched with its detail")
    func first() async throws {
        let fixture = try await GatewayFixture()
        let answers = await fixture.show("user-5")
        #expect(answers.map(\.outcome.word) == ["fresh"])
        #expect(answers[0].value?.user.name == "User 5")
    }

    @Test("a stored user comes at once with its age, then unchanged")
    func second() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.show("user-5")
        fixture.clock.advance(by: .seconds(3_600))
        let answers = await fixture.show("USER-5")
        #expect(answers.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(answers.map(\.age) == [.seconds(3_600), .zero])
    }

    @Test("a rename is an update of the same row")
    func rename() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.show("user-5")
        fixture.source.change { users in
            let index = users.firstIndex { $0.id == 5 }!
            users[index].login = "renamed"
        }
        #expect(await fixture.show("renamed").last?.value?.user.id == 5)
        let count = try await fixture.gateway.store.read { try $0.count(Query(StoredUser.collection)) }
        #expect(count == 1)
    }

    @Test("of two rows with one login, the one heard of last is shown")
    func sharedLogin() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.show("user-5")
        fixture.clock.advance(by: .seconds(1))
        fixture.source.change { users in
            users.removeAll { $0.id == 5 }
            let index = users.firstIndex { $0.id == 6 }!
            users[index].login = "user-5"
        }
        #expect(await fixture.show("user-5").last?.value?.user.id == 6)
        #expect(await fixture.show("user-5", .localOnly).last?.value?.user.id == 6)
    }

    @Test("a user that the source denies stays stored and listed, with the reason")
    func gone() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.show("user-5")
        fixture.source.change { $0.removeAll { $0.id == 5 } }
        let answers = await fixture.show("user-5")
        #expect(answers.map(\.outcome.word) == ["stored", "failed: not found"])
        #expect(answers.last?.value?.refusal?.refusal == Refusal(.missing))
        #expect(answers.last?.value?.goneAt == nil)
    }

    @Test(
        "a limit or a lost permission deletes and marks nothing",
        arguments: [PatchbayError.Code.rateLimited, .unauthorized])
    func limits(_ code: PatchbayError.Code) async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.show("user-5")
        fixture.source.fail(with: PatchbayError(code, "not now"))
        let answer = await fixture.show("user-5").last
        #expect(answer?.value?.user.name == "User 5")
        #expect(answer?.value?.goneAt == nil)
    }

    @Test("a user that nobody knows is not found, and nothing is stored")
    func unknown() async throws {
        let fixture = try await GatewayFixture()
        let answers = await fixture.show("nobody")
        #expect(answers.map(\.outcome.word) == ["failed: not found"])
        #expect(answers[0].value == nil)
    }
}
