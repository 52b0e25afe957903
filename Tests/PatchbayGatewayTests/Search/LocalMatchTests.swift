import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Local matches")
struct LocalMatchTests {
    private static let people = [
        User(1, "Tomas", name: "Ada"), User(2, "zed", name: "tom tailor"), User(3, "tomsen", name: "Tom"),
        User(4, "Atom", name: "An Tom"), User(5, "ıstanbul", name: "Ömer Straße"), User(6, "x", name: "한국"),
        User(7, "gone-tom", name: "Tom Gone"), User(8, "y", name: "'; DROP TABLE users; --"),
        User(9, "z", name: "\u{1B}[31mRed"), User(10, "Ärger"),
    ]

    private func fixture() async throws -> SearchFixture {
        let fixture = try await SearchFixture(Self.people)
        try await fixture.gateway.store.write { writing in
            for person in Self.people {
                var user = StoredUser(person, at: fixture.clock.now())
                if person.login.hasPrefix("gone") { user.goneAt = fixture.clock.now() }
                try writing.put(user)
            }
        }
        return fixture
    }

    @Test(
        "003.5, 003.9: users are found by the beginning of login or name, each once",
        arguments: [
            ("tom", "1 3 2"), ("TOM ", "1 3 2"), ("tom t", "2"), ("o\u{308}MER STRASSE", "5"), ("ıst", "5"),
            ("ist", ""), ("\u{1112}\u{1161}\u{11ab}", "6"), ("'; drop", "8"), ("\u{1B}[31M", "9"), ("%", ""),
            ("_", ""), ("Ä", "10"), ("\u{10FFFF}", ""),
        ])
    func found(_ text: String, _ ids: String) async throws {
        let fixture = try await fixture()
        let found = await fixture.ending(text, .localOnly)
        #expect(found == (ids.isEmpty ? "offline nothing" : "offline local \(ids)"))
        #expect(fixture.requests.isEmpty)
    }

    @Test("an edited name is found, and the upstream one no more")
    func edited() async throws {
        let fixture = try await fixture()
        try await fixture.gateway.editUser("zed", name: "Übermut")
        #expect(await fixture.ending("übe", .localOnly) == "offline local 2")
        #expect(await fixture.ending("tom t", .localOnly) == "offline nothing")
    }

    @Test("a name that is longer than the index holds is compared to its end")
    func long() async throws {
        let fixture = try await SearchFixture([])
        let long = String(repeating: "é", count: 150)
        try await fixture.gateway.store.write { writing in
            for (id, end) in [(1, "a"), (2, "b")] as [(Int64, String)] {
                try writing.put(StoredUser(User(id, "u\(id)", name: long + end), at: fixture.clock.now()))
            }
        }
        #expect(await fixture.ending(long.uppercased() + "B", .localOnly) == "offline local 2")
        #expect(await fixture.ending(long, .localOnly) == "offline local 1 2")
    }

    @Test("003.9: they stand in for a source that cannot be reached, and come first while it is asked")
    func unreachable() async throws {
        let fixture = try await fixture()
        let answers = await fixture.users("tom")
        #expect(answers.map(\.outcome.word) == ["stored", "fresh"])
        #expect(answers.first?.value?.origin == .local)
        fixture.search.answers.fail(with: PatchbayError(.offline, "no network"))
        #expect(await fixture.ending("atom") == "offline local 4")
        let outcome = await fixture.users("atom").last?.searchOutcome()
        #expect(
            outcome?.sentence(about: "users") == "No internet connection. Please search users when online.")
        #expect(
            outcome?.sentence(about: "repositories")
                == "No internet connection. Please search repositories when online.")
        let chosen = await fixture.users("atom", .localOnly).last?.searchOutcome()
        #expect(
            chosen?.sentence(about: "users") == "Only stored users were searched; the source was not asked.")
        #expect(await fixture.ending("nothing-begins-so") == "offline nothing")
        fixture.search.answers.fail(
            with: PatchbayError(.offline, "the server answered 502", ["status": "502"]))
        let unable = await fixture.users("atom").last?.searchOutcome()
        #expect(unable?.word == "unavailable")
        #expect(
            unable?.sentence(about: "users") == "The source cannot search now. Please try again later.")
        fixture.search.answers.fail(with: PatchbayError(.rateLimited, "wait"))
        let failed = await fixture.users("zed").last
        #expect(failed?.searchOutcome()?.word == "failed: rate limited")
        #expect(failed?.searchOutcome()?.sentence(about: "users") == "Something went wrong!")
    }

    @Test("what the source found last goes before local matches")
    func sourceFirst() async throws {
        let fixture = try await fixture()
        #expect(await fixture.ending("tom") == "found source 3 4 7")
        #expect(await fixture.ending("tom", .localOnly) == "offline source 3 4 7")
    }

    @Test("003.5: matches are found along the indexes: no row is read that does not begin so")
    func walks() async throws {
        let storage = VisitCountingStorage()
        let fixture = try await SearchFixture([], storage: storage)
        try await fixture.gateway.store.write { writing in
            for id in 1...5_000 as ClosedRange<Int64> {
                try writing.put(StoredUser(User(id, "u\(id)", name: "Name \(id)"), at: fixture.clock.now()))
            }
        }
        for (text, count, visitsMax) in [
            ("name 499", 11, 20), ("name", 20, 30), ("u499", 11, 20), ("none", 0, 5),
        ] {
            let before = storage.visits
            let window = await fixture.users(text, .localOnly).last?.value
            #expect(window?.items.count ?? 0 == count)
            #expect(storage.visits - before <= visitsMax, "\(text): \(storage.visits - before) rows")
            let begun = storage.visits
            #expect(try await fixture.gateway.findStoredUsers(text, limit: 20).users.count == count)
            #expect(storage.visits - begun <= visitsMax, "\(text): \(storage.visits - begun) rows")
        }
    }

    @Test("stored users are found with what is stored of them, up to a limit that is told")
    func records() async throws {
        let gateway = try await fixture().gateway
        let all = try await gateway.findStoredUsers(" TOM")
        #expect(all.users.map(\.user.id) == [1, 3, 2] && all.isComplete)
        let some = try await gateway.findStoredUsers("tom", limit: 2)
        #expect(some.users.map(\.user.id) == [1, 3] && !some.isComplete)
        let none = try await gateway.findStoredUsers(" ")
        #expect(none.users.isEmpty && none.isComplete)
        let error = await #expect(throws: PatchbayError.self) {
            try await gateway.findStoredUsers(String(repeating: "a", count: 257))
        }
        #expect(error?.code == .invalidValue)
    }

    @Test("003.6: pages of local matches follow one another")
    func pages() async throws {
        let fixture = try await SearchFixture([])
        try await fixture.gateway.store.write { writing in
            for user in ScriptedUserSource.users(1...45) {
                try writing.put(StoredUser(user, at: fixture.clock.now()))
            }
        }
        var ids: [Int64] = []
        for page in 1...3 {
            let window = await fixture.users("user", page: page, .localOnly).last?.value
            #expect(window?.items.count == (page < 3 ? 20 : 5) && window?.goesOn == (page < 3))
            ids += window?.items.map(\.id) ?? []
        }
        #expect(Set(ids).count == 45)
    }
}
