import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Searching while typing", .timeLimit(.minutes(5)))
struct SearchSessionTests {
    /// An event as words.
    private func word(_ event: SearchSession<Item>.Event?) -> String {
        switch event {
        case nil: "end"
        case .cleared: "cleared"
        case .refused(let error): "refused: \(error.code)"
        case .answered(let text, let answer): "\(text): \(answer.searchOutcome()?.word ?? "stored")"
        }
    }

    @Test("a text is searched half a second after it was typed, and only the last one")
    func debounce() async throws {
        let fixture = try await SearchFixture()
        let session = try fixture.gateway.peopleSession(clock: fixture.clock.layerClock)
        var events = session.makeAsyncIterator()
        for (count, text) in ["u", "us", "user-", "user-4", "user-42"].enumerated() {
            session.type(text)
            await fixture.clock.hasBegun(sleeps: count + 1)
            fixture.clock.advance(by: .milliseconds(499))
        }
        #expect(fixture.requests.isEmpty)
        fixture.clock.advance(by: .milliseconds(1))
        #expect(word(await events.next()) == "user-42: found")
        #expect(fixture.requests == ["people with user-42"])
        #expect(fixture.clock.sleeps.allSatisfy { $0 == .milliseconds(500) })
        session.finish()
        #expect(word(await events.next()) == "end")
    }

    @Test("a new text cancels the request in flight, and no event of the old text follows")
    func cancelled() async throws {
        let waiting = WaitingSearchFeed(), clock = ManualClock()
        let gateway = try await ResourceFixture { _ in waiting }.gateway
        let session = try gateway.peopleSession(debounce: .zero, clock: clock.layerClock)
        var events = session.makeAsyncIterator()
        session.type("first")
        await waiting.isAsked(for: "first")
        session.type("second")
        await waiting.isCancelled("first")
        await waiting.isAsked(for: "second")
        waiting.answer()
        #expect(word(await events.next()) == "second: no records")
        session.finish()
        #expect(word(await events.next()) == "end")
    }

    @Test("an empty text sends no request and cancels the previous text; an overlong text is refused")
    func empty() async throws {
        let fixture = try await SearchFixture()
        let session = try fixture.gateway.peopleSession(clock: fixture.clock.layerClock)
        var events = session.makeAsyncIterator()
        session.type("user-7")
        session.type(" ")
        #expect(word(await events.next()) == "cleared")
        session.type(String(repeating: "x", count: 1 << 20))
        #expect(word(await events.next()) == "refused: invalid value")
        session.finish()
        #expect(word(await events.next()) == "end")
        #expect(fixture.requests.isEmpty)
        #expect(try await fixture.gateway.recentSearches.list().isEmpty)
    }

    @Test(
        "a text with the same normal form is not searched again; Return always searches at once")
    func submitted() async throws {
        let fixture = try await SearchFixture()
        let session = try fixture.gateway.peopleSession(clock: fixture.clock.layerClock)
        var events = session.makeAsyncIterator()
        session.type("user-42")
        await fixture.clock.hasBegun(sleeps: 1)
        session.type(" USER-42 ")
        session.submit("user-42")
        #expect(word(await events.next()) == "user-42: found")
        session.type("user-42 ")
        #expect(fixture.clock.sleeps.count == 1)
        session.submit("user-42")
        #expect(word(await events.next()) == "user-42: stored")
        #expect(word(await events.next()) == "user-42: found")
        #expect(fixture.requests.count == 2)
        session.finish()
    }

    @Test("the texts of one typing count as one recent search")
    func recent() async throws {
        let fixture = try await SearchFixture()
        let session = try fixture.gateway.peopleSession(clock: fixture.clock.layerClock)
        var events = session.makeAsyncIterator()
        for text in ["user", "user-4", "user-42", "nobody", "nob"] {
            session.submit(text)
            while let event = await events.next() {
                if case .answered(_, let answer) = event, answer.outcome.isEnding { break }
            }
        }
        #expect(try await fixture.gateway.recentSearches.list().map(\.text) == ["nob", "user-42"])
        session.finish()
    }

    @Test("a finished session answers its last text; a cancelled one answers nothing")
    func endings() async throws {
        let fixture = try await SearchFixture()
        let finished = try fixture.gateway.peopleSession(clock: fixture.clock.layerClock)
        var events = finished.makeAsyncIterator()
        finished.type("user-7")
        finished.finish()
        finished.type("user-8")
        await fixture.clock.hasBegun(sleeps: 1)
        fixture.clock.advance(by: .seconds(1))
        #expect(word(await events.next()) == "user-7: found")
        #expect(word(await events.next()) == "end")
        let cancelled = try fixture.gateway.peopleSession(clock: fixture.clock.layerClock)
        events = cancelled.makeAsyncIterator()
        cancelled.type("user-9")
        cancelled.cancel()
        #expect(word(await events.next()) == "end")
        #expect(fixture.requests.count == 1)
    }

    @Test("cancelling the consumer cancels the request")
    func abandoned() async throws {
        let waiting = WaitingSearchFeed(), clock = ManualClock()
        let gateway = try await ResourceFixture { _ in waiting }.gateway
        let session = try gateway.peopleSession(clock: clock.layerClock)
        let listening = Task { for await _ in session {} }
        session.submit("first")
        await waiting.isAsked(for: "first")
        listening.cancel()
        await waiting.isCancelled("first")
    }
}
