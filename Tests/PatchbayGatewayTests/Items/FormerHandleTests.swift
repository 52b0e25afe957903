import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Renamed rows")
struct FormerHandleTests {
    private func id(
        _ fixture: ItemsFixture, _ handle: String, _ policy: Policy = .localOnly
    ) async -> Int64? {
        await fixture.show(handle, policy).last?.value?.id
    }

    @Test("a renamed row is found by both handles")
    func renamed() async throws {
        let fixture = try await ItemsFixture()
        fixture.feed.rename(2, to: "Mona")
        #expect(await id(fixture, "person-2", .localFirst) == 2)
        for handle in ["Mona", "PERSON-2"] { #expect(await id(fixture, handle) == 2) }
        #expect(await fixture.show("person-2").last?.outcome.word == "unchanged")
        #expect(fixture.feed.requests.last == "person person-2 if changed")
    }

    @Test("a row that the source returned for its key is found by this key, as by a former handle")
    func key() async throws {
        let fixture = try await ItemsFixture()
        fixture.feed.redirect("2", to: "person-2")
        #expect(await id(fixture, "2", .localFirst) == 2)
        #expect(await id(fixture, "2") == 2)
    }

    @Test("a row stored before its rename is found by both handles")
    func storedBefore() async throws {
        let fixture = try await ItemsFixture()
        #expect(await id(fixture, "person-2", .localFirst) == 2)
        fixture.feed.rename(2, to: "Mona")
        #expect(await fixture.show("person-2").last?.value?.handle == "Mona")
        for handle in ["person-2", "Mona"] { #expect(await id(fixture, handle) == 2) }
    }

    @Test("a row can be renamed back, and another row can take its former handle")
    func back() async throws {
        let fixture = try await ItemsFixture()
        fixture.feed.rename(2, to: "Mona")
        #expect(await id(fixture, "person-2", .localFirst) == 2)
        fixture.feed.rename(2, to: "person-2")
        #expect(await id(fixture, "Mona", .localFirst) == 2)
        for handle in ["person-2", "Mona"] { #expect(await id(fixture, handle) == 2) }
        fixture.feed.rename(2, to: "Mona")
        #expect(await id(fixture, "person-2", .localFirst) == 2)
        fixture.feed.rename(4, to: "person-2")
        #expect(await id(fixture, "person-2", .localFirst) == 4)
        #expect(await id(fixture, "person-2") == 4)
        #expect(await id(fixture, "Mona") == 2)
        #expect(try await fixture.stored().allSatisfy { $0.state.goneAt == nil })
    }

    @Test("a former handle that no longer redirects does not mark the row as refused")
    func lost() async throws {
        let fixture = try await ItemsFixture()
        fixture.feed.rename(2, to: "Mona")
        _ = await fixture.show("person-2")
        fixture.feed.redirect("person-2", to: nil)
        let answer = await fixture.show("person-2").last
        #expect(answer?.outcome.word == "failed: not found")
        #expect(answer?.value?.id == 2 && answer?.value?.state.refusal == nil)
    }

    @Test("a row is returned without a request for its current handle, but requested for a former one")
    func present() async throws {
        let fixture = try await ItemsFixture()
        let details = try fixture.gateway.details(of: fixture.people)
        fixture.feed.rename(2, to: "Mona")
        for _ in 0..<2 { #expect(try await details.present("person-2", isConditional: true).id == 2) }
        #expect(fixture.feed.requests == ["person person-2", "person person-2 if changed"])
        #expect(try await details.present("mona", isConditional: true).id == 2)
        #expect(fixture.feed.requests.count == 2)
    }

    @Test("the oldest former handles are deleted when there are too many; overlong ones are not stored")
    func limit() async throws {
        let fixture = try await ItemsFixture()
        _ = await fixture.show("person-1")
        let item = try #require(try await fixture.stored(1)), max = StoredFormerHandle.countMax
        try await fixture.gateway.store.write { writing in
            for number in 0..<max + 2 {
                try writing.note(
                    requested: "old-\(number)", found: item, at: Timestamp(milliseconds: Int64(number)))
            }
            try writing.note(
                requested: String(repeating: "x", count: 301), found: item, at: Timestamp(milliseconds: 1))
        }
        #expect(try await fixture.count(StoredFormerHandle.collection) == max)
        #expect(await id(fixture, "old-1") == nil)
        #expect(await id(fixture, "OLD-2") == 1)
    }
}
