// Code as a user of Patchbay would write it, with the public API only and without network or disk.

import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

/// A program built on Patchbay: greetings for the people of a list.
private struct Greeter {
    let gateway: Gateway

    /// A greeting for each person, from stored rows when the source cannot be queried.
    func greetings() async throws -> [String] {
        let answer = try await gateway.list("people", limit: 3).ending
        let greetings = answer.value?.items.map { "Hello \($0.title)" } ?? []
        guard case .failed(let error) = answer.outcome else { return greetings }
        let age = answer.age.map { "\($0.components.seconds) s old" } ?? "nothing stored"
        return greetings + ["(\(error.code), \(age))"]
    }
}

@Suite("A program built on Patchbay")
struct OwnCodeTests {
    private let feed = ScriptedFeed(
        people: 1...30, projects: 1...3, changes: ScriptedFeed.changes(5, of: 2))
    private let clock = ManualClock()

    private func gateway() async throws -> Gateway {
        try await Gateway(storage: MemoryStorage(), source: feed.source(), clock: clock.layerClock)
    }

    @Test("greets listed people by their edited names, with the age of the answer when offline")
    func greets() async throws {
        let gateway = try await gateway()
        let greeter = Greeter(gateway: gateway)
        #expect(try await greeter.greetings() == ["Hello user-1", "Hello user-2", "Hello user-3"])
        try await gateway.edit(gateway.resource("people"), "user-2", "name", to: "Two")
        clock.advance(by: .seconds(40))
        feed.answers.fail(with: PatchbayError(.offline, "no network"))
        #expect(
            try await greeter.greetings()
                == ["Hello user-1", "Hello Two", "Hello user-3", "(offline, 40 s old)"])
        #expect(feed.requests == ["people after 0", "people after 0 if changed"])
    }

    @Test("receives changes as they are committed, without polling")
    func watches() async throws {
        let gateway = try await gateway()
        var changes = try gateway.watch(gateway.resource("people"), limit: 2).makeAsyncIterator()
        #expect(try await changes.next() == [])
        _ = try await gateway.list("people").ending
        #expect(try await changes.next()?.map(\.item.handle) == ["user-1", "user-2"])
    }

    @Test("searches, and lists projects with their changes, from the same script")
    func searches() async throws {
        let gateway = try await gateway()
        let found = try await gateway.search(gateway.resource("people"), "user-2").ending.value?.items
        #expect(found?.count == 11)
        let changes = try await gateway.list("changes", "octocat/p-2").ending.value?.items
        #expect(changes?.compactMap { $0.text("message") } == (1...5).reversed().map { "change \($0)" })
        #expect(feed.requests.count == 3)
    }
}
