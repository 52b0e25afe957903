import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Favourite rows")
struct FavouriteItemTests {
    /// Stores people with these names, nil for none, and adds them as favourites.
    private func favourites(_ names: [String?]) async throws -> ItemsFixture {
        let fixture = try await ItemsFixture()
        let people = fixture.people
        let items = try names.enumerated().map { index, name in
            var person = Person(Int64(index + 1))
            person.name = name
            return try Item(encoding: person, of: people)
        }
        try await fixture.gateway.store.write { writing in
            for item in items { try writing.save(item, Validator(), at: Timestamp(milliseconds: 0)) }
        }
        for item in items { try await fixture.gateway.addFavourite(people, item.handle) }
        return fixture
    }

    @Test("a favourite is a copy that survives the row's deletion and a clear")
    func copy() async throws {
        let fixture = try await ItemsFixture(), gateway = fixture.gateway, people = fixture.people
        fixture.feed.change { people in
            people[2].tags = ["a", "\"b\""]
            people[2].score = 1.5
            people[2].isActive = true
            people[2].seenAt = Timestamp(milliseconds: -1)
        }
        _ = await fixture.show("person-3")
        try await fixture.edit("person-3", "Mine")
        #expect(try await gateway.addFavourite(people, "PERSON-3").hasChanged)
        let item = try #require(try await fixture.stored(3))
        fixture.feed.change { $0.removeAll { $0.id == 3 } }
        _ = await fixture.show("person-3")
        #expect(try await gateway.favourites().map(\.title) == ["Mine"])
        try await gateway.clear(people)
        let favourite = try #require(try await gateway.favourites(people).first)
        #expect(favourite.handle == "person-3" && favourite.row == item.rowKey)
        #expect(favourite.item(of: people) == item)
        #expect(try favourite.item(of: gateway.resource("notes")) == nil)
        #expect(favourite.fields.contains("\"name\":\"Person 3\""))
    }

    @Test("adding again writes nothing")
    func again() async throws {
        let fixture = try await favourites(["Ada"]), gateway = fixture.gateway, people = fixture.people
        let revision = try await gateway.store.storage.revision()
        #expect(try await !gateway.addFavourite(people, "person-1").hasChanged)
        #expect(try await gateway.store.storage.revision() == revision)
    }

    @Test("a favourite follows its row through lists, details, edits, reverts and renames")
    func follows() async throws {
        let fixture = try await ItemsFixture(), gateway = fixture.gateway, people = fixture.people
        try await fixture.list([3, 4])
        try await gateway.addFavourite(people, "person-3")
        let added = try await gateway.favourites()[0].addedAt
        fixture.clock.advance(by: .seconds(5))
        func expectCopy(_ title: String, _ step: String) async throws {
            let favourites = try await gateway.favourites()
            #expect(favourites.map(\.title) == [title], "\(step)")
            #expect(favourites[0].addedAt == added, "\(step)")
            #expect(favourites[0].item(of: people) == (try await fixture.stored(3)), "\(step)")
        }
        fixture.feed.change { $0[2].name = "Shown" }
        _ = await fixture.show("person-3")
        try await expectCopy("Shown", "details")
        try await fixture.list([3, 4], [3: "listed"])
        #expect(try await gateway.favourites().map(\.handle) == ["listed"])
        try await expectCopy("Shown", "list")
        try await fixture.edit("listed", "Mine")
        try await expectCopy("Mine", "edit")
        try await gateway.revert(people, "listed")
        try await expectCopy("Shown", "revert")
        fixture.feed.rename(3, to: "renamed")
        _ = await fixture.show("renamed")
        #expect(try await gateway.favourites().map(\.handle) == ["renamed"])
        try await expectCopy("Shown", "rename")
        let revision = try await gateway.store.storage.revision()
        #expect(try await !gateway.addFavourite(people, "renamed").hasChanged)
        #expect(try await gateway.store.storage.revision() == revision)
    }

    @Test("a favourite can be removed by the handle it was added with or the current handle of its row")
    func remove() async throws {
        let fixture = try await ItemsFixture(), gateway = fixture.gateway, people = fixture.people
        for handle in ["person-3", "person-4"] {
            _ = await fixture.show(handle)
            try await gateway.addFavourite(people, handle)
        }
        fixture.feed.rename(3, to: "renamed")
        _ = await fixture.show("renamed")
        #expect(try await gateway.removeFavourite(people, "renamed").handle == "renamed")
        try await gateway.clear(people)
        #expect(try await gateway.removeFavourite(people, "PERSON-4").handle == "person-4")
        #expect(try await gateway.favourites().isEmpty)
        let error = await #expect(throws: PatchbayError.self) {
            try await gateway.removeFavourite(people, "person-4")
        }
        #expect(error?.code == .notFound)
    }

    @Test("only a stored row can be a favourite")
    func missing() async throws {
        let fixture = try await ItemsFixture()
        let error = await #expect(throws: PatchbayError.self) {
            try await fixture.gateway.addFavourite(fixture.people, "person-1")
        }
        #expect(error?.code == .notFound)
        #expect(fixture.feed.requests.isEmpty)
    }

    @Test(
        "favourites are in the order of the index; groups are in the order of their first favourites, # last")
    func groups() async throws {
        let fixture = try await favourites([
            "zoë", "Ada", "ada b", "É1", "7up", "E\u{301}2", "", nil, "김", "🧭", "Eve",
        ])
        let list = try await fixture.gateway.favourites()
        #expect(
            list.map(\.title) == [
                "7up", "Ada", "ada b", "Eve", "E\u{301}2", "person-7", "person-8", "zoë", "É1", "김", "🧭",
            ])
        #expect(try await fixture.gateway.favourites(fixture.people) == list)
        let groups = InitialGroup.grouping(list)
        #expect(groups.map(\.initial.character) == ["A", "E", "É", "P", "Z", "김", "#"])
        #expect(groups[2].elements.map(\.handle) == ["person-6", "person-4"])
        #expect(groups.last?.elements.map(\.title) == ["7up", "🧭"])
        #expect(InitialGroup.grouping([]).isEmpty)
    }

    @Test("a title longer than an index entry is stored in full")
    func longTitle() async throws {
        let name = String(repeating: "é", count: 2_000)
        let fixture = try await favourites([name, name + "a"])
        #expect(try await fixture.gateway.favourites().map(\.title) == [name, name + "a"])
    }

    @Test(
        "a search matches handles and titles in any case and spelling",
        arguments: [
            ("", 4), ("ADA", 1), ("cafe\u{301}", 1), ("person-", 4), ("PERSON-3", 1), ("%", 1), ("nobody", 0),
        ])
    func search(_ text: String, _ count: Int) async throws {
        let fixture = try await favourites(["Ada", "Café", "100 %", nil])
        #expect(try await fixture.gateway.favourites(matching: text).count == count)
    }

    @Test("the favourites among the rows of a page are found in one read transaction")
    func membership() async throws {
        let storage = CountingStorage()
        let fixture = try await ItemsFixture(in: storage), people = fixture.people
        let items = try Person.all(1...100).map { try Item(encoding: $0, of: people) }
        try await fixture.gateway.store.write { writing in
            for item in items where item.id % 7 == 0 {
                try writing.put(Favourite(of: item, addedAt: Timestamp(milliseconds: 0)))
            }
        }
        let before = storage.reads
        let page = items.filter { $0.id % 2 == 0 && (10...60).contains($0.id) }
        #expect(try await fixture.gateway.favourites(among: page) == [14, 28, 42, 56])
        #expect(storage.reads == before + 1)
        #expect(try await fixture.gateway.favourites(among: []) == [])
        #expect(storage.reads == before + 1)
    }

    @Test("favourites are found among rows in any order", arguments: [0, 1, 2, 3, 20, 300])
    func membershipInAnyOrder(_ step: Int) async throws {
        let fixture = try await ItemsFixture(), people = fixture.people
        let items = try Person.all(1...300).map { try Item(encoding: $0, of: people) }
        let marked = step == 0 ? [] : items.filter { $0.id.isMultiple(of: Int64(step)) }
        try await fixture.gateway.store.write { writing in
            for item in marked { try writing.put(Favourite(of: item, addedAt: Timestamp(milliseconds: 0))) }
        }
        let shuffled = items.shuffled()
        for page in [shuffled, Array(shuffled.prefix(40)), Array(items.suffix(20)), [items[0], items[0]]] {
            let expected = Set(marked.map(\.key)).intersection(page.map(\.key))
            #expect(try await fixture.gateway.favourites(among: page) == expected)
        }
    }

    @Test("a window over favourites wraps around in the order of their titles", arguments: [false, true])
    func window(_ ofResource: Bool) async throws {
        let names = ["Zoe", "ada", "Bob", "bob", "Ada", "", "Eve"]
        let fixture = try await favourites(names), resource = ofResource ? fixture.people : nil
        let titles = try await fixture.gateway.favourites(resource).map(\.title)
        let window = fixture.gateway.favouritesWindow(of: resource, size: 3, wraps: true)
        var state = await window.jump(to: .start), seen: [String] = []
        for _ in 0..<7 {
            seen.append(state.items[0].title)
            state = await window.next(1)
        }
        #expect(seen == titles)
        #expect(state.items.map(\.title) == Array(titles.prefix(3)))
        state = await window.previous(2)
        #expect(state.items.map(\.title) == [titles[5], titles[6], titles[0]])
        let end = await window.jump(toFraction: 1)
        #expect(end.items.contains { $0.title == titles[6] })
        let place = FavouriteWindowList(of: resource).position(of: try await fixture.gateway.favourites()[2])
        #expect(await window.jump(to: .at(place)).items[0].title == titles[2])
    }
}
