import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("A window over a circular list")
struct RingTests {
    private func ids(_ state: WindowState<ListedItem, ListPosition>) -> [Int64] { state.items.map(\.item.id) }

    /// The ids in the logins of favourites.
    private func ids(_ favourites: [Favourite]) -> [Int64] {
        favourites.compactMap { Int64($0.handle.dropFirst("user-".count)) }
    }

    @Test("five of seven items turn in both directions, and no item is shown twice")
    func people() async throws {
        let fixture = try await ResourceFixture(people: 1...7, pageSize: 3)
        let window = try fixture.gateway.peopleWindow(size: 5, wraps: true)
        await window.jump(to: .start)
        while fixture.requests.count < 3 { await window.next(1) }
        var seen: [[Int64]] = []
        await window.jump(to: .at(ListPosition(3)))
        for _ in 0..<4 { seen.append(ids(await window.next(1))) }
        #expect(seen == [[4, 5, 6, 7, 1], [5, 6, 7, 1, 2], [6, 7, 1, 2, 3], [7, 1, 2, 3, 4]])
        seen = []
        for _ in 0..<3 { seen.append(ids(await window.previous(3))) }
        #expect(seen == [[4, 5, 6, 7, 1], [1, 2, 3, 4, 5], [5, 6, 7, 1, 2]])
        #expect(ids(await window.next(702)) == [7, 1, 2, 3, 4])
        #expect(ids(await window.previous(702)) == [5, 6, 7, 1, 2])
        #expect(await window.state.hasEarlier)
    }

    @Test("fewer than five items turn as well")
    func few() async throws {
        let fixture = try await ResourceFixture(people: 1...3)
        let window = try fixture.gateway.peopleWindow(size: 5, wraps: true)
        await window.jump(to: .start)
        #expect(ids(await window.next(1)) == [2, 3, 1])
        #expect(ids(await window.next(1)) == [3, 1, 2])
        let state = await window.previous(2)
        #expect(ids(state) == [1, 2, 3])
        #expect(!state.hasEarlier && !state.hasLater)
    }

    @Test(
        "favourites wrap around in the order of their titles, and the window follows removals",
        .timeLimit(.minutes(5)))
    func favourites() async throws {
        let fixture = try await ResourceFixture(people: 1...9), gateway = fixture.gateway
        let people = try gateway.resource("people")
        _ = try await fixture.list(limit: 9)
        let names = ["b", "B", "a", "Ä", "c", "\u{1F680}", "b"]
        for (number, name) in names.enumerated() {
            try await gateway.edit("user-\(number + 1)", name: name)
            try await gateway.addFavourite(people, "user-\(number + 1)")
        }
        #expect(try await ids(gateway.favourites()) == [3, 1, 2, 7, 5, 4, 6])
        let window = gateway.favouritesWindow(of: nil, size: 5, wraps: true)
        #expect(ids(await window.jump(to: .start).items) == [3, 1, 2, 7, 5])
        #expect(ids(await window.next(3).items) == [7, 5, 4, 6, 3])
        #expect(ids(await window.previous(1).items) == [2, 7, 5, 4, 6])
        var states = await window.states().makeAsyncIterator()
        try await gateway.removeFavourite(people, "user-7")
        while let state = await states.next(), ids(state.items) != [2, 5, 4, 6, 3] {}
        let flat = gateway.favouritesWindow(of: nil, size: 2)
        await flat.jump(to: .start)
        #expect(ids(await flat.next(2).items) == [2, 5])
        #expect(ids(await flat.jump(toFraction: 0.99).items) == [4, 6])
        #expect(await flat.state.list == .endOfSource)
    }
}
