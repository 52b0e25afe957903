import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Syncing the details of users")
struct SyncUserDetailsTests {
    @Test("the list comes first, then the details that are missing, none twice")
    func listAndDetails() async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        _ = await gateway.showUser("user-3").all
        let (end, progress) = await gateway.syncUserDetails(concurrency: 4).run()
        #expect(end.word == "complete")
        #expect(progress.requests == 3 + 49)
        #expect(try await fixture.stored(StoredUser.self).allSatisfy { $0.user.detail != nil })
        #expect(Set(fixture.users.requests).count == 53)
        let (again, second) = await gateway.syncUserDetails().run()
        #expect(again.word == "complete" && second.requests == 3 && second.unchanged == 3)
    }

    @Test("interrupted among the details it goes on with those that are missing", arguments: [3, 4, 17, 51])
    func limited(_ maximum: Int) async throws {
        let fixture = SyncFixture()
        let gateway = try await fixture.gateway()
        let (end, progress) = await gateway.syncUserDetails(maximumRequests: maximum).run()
        #expect(end.word == "limit reached" && progress.requests == maximum)
        let plan = try await gateway.syncUserDetails().plan()
        #expect(plan.requestsMax == 3 + 50 - (maximum - 3))
        _ = await gateway.syncUserDetails().run()
        #expect(try await fixture.stored(StoredUser.self).allSatisfy { $0.user.detail != nil })
        #expect(fixture.users.requests.filter { $0.hasPrefix("user ") }.count == 50)
    }

    @Test("a listed user without a detail is skipped once, with the reason, and stays in the list")
    func gone() async throws {
        let inner = ScriptedUserSource(users: ScriptedUserSource.users(1...12))
        let source = CountingUserSource(inner, denied: ["user-9"])
        let gateway = try await Gateway(
            storage: MemoryStorage(), source: Source(name: "denying", users: source),
            now: { Timestamp(milliseconds: 0) })
        let skips = await gateway.syncUserDetails().all.compactMap { event in
            if case .skipped(let what, let error) = event { "\(what): \(error.code)" } else { nil }
        }
        #expect(skips == ["user user-9: not found"])
        let nine = await gateway.showUser("user-9", policy: .localOnly).all.last?.value
        #expect(nine?.refusal?.refusal.kind == .missing && nine?.goneAt == nil && nine?.user.detail == nil)
        #expect(await gateway.listUsers(policy: .localOnly).ending.value?.users.count == 12)
        let (end, progress) = await gateway.syncUserDetails().run()
        #expect(end.word == "complete" && progress.skipped == 0 && progress.requests == 1)
        let refreshed = try await gateway.refreshUsers(["user-9"])
        #expect(refreshed[0].error?.code == .notFound && refreshed[0].user?.refusal != nil)
    }

    @Test("a refusal is kept with its reason, keeps the row in lists, and passes when the source tells again")
    func refused() async throws {
        let fixture = SyncFixture(users: 1...3)
        let gateway = try await fixture.gateway()
        _ = await gateway.syncUsers().run()
        let blocked = Refusal(.blocked, reason: "dmca")
        fixture.users.fail(
            with: PatchbayError(.permissionDenied, "barred", cause: blocked), afterAnswers: 1)
        let (end, progress) = await gateway.syncUserDetails(concurrency: 1).run()
        #expect(end.word == "complete" && progress.skipped == 3)
        let users = try await fixture.stored(StoredUser.self)
        #expect(users.allSatisfy { $0.refusal?.refusal == blocked && $0.goneAt == nil })
        #expect(await gateway.listUsers(policy: .localOnly).all.last?.value?.users.count == 3)
        fixture.users.fail(with: nil)
        let shown = await gateway.showUser("user-2").all.last?.value
        #expect(shown?.refusal == nil && shown?.user.detail != nil)
    }

    @Test(
        "a limit, lost credentials and a lost connection end it and mark nobody",
        arguments: [PatchbayError.Code.rateLimited, .unauthorized, .offline])
    func ended(_ code: PatchbayError.Code) async throws {
        let fixture = SyncFixture()
        fixture.users.fail(with: PatchbayError(code, "not now"), afterAnswers: 8)
        let (end, _) = try await fixture.gateway().syncUserDetails(concurrency: 1).run()
        #expect(end.word == "failed: \(code)")
        #expect(fixture.users.requests.count == 9)
        let users = try await fixture.stored(StoredUser.self)
        #expect(users.filter { $0.user.detail != nil }.count == 5)
        #expect(users.allSatisfy { $0.goneAt == nil && $0.refusal == nil })
    }

    @Test("answers that are none end it after twenty in a row")
    func useless() async throws {
        let fixture = SyncFixture()
        fixture.users.fail(with: PatchbayError(.invalidResponse, "a web page"), afterAnswers: 3)
        let (end, progress) = try await fixture.gateway().syncUserDetails(concurrency: 5).run()
        #expect(end.word == "failed: invalid response")
        #expect(progress.skipped == 20)
    }

    @Test("50 users are refreshed a few at a time, in the order of the question", arguments: [1, 8, 100])
    func concurrency(_ width: Int) async throws {
        let source = CountingUserSource(
            ScriptedUserSource(users: ScriptedUserSource.users(1...50)))
        let gateway = try await Gateway(
            storage: MemoryStorage(), source: Source(name: "counting", users: source),
            now: { Timestamp(milliseconds: 0) })
        let logins = (1...50).reversed().map { "user-\($0)" }
        let refreshed = try await gateway.refreshUsers(logins, concurrency: width)
        #expect(refreshed.map(\.login) == logins)
        #expect(refreshed.allSatisfy { $0.error == nil && $0.user?.user.detail != nil })
        #expect(source.most <= width && (width == 1 || source.most > 1))
    }

    @Test("after a limit the rest is not asked for and carries the same error")
    func refreshLimit() async throws {
        let fixture = SyncFixture()
        fixture.users.fail(with: PatchbayError(.rateLimited, "not now"), afterAnswers: 5)
        let logins = (1...50).map { "user-\($0)" }
        let refreshed = try await fixture.gateway().refreshUsers(logins, concurrency: 1)
        #expect(refreshed.prefix(5).allSatisfy { $0.error == nil })
        #expect(refreshed.dropFirst(5).allSatisfy { $0.error?.code == .rateLimited })
        #expect(fixture.users.requests.count == 6)
    }

    @Test("a login that somebody else has now marks who had it, and tells the new one")
    func takenLogin() async throws {
        let fixture = SyncFixture(users: 1...3)
        let gateway = try await fixture.gateway()
        _ = await gateway.syncUsers().run()
        fixture.users.change { users in
            users.removeAll { $0.id == 2 }
            var newcomer = ScriptedUserSource.users(90...90)[0]
            newcomer.login = "user-2"
            users.append(newcomer)
        }
        let refreshed = try await gateway.refreshUsers(["user-2"])
        #expect(refreshed[0].user?.user.id == 90)
        let users = try await fixture.stored(StoredUser.self)
        #expect(users.filter { $0.goneAt != nil }.map(\.user.id) == [2])
    }
}
