import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Favourites")
struct FavouritesTests {
    /// Stores users with these names, or without one.
    private func fixture(_ names: [String?]) async throws -> GatewayFixture {
        let fixture = try await GatewayFixture()
        try await fixture.gateway.store.write { writing in
            for (index, name) in names.enumerated() {
                var user = ScriptedUserSource.users([Int64(index + 1)])[0]
                user.detail?.name = name
                var stored = StoredUser(user: user, fetchedAt: Timestamp(milliseconds: 0))
                stored.detailFetchedAt = stored.fetchedAt
                try writing.put(stored)
            }
        }
        return fixture
    }

    private func favourites(_ names: [String?]) async throws -> GatewayFixture {
        let fixture = try await fixture(names)
        for id in names.indices { try await fixture.gateway.addFavourite("user-\(id + 1)") }
        return fixture
    }

    @Test("a favourite is a copy that survives the user's deletion and a clear")
    func copy() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.show("user-3")
        try await fixture.gateway.editUser("user-3", name: "Mine")
        #expect(try await fixture.gateway.addFavourite("USER-3").hasChanged)
        fixture.source.change { $0.removeAll { $0.id == 3 } }
        _ = await fixture.show("user-3")
        #expect(try await fixture.gateway.listFavourites().map(\.name) == ["Mine"])
        try await fixture.gateway.clearUsers()
        #expect(try await fixture.gateway.listFavourites().map(\.login) == ["user-3"])
    }

    @Test("adding again is no write, unless the user has changed")
    func again() async throws {
        let fixture = try await favourites(["Ada"])
        let added = try await fixture.gateway.listFavourites()[0].addedAt
        fixture.clock.advance(by: .seconds(5))
        let revision = try await fixture.gateway.store.storage.revision()
        #expect(try await !fixture.gateway.addFavourite("user-1").hasChanged)
        #expect(try await fixture.gateway.store.storage.revision() == revision)
        try await fixture.gateway.editUser("user-1", name: "Mine")
        #expect(try await fixture.gateway.addFavourite("user-1").hasChanged)
        let favourites = try await fixture.gateway.listFavourites()
        #expect(favourites.map(\.name) == ["Mine"])
        #expect(favourites[0].addedAt > added)
    }

    @Test("a favourite goes by the login it was added with or by the one the user has now")
    func remove() async throws {
        let fixture = try await GatewayFixture()
        for login in ["user-3", "user-4"] {
            _ = await fixture.show(login)
            try await fixture.gateway.addFavourite(login)
        }
        fixture.source.change { $0[2].login = "renamed" }
        _ = await fixture.show("renamed")
        #expect(try await fixture.gateway.removeFavourite("renamed").id == 3)
        try await fixture.gateway.clearUsers()
        #expect(try await fixture.gateway.removeFavourite("USER-4").id == 4)
        #expect(try await fixture.gateway.listFavourites().isEmpty)
        let error = await #expect(throws: PatchbayError.self) {
            try await fixture.gateway.removeFavourite("user-4")
        }
        #expect(error?.code == .notFound)
    }

    @Test("only a stored user can be a favourite")
    func missing() async throws {
        let fixture = try await GatewayFixture()
        let error = await #expect(throws: PatchbayError.self) {
            try await fixture.gateway.addFavourite("user-1")
        }
        #expect(error?.code == .notFound)
        #expect(fixture.source.requests.isEmpty)
    }

    @Test("favourites stand in the storage's order; groups in that of their first, # last")
    func groups() async throws {
        let fixture = try await favourites([
            "zoë", "Ada", "ada b", "É1", "7up", "E\u{301}2", "", nil, "김", "🧭", "Eve",
        ])
        let list = try await fixture.gateway.listFavourites()
        #expect(
            list.map(\.title) == [
                "7up", "Ada", "ada b", "Eve", "E\u{301}2", "user-7", "user-8", "zoë", "É1", "김", "🧭",
            ])
        let groups = FavouriteGroup.grouping(list)
        #expect(groups.map(\.initial.character) == ["A", "E", "É", "U", "Z", "김", "#"])
        #expect(groups[2].favourites.map(\.id) == [6, 4])
        #expect(groups.last?.favourites.map(\.title) == ["7up", "🧭"])
        #expect(FavouriteGroup.grouping([]).isEmpty)
    }

    @Test("a title longer than an index entry may be is kept whole")
    func longTitle() async throws {
        let name = String(repeating: "é", count: 2_000)
        let fixture = try await favourites([name, name + "a"])
        #expect(try await fixture.gateway.listFavourites().map(\.name) == [name, name + "a"])
    }

    @Test(
        "a search finds login and name, in any case and spelling",
        arguments: [
            ("", 4), ("ADA", 1), ("cafe\u{301}", 1), ("user-", 4), ("USER-3", 1), ("%", 1), ("nobody", 0),
        ])
    func search(_ text: String, _ count: Int) async throws {
        let fixture = try await favourites(["Ada", "Café", "100 %", nil])
        #expect(try await fixture.gateway.searchFavourites(text).count == count)
    }

    @Test("which of a page are favourites is found in one read")
    func membership() async throws {
        let storage = ReadCountingStorage()
        let gateway = try await Gateway(
            storage: storage, source: Source(name: "none"), now: { Timestamp(milliseconds: 0) })
        let users = ScriptedUserSource.users(1...100)
        try await gateway.store.write { writing in
            for user in users where user.id % 7 == 0 {
                try writing.put(StoredFavourite(of: user, addedAt: Timestamp(milliseconds: 0)))
            }
        }
        let before = storage.reads
        let page = users.filter { $0.id % 2 == 0 && (10...60).contains($0.id) }
        #expect(try await gateway.findFavourites(among: page) == [14, 28, 42, 56])
        #expect(storage.reads == before + 1)
        #expect(try await gateway.findFavourites(among: []) == [])
        #expect(storage.reads == before + 1)
    }
}
