import PatchbayCore
import PatchbayDomain
@testable import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Watching users", .timeLimit(.minutes(5)))
struct WatchUsersTests {
    private struct Refused: Error {}

    private func words(_ changes: [UserChange]?) -> [String] {
        changes?.map { change in
            switch change {
            case .inserted(let user): "+\(user.id)"
            case .updated(let user): "=\(user.id)"
            case .deleted(let user): "-\(user.id)"
            }
        } ?? []
    }

    @Test("what is there comes first, then one set of changes a commit, only of the watched stretch")
    func changes() async throws {
        let fixture = try await GatewayFixture(1...3)
        var changes = fixture.gateway.watchUsers(limit: 4).makeAsyncIterator()
        #expect(words(try await changes.next()) == [])
        _ = await fixture.list()
        #expect(words(try await changes.next()) == ["+1", "+2", "+3"])
        try await fixture.gateway.editUser("user-2", name: "Mine")
        #expect(words(try await changes.next()) == ["=2"])
        fixture.source.change { users in
            users.removeAll { $0.id == 1 }
            users += ScriptedUserSource.users(4...9)
        }
        _ = await fixture.list()
        #expect(words(try await changes.next()) == ["-1", "+4", "+5"])
        try await fixture.gateway.clearUsers()
        #expect(words(try await changes.next()) == ["-2", "-3", "-4", "-5"])
        try await fixture.gateway.close()
        #expect(try await changes.next() == nil)
    }

    @Test("a user who moves out of the stretch because another came is deleted from it")
    func pushedOut() async throws {
        let fixture = try await GatewayFixture(2...6)
        _ = await fixture.list()
        var changes = fixture.gateway.watchUsers(after: 1, limit: 2).makeAsyncIterator()
        #expect(words(try await changes.next()) == ["+2", "+3"])
        fixture.source.change { $0.removeAll { $0.id == 2 } }
        _ = await fixture.list()
        #expect(words(try await changes.next()) == ["-2", "+4"])
    }

    @Test("a write that is rolled back, an edit of nothing and a confirmation are not told")
    func untold() async throws {
        let fixture = try await GatewayFixture(1...3)
        _ = await fixture.list()
        var changes = fixture.gateway.watchUsers().makeAsyncIterator()
        _ = try await changes.next()
        await #expect(throws: Refused.self) {
            try await fixture.gateway.store.write { writing in
                try writing.deleteAll(StoredUser.self)
                throw Refused()
            }
        }
        try await fixture.gateway.editUser("user-1", name: "Mine")
        try await fixture.gateway.editUser("user-1", name: "Mine")
        #expect(words(try await changes.next()) == ["=1"])
        #expect(await fixture.list().last?.outcome.word == "unchanged")
        try await fixture.gateway.editUser("user-2", name: "Mine")
        #expect(words(try await changes.next()) == ["=2"])
    }

    @Test("a slow observer gets one set with the sum of what has changed")
    func slow() async throws {
        let fixture = try await GatewayFixture(1...3)
        _ = await fixture.list()
        var changes = fixture.gateway.watchUsers().makeAsyncIterator()
        _ = try await changes.next()
        for number in 0..<1_000 { try await fixture.gateway.editUser("user-1", name: "Mine \(number)") }
        try await fixture.gateway.editUser("user-2", name: "Mine")
        try await fixture.gateway.revertUser("user-2")
        let set = try await changes.next()
        #expect(words(set) == ["=1"])
        #expect(set?.first?.user.name == "Mine 999")
    }

    @Test("an observer that is cancelled ends")
    func cancelled() async throws {
        let fixture = try await GatewayFixture(1...3)
        let (looks, look) = AsyncStream.makeStream(of: Void.self)
        let task = Task { [watch = fixture.gateway.watchUsers] in
            for try await _ in watch() { look.yield() }
        }
        for await _ in looks { break }
        task.cancel()
        try await task.value
    }

    @Test("the differences of random lists make one the other")
    func differences() {
        var random = SeededGenerator.fromEnvironment()
        let seed = random.seed
        for _ in 0..<500 {
            let (old, new) = (list(&random), list(&random))
            var applied = Dictionary(uniqueKeysWithValues: old.map { ($0.id, $0) })
            for change in UserChange.between(old, and: new) {
                switch change {
                case .inserted(let user):
                    #expect(applied.updateValue(user, forKey: user.id) == nil, "seed \(seed)")
                case .updated(let user):
                    #expect(applied.updateValue(user, forKey: user.id) != user, "seed \(seed)")
                case .deleted(let user):
                    #expect(applied.removeValue(forKey: user.id) == user, "seed \(seed)")
                }
            }
            #expect(applied.values.sorted { $0.id < $1.id } == new, "seed \(seed)")
        }
    }

    private func list(_ random: inout SeededGenerator) -> [User] {
        ScriptedUserSource.users(1...12).compactMap { user in
            var user = user
            if Bool.random(using: &random) { user.nameOverride = "Mine" }
            return Int.random(in: 0..<3, using: &random) > 0 ? user : nil
        }
    }
}
