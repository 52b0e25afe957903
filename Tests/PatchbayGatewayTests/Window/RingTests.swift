import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("A window over a circular list")
struct RingTests {
    @Test("five of seven turn both ways, and no item is shown twice")
    func users() async throws {
        let fixture = try await GatewayFixture(1...7, pageSize: 3)
        let window = fixture.gateway.usersWindow(size: 5, wraps: true)
        await window.jump(to: .start)
        while fixture.source.requests.count < 3 { await window.next(1) }
        var seen: [[Int64]] = []
        await window.jump(to: .at(3))
        for _ in 0..<4 { seen.append(await window.next(1).items.map(\.user.id)) }
        #expect(seen == [[4, 5, 6, 7, 1], [5, 6, 7, 1, 2], [6, 7, 1, 2, 3], [7, 1, 2, 3, 4]])
        seen = []
        for _ in 0..<3 { seen.append(await window.previous(3).items.map(\.user.id)) }
        #expect(seen == [[4, 5, 6, 7, 1], [1, 2, 3, 4, 5], [5, 6, 7, 1, 2]])
        #expect(await window.next(702).items.map(\.user.id) == [7, 1, 2, 3, 4])
        #expect(await window.previous(702).items.map(\.user.id) == [5, 6, 7, 1, 2])
        #expect(await window.state.hasEarlier)
    }

    @Test("fewer than five turn too")
    func few() async throws {
        let fixture = try await GatewayFixture(1...3)
        let window = fixture.gateway.usersWindow(size: 5, wraps: true)
        await window.jump(to: .start)
        #expect(await window.next(1).items.map(\.user.id) == [2, 3, 1])
        #expect(await window.next(1).items.map(\.user.id) == [3, 1, 2])
        let state = await window.previous(2)
        #expect(state.items.map(\.user.id) == [1, 2, 3])
        #expect(!state.hasEarlier && !state.hasLater)
    }

    @Test("favourites go round in the order of their titles, and follow what is added and removed")
    func favourites() async throws {
        let fixture = try await GatewayFixture(1...9)
        _ = await fixture.list(limit: 9)
        let names = ["b", "B", "a", "Ä", "c", "\u{1F680}", "b"]
        for (number, name) in names.enumerated() {
            try await fixture.gateway.editUser("user-\(number + 1)", name: name)
            try await fixture.gateway.addFavourite("user-\(number + 1)")
        }
        let titles = try await fixture.gateway.listFavourites().map(\.id)
        #expect(titles == [3, 1, 2, 7, 5, 4, 6])
        let window = fixture.gateway.favouritesWindow(size: 5, wraps: true)
        #expect(await window.jump(to: .start).items.map(\.id) == [3, 1, 2, 7, 5])
        #expect(await window.next(3).items.map(\.id) == [7, 5, 4, 6, 3])
        #expect(await window.previous(1).items.map(\.id) == [2, 7, 5, 4, 6])
        var states = await window.states().makeAsyncIterator()
        try await fixture.gateway.removeFavourite("user-7")
        while let state = await states.next(), state.items.map(\.id) != [2, 5, 4, 6, 3] {}
        let flat = fixture.gateway.favouritesWindow(size: 2)
        await flat.jump(to: .start)
        #expect(await flat.next(2).items.map(\.id) == [2, 5])
        #expect(await flat.jump(toFraction: 0.99).items.map(\.id) == [4, 6])
        #expect(await flat.state.list == .endOfSource)
    }
}
