import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Searching")
struct SearchTests {
    @Test("results are stored in the source's order, and confirmed the next time")
    func found() async throws {
        let fixture = try await SearchFixture(), gateway = fixture.gateway
        let first = try await gateway.searchPeople("  user- ", limit: 10).all
        #expect(first.map(\.outcome.word) == ["fresh"])
        let window = try #require(first[0].value)
        #expect(window.items.count == 10 && window.hasMore && window.total == 50)
        let second = try await gateway.searchPeople("user-", limit: 10).all
        #expect(second.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(second.allSatisfy { $0.value?.items == window.items })
        let offline = try await gateway.searchPeople("user-", limit: 10, policy: .localOnly).all
        #expect(offline.last?.value?.items == window.items)
        #expect(fixture.requests.count == 2)
    }

    @Test("when the source caps its results, the window reports the cap")
    func cap() async throws {
        let answer = try #require(
            try await SearchFixture().gateway.searchPeople("user-", limit: 100).all.last)
        #expect(answer.value?.items.count == 30 && answer.value?.cap == 30 && answer.value?.total == 50)
    }

    @Test("observers of the resource see other results of a search, but not that it was repeated")
    func digest() async throws {
        let fixture = try await SearchFixture(), people = try fixture.gateway.resource("people")
        func digest() async throws -> UInt64? {
            try await fixture.gateway.store.read { try $0.stateDigest(of: people) }
        }
        _ = try await fixture.people("user-", .refresh)
        let first = try await digest()
        fixture.clock.advance(by: .seconds(60))
        _ = try await fixture.people("user-", .refresh)
        #expect(try await digest() == first)
        fixture.feed.change("people") { $0.removeFirst() }
        _ = try await fixture.people("user-", .refresh)
        #expect(try await digest() != first)
    }

    @Test("an empty result is stored as an answer")
    func none() async throws {
        let fixture = try await SearchFixture(), gateway = fixture.gateway
        #expect(try await gateway.searchPeople("nobody").all.last?.value?.items.isEmpty == true)
        #expect(try await gateway.searchPeople("nobody", policy: .localOnly).all.last?.value != nil)
    }

    @Test(
        "an empty query and one too long for a key are refused without a request", arguments: [0, 257, 1_000])
    func refused(_ count: Int) async throws {
        let fixture = try await SearchFixture()
        let query = " " + String(repeating: "x", count: count)
        let answers = try await fixture.gateway.searchPeople(query).all
        #expect(answers.map(\.outcome.word) == ["failed: invalid value"])
        #expect(fixture.requests.isEmpty)
    }

    @Test("the longest text fits in a key")
    func longest() async throws {
        let fixture = try await SearchFixture(), gateway = fixture.gateway
        for letter in ["é", "한", "ΐ", "👍"] {
            let answers = try await gateway.searchPeople(String(repeating: letter, count: 256)).all
            #expect(answers.map(\.outcome.word) == ["fresh"])
        }
        #expect(fixture.requests.count == 4)
    }

    @Test("pages of 20 follow one another from one fetched list")
    func pages() async throws {
        let fixture = try await SearchFixture(), gateway = fixture.gateway
        let first = try #require(try await gateway.searchPeople("user-").all.last?.value)
        let second = try #require(try await gateway.searchPeople(" user-", page: 2).all.last?.value)
        #expect(first.items.map(\.id) == Array(1...20) && first.hasMore)
        #expect(second.items.map(\.id) == Array(21...30) && !second.hasMore && second.cap == 30)
        let beyond = try #require(try await gateway.searchPeople("user-", page: 3).all.last?.value)
        #expect(beyond.items.isEmpty && beyond.origin == .source)
    }

    @Test("the total, the cap and incompleteness are stored with the results")
    func verdict() async throws {
        let fixture = try await SearchFixture(), gateway = fixture.gateway
        fixture.feed.isIncomplete = true
        _ = try await gateway.searchPeople("user-", limit: 40).all
        for policy in [Policy.localOnly, .localFirst] {
            let window = try #require(
                try await gateway.searchPeople("user-", limit: 40, policy: policy).all.first?.value)
            #expect(window.isIncomplete && window.total == 50 && window.cap == 30)
        }
    }

    @Test("a search is incomplete for the reason that an answer of the source shows")
    func shortfall() async throws {
        let reason = "the answer reports an error"
        let fixture = try await ResourceFixture(around: { ShortFeed(inner: $0, reason: reason) })
        let gateway = fixture.gateway
        for policy in [Policy.refresh, .localOnly] {
            let window = try #require(
                try await gateway.searchPeople("user-1", limit: 40, policy: policy).all.last?.value)
            #expect(window.isIncomplete && !window.isComplete(limit: 40, isConfirmed: true))
            #expect(window.reason == reason)
        }
        let people = try gateway.resource("people")
        let end = try await gateway.searchAll(people, "user-1").run().0
        #expect(end.word == "incomplete: end")
        let all = try await gateway.searchPeople("user-1", limit: 40, policy: .localOnly).all.last?.value
        #expect(all?.reason == reason)
    }

    @Test("a search that ended before the number of results that the source counts is not complete")
    func counted() async throws {
        let fixture = try await SearchFixture(), gateway = fixture.gateway
        let whole = try #require(try await gateway.searchPeople("user-1", limit: 40).all.last?.value)
        #expect(whole.missing == nil && whole.isComplete(limit: 40, isConfirmed: true))
        try await gateway.store.write { writing in
            for var search in try writing.reading.list(StoredSearch.self, Query(StoredSearch.collection)) {
                search.total = Int64(whole.items.count + 9)
                try writing.put(search)
            }
        }
        let short = try #require(
            try await gateway.searchPeople("user-1", limit: 40, policy: .localOnly).all.first?.value)
        #expect(short.missing == 9 && !short.isComplete(limit: 40, isConfirmed: true))
        #expect(short.reason == "the source counts 9 more results than it returned")
    }
}

/// A feed whose answers show that rows are missing.
private struct ShortFeed: FeedWrapper {
    let inner: any ResourceFeed
    let reason: String

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        guard case .changed(var page, let validator) = try await inner.page(request, ifChangedFrom: validator)
        else { return .unchanged }
        page.shortfall = Shortfall(.end, reason)
        page.isIncomplete = true
        return .changed(page, validator)
    }
}
