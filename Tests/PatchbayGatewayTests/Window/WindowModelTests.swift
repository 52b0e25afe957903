import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("A window and its model")
struct WindowModelTests {
    @Test("a window equals its model after each of many random steps", arguments: 0..<8)
    func randomSteps(_ round: Int) async throws {
        var random = SeededGenerator.fromEnvironment()
        for _ in 0..<round { _ = random.next() }
        let walk = try await RandomWalk(&random)
        for step in 1...120 {
            let what = try await walk.step(&random)
            let state = await walk.window.state
            let model = walk.model
            let place = "seed \(random.seed), round \(round), step \(step): \(what)"
            try #require(state.items.map(\.item.id) == model.items, "\(place)")
            #expect(state.hasEarlier == model.hasEarlier, "\(place)")
            #expect(state.hasLater == model.hasLater, "\(place)")
            #expect(state.start == model.items.first.map { ListPosition($0) }, "\(place)")
            #expect(state.end == model.items.last.map { ListPosition($0) }, "\(place)")
            #expect((state.error != nil) == model.isFailed, "\(place)")
            #expect(walk.fixture.requests.count == model.requests, "\(place)")
            #expect(state.items.count <= state.size, "\(place)")
        }
    }
}

/// A window over scripted people and its model, which both take the same steps.
private final class RandomWalk {
    let fixture: ResourceFixture
    let window: Window<ListedItem, ListPosition>
    var model: WindowModel

    /// People with gaps between their ids, a page size and a window size.
    init(_ random: inout SeededGenerator) async throws {
        var generator = random
        let ids = (1...300 as ClosedRange<Int64>).filter { _ in Int.random(in: 0..<4, using: &generator) > 0 }
        let pageSize = Int.random(in: 2...25, using: &generator)
        let size = Int.random(in: 1...30, using: &generator)
        random = generator
        fixture = try await ResourceFixture(pageSize: pageSize)
        fixture.feed.change("people") { $0 = ScriptedFeed.people(ids) }
        window = try fixture.gateway.peopleWindow(size: size)
        model = WindowModel(source: ids, pageSize: pageSize, size: size)
    }

    /// Takes one random step with both and returns its description.
    func step(_ random: inout SeededGenerator) async throws -> String {
        let count = Int.random(in: 1...12, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0...5:
            await window.next(count)
            model.next(count)
            return "next \(count)"
        case 6...9:
            await window.previous(count)
            model.previous(count)
            return "previous \(count)"
        case 10, 11:
            let id = Int64.random(in: 1...310, using: &random)
            await window.jump(to: .at(ListPosition(id)))
            model.jump(at: id)
            return "jump to \(id)"
        case 12:
            await window.jumpToEnd()
            model.jumpToEnd()
            return "jump to the end"
        case 13:
            await window.resize(to: count * 2)
            model.resize(to: count * 2)
            return "resize to \(count * 2)"
        case 14:
            model.isFailing.toggle()
            fixture.feed.answers.fail(with: model.isFailing ? PatchbayError(.offline, "no network") : nil)
            return "the source fails: \(model.isFailing)"
        default: return try await change(&random)
        }
    }

    /// Makes a change to stored rows that does not come from the window.
    private func change(_ random: inout SeededGenerator) async throws -> String {
        let what: String
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            try await fixture.gateway.clearPeople()
            model.clear()
            what = "clear"
        case 1...4:
            guard let id = model.stored.randomElement(using: &random) else { return "nothing to delete" }
            try await fixture.gateway.delete(.integer(id))
            model.stored.removeAll { $0 == id }
            what = "delete \(id)"
        default:
            let id = Int64.random(in: 1...310, using: &random)
            try await fixture.gateway.put(ScriptedFeed.people([id]))
            if !model.stored.contains(id) { model.stored = (model.stored + [id]).sorted() }
            what = "insert \(id)"
        }
        await window.reread()
        model.reread()
        return what
    }
}
