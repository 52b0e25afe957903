import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Denied and recent searches")
struct DeniedSearchTests {
    @Test(
        "a text that found nothing sends no request until its denial expires, in any spelling")
    func denied() async throws {
        let fixture = try await SearchFixture()
        #expect(try await fixture.ending("Nobodyß") == "no records source")
        #expect(fixture.requests.count == 1)
        for text in ["Nobodyß", " nobodySS ", "NOBODYẞ"] {
            #expect(try await fixture.ending(text) == "no records denied")
            #expect(try await fixture.people(text).count == 1)
        }
        #expect(try await fixture.ending("nobodyss", .localOnly) == "no records denied")
        #expect(fixture.requests.count == 1)
        fixture.clock.advance(by: .seconds(3_599))
        #expect(try await fixture.ending("nobodyss") == "no records denied")
        fixture.clock.advance(by: .seconds(1))
        #expect(try await fixture.ending("nobodyss") == "no records source")
        #expect(fixture.requests.count == 2)
        #expect(try await fixture.ending("nobodyss") == "no records denied")
        #expect(fixture.requests.count == 2)
    }

    @Test("a refresh sends a denied text, and results remove the denial")
    func refreshed() async throws {
        let storage = MemoryStorage()
        let empty = try await SearchFixture([], storage: storage)
        #expect(try await empty.ending("user-7") == "no records source")
        let full = try await SearchFixture(storage: storage)
        #expect(try await full.ending("user-7") == "no records denied")
        #expect(try await full.ending("user-7", .refresh) == "found source 7")
        #expect(try await full.gateway.deniedSearches.list().isEmpty)
        #expect(try await full.ending("user-7") == "found source 7")
    }

    @Test("a denial applies only to the source that found nothing")
    func otherSource() async throws {
        let storage = MemoryStorage()
        let empty = try await SearchFixture([], storage: storage, identity: "empty")
        #expect(try await empty.ending("user-7") == "no records source")
        let full = try await SearchFixture(storage: storage)
        #expect(try await full.ending("user-7") == "found source 7")
    }

    @Test("nothing is denied without a lifetime or after the clock was set back")
    func lifetimes() async throws {
        var settings = SearchSettings()
        settings.denialLifetime = .zero
        let eager = try await SearchFixture(settings: settings)
        for count in 1...2 {
            #expect(try await eager.ending("nobody") == "no records source")
            #expect(eager.requests.count == count)
        }
        let fixture = try await SearchFixture()
        _ = try await fixture.ending("nobody")
        fixture.clock.set(Timestamp(milliseconds: 1_789_999_999_999))
        #expect(try await fixture.ending("nobody") == "no records source")
        #expect(fixture.requests.count == 2)
    }

    @Test("an incomplete answer or a failure does not deny a text")
    func incomplete() async throws {
        let fixture = try await SearchFixture()
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        #expect(try await fixture.ending("nobody") == "offline nothing")
        fixture.feed.answers.fail(with: nil)
        fixture.feed.isIncomplete = true
        #expect(try await fixture.ending("nobody") == "no records source")
        #expect(try await fixture.people("nobody").last?.value?.isIncomplete == true)
        #expect(try await fixture.gateway.deniedSearches.list().isEmpty)
    }

    @Test("denials are listed with their remaining time, removed one by one, and cleared")
    func list() async throws {
        let fixture = try await SearchFixture()
        let denied = fixture.gateway.deniedSearches
        for text in ["one-none", "two-none", "three-none"] {
            _ = try await fixture.ending(text)
            fixture.clock.advance(by: .seconds(60))
        }
        let projects = StoredDeniedSearch(
            try #require(try SearchText("two-none")), for: "test_projects", source: "scripted",
            deniedAt: fixture.clock.now())
        try await fixture.gateway.store.write { try $0.put(projects) }
        #expect(
            try await denied.list().map(\.text) == ["two-none", "three-none", "two-none", "one-none"])
        #expect(try await denied.list().map(\.holdsFor) == [3_600, 3_540, 3_480, 3_420].map { .seconds($0) })
        try await denied.remove(" TWO-none")
        #expect(try await denied.list().count == 2)
        #expect(try await fixture.ending("two-none") == "no records source")
        await #expect(throws: PatchbayError.self) { try await denied.remove("four") }
        #expect(try await denied.clear() == 3)
        #expect(try await denied.clear() == 0)
    }

    @Test("at most 1,000 texts are denied, and expired denials are deleted")
    func denialsMax() async throws {
        let fixture = try await SearchFixture([])
        let first = try #require(try SearchText("old"))
        try await fixture.gateway.store.write { writing in
            for number in 1...1_200 as ClosedRange<Int64> {
                var denied = StoredDeniedSearch(
                    first, for: "test_people", source: "scripted", deniedAt: fixture.clock.now())
                denied.key = "old \(number)"
                denied.deniedAt.milliseconds -= number
                try writing.put(denied)
            }
        }
        _ = try await fixture.ending("new")
        #expect(try await fixture.gateway.deniedSearches.list().count == 1_000)
        fixture.clock.advance(by: .seconds(3_600))
        _ = try await fixture.ending("newer")
        let kept = try await fixture.gateway.store.read { try $0.count(Query(StoredDeniedSearch.collection)) }
        #expect(kept == 1)
    }

    @Test("an imported recent search with the greatest place does not prevent others from being added")
    func greatestPlace() async throws {
        let fixture = try await SearchFixture()
        let imported = StoredRecentSearch(
            try #require(try SearchText("imported")), for: "test_people", place: .max,
            searchedAt: Timestamp(milliseconds: 0))
        try await fixture.gateway.store.write { try $0.put(imported) }
        _ = try await fixture.people("user-1")
        let recent = try await fixture.gateway.recentSearches.list().map(\.text)
        #expect(Set(recent) == ["imported", "user-1"])
    }

    @Test(
        "recent searches come newest first, repeated ones move to the top, up to the setting")
    func recent() async throws {
        var settings = SearchSettings()
        settings.recentMax = 3
        let fixture = try await SearchFixture(settings: settings)
        let recent = fixture.gateway.recentSearches
        for text in ["user-1", "user-2", "user-3", " USER-1 ", "nobody"] {
            _ = try await fixture.ending(text)
        }
        #expect(try await recent.list().map(\.text) == ["nobody", "USER-1", "user-3"])
        // Setting the clock back does not change the order.
        fixture.clock.set(Timestamp(milliseconds: 1))
        _ = try await fixture.ending("user-4")
        #expect(try await recent.list().map(\.text) == ["user-4", "nobody", "USER-1"])
        try await recent.remove("User-1")
        await #expect(throws: PatchbayError.self) { try await recent.remove("user-1") }
        #expect(try await recent.clear() == 2)
        #expect(try await recent.list().isEmpty)
    }

    @Test("invalid texts are not added to the recent searches, and a setting of 0 adds none")
    func notNoted() async throws {
        let fixture = try await SearchFixture()
        for text in [" ", String(repeating: "x", count: 257), "a\u{0}"] { _ = try await fixture.ending(text) }
        #expect(try await fixture.gateway.recentSearches.list().isEmpty)
        var settings = SearchSettings()
        settings.recentMax = 0
        let forgetful = try await SearchFixture(settings: settings)
        #expect(try await forgetful.ending("user-7") == "found source 7")
        #expect(try await forgetful.gateway.recentSearches.list().isEmpty)
    }

    @Test("beyond 1,000 searches the oldest results are deleted; rows stay")
    func searchesMax() async throws {
        let fixture = try await SearchFixture()
        _ = try await fixture.ending("user-7")
        try await fixture.gateway.store.write { writing in
            for number in 1...1_000 as ClosedRange<Int64> {
                try writing.put(
                    StoredSearch(
                        list: "list \(number)", fetchedAt: Timestamp(milliseconds: 1_800_000_000_000 + number)
                    ))
            }
        }
        _ = try await fixture.ending("user-8")
        #expect(try await fixture.ending("user-7", .localOnly) == "offline local 7")
        let lists = try await fixture.gateway.store.read { reading in
            (
                try reading.count(Query(StoredSearch.collection)),
                try reading.count(Query(StoredListPage.collection))
            )
        }
        #expect(lists == (1_000, 0))
    }
}
