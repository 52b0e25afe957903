import PatchbayCore
import PatchbayDomain
import SourceSynthetic
import Testing

@Suite("Synthetic users")
struct SyntheticUsersTests {
    @Test("the same seed gives the same users, another seed others")
    func repeatable() throws {
        let ids: ClosedRange<Int64> = 1...500
        let users = ids.map { SyntheticUsers(seed: 7, idMax: 500).user($0) }
        #expect(users == ids.map { SyntheticUsers(seed: 7, idMax: 1_000_000).user($0) })
        #expect(users != ids.map { SyntheticUsers(seed: 8, idMax: 500).user($0) })
    }

    @Test("pages follow each other to the end, and hold each user once, without detail")
    func pages() async throws {
        let source = SyntheticUsers(idMax: 1_050)
        var request = UserPageRequest.after(0), users: [User] = [], pages = 0
        while true {
            guard case .changed(let page, _) = try await source.users(request, ifChangedFrom: Validator())
            else { return }
            users += page.users
            pages += 1
            guard let next = page.next else { break }
            request = .next(next)
        }
        let expected = (1...1_050 as ClosedRange<Int64>).compactMap { source.user($0) }
        #expect(pages == 11)
        #expect(users.map(\.id) == expected.map(\.id))
        #expect(users.allSatisfy { $0.detail == nil })
    }

    @Test("the source holds exactly the users that it makes")
    func holding() {
        let source = SyntheticUsers(seed: 3, idMax: 2_000)
        for id in -1...2_001 as ClosedRange<Int64> {
            #expect(source.holds(id) == (source.user(id) != nil), "\(id)")
        }
    }

    @Test("a billion users are as near as ten", arguments: [0, 10, 499_999_950, 999_999_990, 1_000_000_000])
    func jumps(_ start: Int64) async throws {
        let source = SyntheticUsers(idMax: 1_000_000_000)
        let fetched = try await source.users(.after(start), ifChangedFrom: Validator())
        guard case .changed(let page, _) = fetched else { return }
        #expect(page.users.allSatisfy { $0.id > start && $0.id <= min(start + 100, source.idMax) })
        #expect((page.next == nil) == (start + 100 >= source.idMax))
        #expect(page.users.isEmpty == (start == source.idMax))
    }

    @Test("each login leads to its user, in big and small letters, and no other does")
    func logins() async throws {
        let source = SyntheticUsers(idMax: 2_000)
        let users = (1...2_000 as ClosedRange<Int64>).compactMap { source.user($0) }
        #expect(Set(users.map { $0.login.lowercased() }).count == users.count)
        for user in users.prefix(200) {
            let fetched = try await source.user(user.login.uppercased(), ifChangedFrom: Validator())
            guard case .changed(user, _) = fetched else {
                Issue.record("\(user.login) leads elsewhere")
                continue
            }
        }
        for login in ["", "-", "nobody", "x-1", "-zzzzzzzzzzzzzzzzzz", "anna-" + String(2_001, radix: 36)] {
            await #expect(throws: PatchbayError.self, "\(login)") {
                try await source.user(login, ifChangedFrom: Validator())
            }
        }
    }

    @Test("a list up to the greatest id there is ends there", arguments: [0, 1, 99, 100, 101] as [Int64])
    func greatestID(_ before: Int64) async throws {
        let source = SyntheticUsers(idMax: .max)
        let fetched = try await source.users(.after(.max - before), ifChangedFrom: Validator())
        guard case .changed(let page, _) = fetched else {
            Issue.record("nothing was asked before")
            return
        }
        #expect((page.next == nil) == (before <= SyntheticUsers.pageUsers))
        #expect(page.users.allSatisfy { $0.id > .max - before })
    }

    @Test("what was told is unchanged until the revision is another; then about half of the details differ")
    func revisions() async throws {
        let first = SyntheticUsers(idMax: 4_000), second = SyntheticUsers(idMax: 4_000, revision: 1)
        guard case .changed(_, let validator) = try await first.users(.after(0), ifChangedFrom: Validator())
        else { return }
        guard case .unchanged = try await first.users(.after(0), ifChangedFrom: validator),
            case .changed = try await second.users(.after(0), ifChangedFrom: validator)
        else {
            Issue.record("a validator holds for its revision, and for no other")
            return
        }
        let changed = (1...4_000 as ClosedRange<Int64>).count { first.user($0) != second.user($0) }
        #expect((1_600...2_200).contains(changed))
    }

    @Test("lengths and absences are like those met on GitHub")
    func distributions() {
        let source = SyntheticUsers(idMax: 20_000)
        let users = (1...20_000 as ClosedRange<Int64>).compactMap { source.user($0) }
        func share(_ has: (User) -> Bool) -> Double { Double(users.count(where: has)) / Double(users.count) }
        #expect((0.92...0.95).contains(Double(users.count) / 20_000))
        #expect((0.75...0.81).contains(share { $0.detail?.name != nil }))
        #expect((0.33...0.39).contains(share { $0.detail?.bio != nil }))
        #expect((0.05...0.07).contains(share { $0.type == "Organization" }))
        #expect(users.allSatisfy { (2...39).contains($0.login.utf8.count) })
        #expect(share { $0.detail?.name?.utf8.contains { $0 >= 0x80 } == true } > 0.3)
        let followers = users.compactMap { $0.detail?.followers }.sorted()
        #expect((4...14).contains(followers[followers.count / 2]))
        #expect(followers[followers.count - 1] > 2_000)
    }
}
