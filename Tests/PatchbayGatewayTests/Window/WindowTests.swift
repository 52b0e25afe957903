import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("A window over an ordered list")
struct WindowTests {
    private func ids(_ state: WindowState<ListedItem, ListPosition>) -> [Int64] { state.items.map(\.item.id) }

    @Test("it moves forward through the source's pages and keeps no more items than its size")
    func down() async throws {
        let fixture = try await ResourceFixture(people: 1...50, pageSize: 20)
        let window = try fixture.gateway.peopleWindow(size: 10)
        var state = await window.jump(to: .start)
        #expect(ids(state) == Array(1...10))
        #expect(!state.hasEarlier && state.hasLater)
        state = await window.next(10)
        #expect(ids(state) == Array(11...20))
        #expect(state.hasEarlier && state.start == ListPosition(11) && state.end == ListPosition(20))
        #expect(fixture.requests == ["people after 0"])
        state = await window.next(4)
        #expect(ids(state) == Array(15...24))
        #expect(fixture.requests == ["people after 0", "people next 20"])
    }

    @Test("it ends at the end of the source and sends no more requests")
    func end() async throws {
        let fixture = try await ResourceFixture(people: 1...25, pageSize: 20)
        let window = try fixture.gateway.peopleWindow(size: 10)
        var state = await window.jump(to: .at(ListPosition(20)))
        while state.hasLater { state = await window.next() }
        #expect(ids(state) == Array(20...25))
        #expect(state.list == .endOfSource)
        let requests = fixture.requests
        await window.next()
        #expect(fixture.requests == requests)
    }

    @Test("moving backward never queries the source, not even at the start or at a gap")
    func up() async throws {
        let fixture = try await ResourceFixture(people: 1...100, pageSize: 20)
        let window = try fixture.gateway.peopleWindow(size: 10)
        await window.jump(to: .start)
        var state = await window.jump(to: .at(ListPosition(61)))
        #expect(ids(state) == Array(61...70))
        let requests = fixture.requests
        state = await window.previous(5)
        #expect(ids(state) == Array(16...20) + Array(61...65))
        for _ in 0..<20 { state = await window.previous() }
        #expect(ids(state) == Array(1...10))
        #expect(!state.hasEarlier)
        #expect(fixture.requests == requests)
    }

    @Test("a gap between two stored stretches is fetched when moving forward")
    func gap() async throws {
        let fixture = try await ResourceFixture(people: 1...100, pageSize: 20)
        let window = try fixture.gateway.peopleWindow(size: 40)
        await window.jump(to: .at(ListPosition(61)))
        await window.jump(to: .start)
        var state = await window.next(20)
        #expect(ids(state) == Array(1...40))
        state = await window.next(30)
        #expect(ids(state) == Array(31...70))
        #expect(fixture.requests.last == "people next 40")
    }

    @Test("reaching the greatest number of items is reported, and nothing is requested beyond it")
    func limit() async throws {
        let fixture = try await ResourceFixture(people: 1...100, pageSize: 20)
        let window = try fixture.gateway.peopleWindow(size: 30, maximum: 30)
        var state = await window.jump(to: .start)
        state = await window.next()
        #expect(ids(state) == Array(1...30))
        #expect(state.list == .limitReached(30) && !state.hasLater)
        await window.next()
        #expect(fixture.requests.count == 2)
    }

    @Test("a rate limit is part of the state with the time to retry; stored rows stay reachable")
    func failure() async throws {
        let fixture = try await ResourceFixture(people: 1...100, pageSize: 20)
        let window = try fixture.gateway.peopleWindow(size: 30)
        await window.jump(to: .at(ListPosition(61)))
        await window.jump(to: .start)
        fixture.feed.answers.fail(
            with: PatchbayError(.rateLimited, "enough", [.retryAt(Timestamp("2026-11-21T20:00:00Z")!)]))
        var state = await window.next(10)
        #expect(state.list == .failed(retryAt: Timestamp("2026-11-21T20:00:00Z")))
        #expect(state.error?.code == .rateLimited)
        #expect(ids(state) == Array(1...20) + Array(61...70))
        fixture.feed.answers.fail(with: nil)
        state = await window.jump(to: .at(ListPosition(15)))
        #expect(state.error == nil && ids(state) == Array(15...20))
        state = await window.next(10)
        #expect(ids(state) == Array(15...30))
    }

    @Test(
        "a failed jump keeps the items and reports the error", .timeLimit(.minutes(5)))
    func failedJump() async throws {
        let fixture = try await ResourceFixture(people: 1...100, pageSize: 20)
        let window = try fixture.gateway.peopleWindow(size: 10)
        await window.jump(to: .start)
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        var state = await window.jump(to: .at(ListPosition(50)))
        #expect(ids(state) == Array(1...10) && state.error?.code == .offline)
        state = await window.next(5)
        #expect(ids(state) == Array(6...15) && state.error == nil)
        fixture.feed.answers.fail(with: nil)
        state = await window.jump(to: .at(ListPosition(50)))
        #expect(ids(state) == Array(50...59) && state.error == nil)
    }

    @Test("while a jump waits for the source, the previous rows are shown", .timeLimit(.minutes(5)))
    func rowsWhileJumping() async throws {
        let held = HeldFeed(ScriptedFeed(people: 1...50))
        let gateway = try await ResourceFixture { _ in held }.gateway
        let window = try gateway.peopleWindow(size: 10)
        held.answer()
        await window.jump(to: .start)
        await held.isAsked()
        async let jumped = window.jump(to: .at(ListPosition(40)))
        await held.isAsked()
        let waiting = await window.state
        #expect(ids(waiting) == Array(1...10) && waiting.list == .fetching)
        held.answer()
        #expect(ids(await jumped) == Array(40...49))
    }

    @Test("offline it shows all stored rows and sends no request")
    func offline() async throws {
        let fixture = try await ResourceFixture(people: 1...100, pageSize: 20)
        let online = try fixture.gateway.peopleWindow(size: 10)
        await online.jump(to: .start)
        await online.jump(to: .at(ListPosition(61)))
        let requests = fixture.requests
        let window = try fixture.gateway.peopleWindow(size: 60, isOffline: true)
        let state = await window.jump(to: .start)
        #expect(ids(state) == Array(1...20) + Array(61...80) && state.gaps == [ListPosition(61)])
        #expect(!state.hasLater && state.list == .more)
        await window.next()
        #expect(fixture.requests == requests)
    }

    @Test("it jumps to a fraction and to the end of the stored rows")
    func fraction() async throws {
        let fixture = try await ResourceFixture(people: 1...100, pageSize: 100)
        let window = try fixture.gateway.peopleWindow(size: 10)
        await window.jump(to: .start)
        #expect(ids(await window.jump(toFraction: 0.5)) == Array(50...59))
        #expect(ids(await window.jump(toFraction: 1)) == Array(91...100))
        #expect(ids(await window.jump(toFraction: 0)) == Array(1...10))
        #expect(ids(await window.jumpToEnd()) == Array(91...100))
    }

    @Test("fractions lead to rows with the greatest values", arguments: [0, 0.5, 0.9999999999999999, 1])
    func greatIDs(_ fraction: Double) async throws {
        let fixture = try await ResourceFixture(people: Int64.max - 1...Int64.max - 1)
        try await fixture.gateway.put(ScriptedFeed.people([1, Int64.max - 1, Int64.max]))
        let window = try fixture.gateway.peopleWindow(size: 1)
        let expected: Int64 = fraction == 0 ? 1 : fraction == 1 ? .max : .max - 1
        #expect(ids(await window.jump(toFraction: fraction)) == [expected])
    }

    @Test("an edit, a deletion and a clear are shown without a move", .timeLimit(.minutes(5)))
    func changes() async throws {
        let fixture = try await ResourceFixture(people: 1...100, pageSize: 20)
        let window = try fixture.gateway.peopleWindow(size: 5)
        await window.jump(to: .start)
        var states = await window.states().makeAsyncIterator()
        #expect(await states.next().map(ids) == [1, 2, 3, 4, 5])
        try await fixture.gateway.edit("user-3", name: "Mine")
        while let state = await states.next(), state.items[2].item.name != "Mine" {}
        try await fixture.gateway.delete(4)
        while let state = await states.next(), ids(state) != [1, 2, 3, 5, 6] {}
        try await fixture.gateway.clearPeople()
        while let state = await states.next(), !state.items.isEmpty {}
        #expect(await window.state.hasLater)
        #expect(ids(await window.next()) == [1, 2, 3, 4, 5])
    }

    @Test("a slow observer receives only the newest state")
    func slowObserver() async throws {
        let fixture = try await ResourceFixture(people: 1...100, pageSize: 100)
        let window = try fixture.gateway.peopleWindow(size: 10)
        let states = await window.states()
        await window.jump(to: .start)
        for _ in 0..<60 { await window.next(1) }
        var iterator = states.makeAsyncIterator()
        #expect(await iterator.next().map(ids) == Array(61...70))
    }

    @Test("the states end with the window")
    func endOfStates() async throws {
        let fixture = try await ResourceFixture()
        var window: Window<ListedItem, ListPosition>? = try fixture.gateway.peopleWindow(size: 10)
        let states = await window!.states()
        window = nil
        #expect(await states.all.count == 1)
    }

    @Test(
        "rows cleared while the source is queried are not saved, and the conflict is reported",
        .timeLimit(.minutes(5)))
    func clearWhileLoading() async throws {
        let held = HeldFeed(ScriptedFeed(people: 1...50))
        let gateway = try await ResourceFixture { _ in held }.gateway
        let window = try gateway.peopleWindow(size: 10)
        async let jumped = window.jump(to: .start)
        await held.isAsked()
        #expect(await window.state.list == .fetching)
        // A concurrent call does not wait and does not send another request.
        #expect(await window.next().list == .fetching)
        try await gateway.clearPeople()
        held.answer()
        let state = await jumped
        #expect(state.items.isEmpty && state.error?.code == .conflict)
        #expect(try await gateway.stored("people").count == 0)
        held.answer()
        #expect(ids(await window.jump(to: .start)) == Array(1...10))
    }

    @Test(
        "a jump while the source is queried takes precedence; the late answer is stored without moving",
        .timeLimit(.minutes(5)))
    func jumpWhileLoading() async throws {
        let held = HeldFeed(ScriptedFeed(people: 1...50))
        let gateway = try await ResourceFixture { _ in held }.gateway
        let window = try gateway.peopleWindow(size: 10)
        held.answer()
        await window.jump(to: .start)
        await window.next()
        await held.isAsked()
        async let late = window.next()
        await held.isAsked()
        #expect(ids(await window.jump(to: .at(ListPosition(3)))) == Array(3...12))
        held.answer()
        #expect(ids(await late) == Array(3...12))
        #expect(try await gateway.stored("people").count == 40)
    }

    @Test("cancelling a waiting caller leaves the window unchanged, without an error")
    func cancellation() async throws {
        let waiting = HeldFeed(ScriptedFeed(people: 1...50))
        let window = try await ResourceFixture { _ in waiting }.gateway.peopleWindow(size: 10)
        let task = Task { await window.jump(to: .start) }
        await waiting.isAsked()
        task.cancel()
        let state = await task.value
        #expect(state.error == nil && state.list == .more)
    }

    @Test("concurrent steps, jumps and clears leave the window ordered and consistent")
    func atOnce() async throws {
        let fixture = try await ResourceFixture(people: 1...300, pageSize: 20)
        let (window, gateway) = (try fixture.gateway.peopleWindow(size: 15), fixture.gateway)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for step in 0..<30 {
                        switch (number + step) % 6 {
                        case 0, 1: await window.next(7)
                        case 2: await window.previous(5)
                        case 3:
                            await window.jump(
                                to: .at(ListPosition(Int64(1 + (number * 37 + step * 11) % 300))))
                        case 4: await window.resize(to: 10 + step)
                        default: if step % 10 == 5 { _ = try? await gateway.clearPeople() }
                        }
                        let ids = await window.state.items.map(\.item.id)
                        #expect(ids == ids.sorted() && Set(ids).count == ids.count)
                    }
                }
            }
        }
        let state = await window.jump(to: .at(ListPosition(100)))
        let stored = try await gateway.listPeople(after: 99, limit: state.items.count, policy: .localOnly).all
        #expect(ids(state) == stored.last?.value?.ids)
    }
}
