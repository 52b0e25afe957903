import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Listing users")
struct ListUsersTests {
    @Test("an empty storage asks the source and answers once")
    func firstList() async throws {
        let fixture = try await GatewayFixture()
        let answers = await fixture.list()
        #expect(answers.map(\.outcome.word) == ["fresh"])
        #expect(answers[0].value?.users.map(\.id) == Array(1...20))
        #expect(answers[0].value?.next == 20)
        #expect(fixture.source.requests == ["users after 0"])
    }

    @Test("what is stored comes at once with its age, then the source confirms it")
    func secondList() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.list()
        fixture.clock.advance(by: .seconds(90))
        let answers = await fixture.list()
        #expect(answers.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(answers.map(\.age) == [.seconds(90), .zero])
        #expect(fixture.source.requests.last == "users after 0 if changed")
    }

    @Test("a window over several pages is confirmed page by page")
    func severalPages() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.list(limit: 50)
        #expect(fixture.source.requests.count == 3)
        let answers = await fixture.list(limit: 50)
        #expect(answers.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(
            fixture.source.requests.dropFirst(3)
                == ["users after 0 if changed", "users next 20 if changed", "users next 40 if changed"])
    }

    @Test("users that are stored behind the window do not fill it")
    func usersBehind() async throws {
        let fixture = try await GatewayFixture(1...50, pageSize: 5)
        for id in 41...50 { _ = await fixture.show("user-\(id)") }
        let answers = await fixture.list(limit: 10)
        #expect(answers.last?.value?.users.map(\.id) == Array(1...10))
    }

    @Test(
        "every policy gives at most two answers and exactly one ending, the last", arguments: Policy.allCases)
    func endings(_ policy: Policy) async throws {
        let fixture = try await GatewayFixture()
        for _ in 0..<2 {
            let answers = await fixture.list(policy)
            #expect((1...2).contains(answers.count))
            #expect(answers.filter(\.outcome.isEnding).count == 1)
            #expect(answers.last?.outcome.isEnding == true)
        }
    }

    @Test("local-only never asks the source")
    func localOnly() async throws {
        let fixture = try await GatewayFixture()
        #expect(await fixture.list(.localOnly).map(\.outcome.word) == ["local only"])
        #expect(fixture.source.requests.isEmpty)
    }

    @Test("refresh asks without a condition")
    func refresh() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.list()
        #expect(await fixture.list(.refresh).map(\.outcome.word) == ["fresh"])
        #expect(fixture.source.requests == ["users after 0", "users after 0"])
    }

    @Test("a failing source leaves what is stored, and says so")
    func failure() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.list()
        fixture.source.fail(with: PatchbayError(.offline, "no network"))
        let answers = await fixture.list()
        #expect(answers.map(\.outcome.word) == ["stored", "failed: offline"])
        #expect(answers.last?.value?.users.count == 20)
        let nothing = await fixture.list(after: 900)
        #expect(nothing.map(\.outcome.word) == ["failed: offline"])
        #expect(nothing[0].value == nil)
    }

    @Test("a window in the middle of a page refreshes that page; one across pages, both")
    func windowsAcrossPages() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.list()
        let answers = await fixture.list(after: 15, limit: 10)
        #expect(answers.last?.value?.users.map(\.id) == Array(16...25))
        #expect(fixture.source.requests == ["users after 0", "users after 0 if changed", "users next 20"])
    }

    @Test("a jump into the unknown asks for users after that id")
    func jump() async throws {
        let fixture = try await GatewayFixture(1...500)
        #expect(
            await fixture.list(after: 250, limit: 5).last?.value?.users.map(\.id) == [
                251, 252, 253, 254, 255,
            ])
        #expect(fixture.source.requests == ["users after 250"])
    }

    @Test(
        "the end of the list: fewer users, no next, and later newcomers are found",
        arguments: [1, 19, 20, 21, 50] as [Int64])
    func endOfList(_ count: Int64) async throws {
        let fixture = try await GatewayFixture(1...count)
        let answer = await fixture.list(limit: 100).last
        #expect(answer?.value?.users.count == Int(count))
        #expect(answer?.value?.next == nil)
        fixture.source.change { $0 += ScriptedUserSource.users(count + 1...count + 3) }
        #expect(
            await fixture.list(after: count, limit: 100).last?.value?.users.map(\.id) == [
                count + 1, count + 2, count + 3,
            ])
    }

    @Test("a user that the source no longer lists leaves the list, and comes back when it is listed again")
    func gone() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.list()
        let seven = ScriptedUserSource.users(7...7)
        fixture.source.change { $0.removeAll { $0.id == 7 } }
        #expect(await fixture.list().last?.value?.users.map(\.id).contains(7) == false)
        #expect(await fixture.show("user-7", .localOnly).last?.value?.goneAt != nil)
        fixture.source.change { $0 += seven }
        #expect(await fixture.list().last?.value?.users.map(\.id).contains(7) == true)
    }

    @Test("a list row does not empty the detail, nor the edited name")
    func listKeepsDetail() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.show("user-3")
        try await fixture.gateway.store.write { writing in
            var stored = try writing.reading.get(StoredUser.self, 3)!
            stored.user.nameOverride = "Edited"
            try writing.put(stored)
        }
        let user = await fixture.list().last?.value?.users.first { $0.id == 3 }
        #expect(user?.detail?.name == "User 3")
        #expect(user?.name == "Edited")
    }

    @Test("a page that does not go on behind the one before is refused")
    func standstill() async throws {
        struct Standstill: UserSource {
            func users(
                _ page: UserPageRequest, ifChangedFrom validator: Validator
            ) async throws -> Fetched<UserPage> {
                .changed(UserPage(users: ScriptedUserSource.users(1...2), next: "again"), Validator())
            }
            func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
                throw PatchbayError(.notFound, "none")
            }
        }
        let gateway = try await Gateway(
            storage: MemoryStorage(), source: Source(name: "standstill", users: Standstill()),
            now: { Timestamp(milliseconds: 0) })
        let answers = await gateway.listUsers(limit: 5).all
        #expect(answers.map(\.outcome.word) == ["failed: invalid response"])
        #expect(answers[0].value?.users.count == 2)
    }

    @Test("a source without users is an error")
    func unsupported() async throws {
        let gateway = try await Gateway(
            storage: MemoryStorage(), source: Source(name: "empty"), now: { Timestamp(milliseconds: 0) })
        #expect(await gateway.listUsers().all.map(\.outcome.word) == ["failed: unsupported"])
    }
}

extension GatewayFixture {
    func list(_ policy: Policy) async -> [Answer<ListUsers.Window>] {
        await list(after: 0, limit: 20, policy)
    }
}
