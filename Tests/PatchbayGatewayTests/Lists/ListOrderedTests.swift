import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Listing rows in order")
struct ListOrderedTests {
    @Test("with an empty storage the source is queried and there is one answer")
    func firstList() async throws {
        let fixture = try await ResourceFixture()
        let answers = try await fixture.list()
        #expect(answers.map(\.outcome.word) == ["fresh"])
        #expect(answers[0].value?.ids == Array(1...20))
        #expect(answers[0].value?.next == 20)
        #expect(fixture.requests == ["people after 0"])
    }

    @Test("stored rows are returned at once with their age, then confirmed by the source")
    func secondList() async throws {
        let fixture = try await ResourceFixture()
        _ = try await fixture.list()
        fixture.clock.advance(by: .seconds(90))
        let answers = try await fixture.list()
        #expect(answers.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(answers.map(\.age) == [.seconds(90), .zero])
        #expect(fixture.requests.last == "people after 0 if changed")
    }

    @Test("a stretch of several pages is confirmed page by page")
    func severalPages() async throws {
        let fixture = try await ResourceFixture()
        _ = try await fixture.list(limit: 50)
        #expect(fixture.requests.count == 3)
        let answers = try await fixture.list(limit: 50)
        #expect(answers.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(
            fixture.requests.dropFirst(3)
                == ["people after 0 if changed", "people next 20 if changed", "people next 40 if changed"])
    }

    @Test("a list ends at its last row when the page after it was empty")
    func emptyLastPage() async throws {
        let fixture = try await ResourceFixture(people: 1...41)
        _ = try await fixture.list(limit: 40)
        fixture.feed.change("people") { $0.removeLast() }
        #expect(try await fixture.list(after: 40).last?.value?.items.isEmpty == true)
        let list = try await fixture.list(limit: 50, .localOnly).last?.value
        #expect(list?.ids == Array(1...40) && list?.state == .endOfSource && list?.next == nil)
    }

    @Test("stored people after the stretch do not replace missing ones in it")
    func rowsBehind() async throws {
        let fixture = try await ResourceFixture(people: 1...50, pageSize: 5)
        for id in 41...50 { try await fixture.show("user-\(id)") }
        let answers = try await fixture.list(limit: 10)
        #expect(answers.last?.value?.ids == Array(1...10))
    }

    @Test(
        "every policy returns at most two answers, of which only the last is an ending",
        arguments: Policy.allCases)
    func endings(_ policy: Policy) async throws {
        let fixture = try await ResourceFixture()
        for _ in 0..<2 {
            let answers = try await fixture.list(policy)
            #expect((1...2).contains(answers.count))
            #expect(answers.filter(\.outcome.isEnding).count == 1)
            #expect(answers.last?.outcome.isEnding == true)
        }
    }

    @Test("a row that cannot be stored is an invalid answer of the source, and the message names it")
    func unstorable() async throws {
        let fixture = try await ResourceFixture(people: 1...3)
        let login = String(repeating: "x", count: 500)
        fixture.feed.change("people") { $0[1]["login"] = .text(login) }
        let answers = try await fixture.list()
        #expect(answers.map(\.outcome.word) == ["failed: invalid response"])
        let message = answers[0].outcome.error?.message ?? ""
        #expect(
            message.hasPrefix("the person \"\(login.prefix(100))\" cannot be stored: the key of test_people.")
        )
        #expect(message.contains("the limit is 480; the definition can cut texts (\"text:400\"), except in"))
        #expect(try await fixture.stored().isEmpty)
    }

    @Test("local-only never queries the source")
    func localOnly() async throws {
        let fixture = try await ResourceFixture()
        #expect(try await fixture.list(.localOnly).map(\.outcome.word) == ["local only"])
        #expect(fixture.requests.isEmpty)
    }

    @Test("refresh sends unconditional requests")
    func refresh() async throws {
        let fixture = try await ResourceFixture()
        _ = try await fixture.list()
        #expect(try await fixture.list(.refresh).map(\.outcome.word) == ["fresh"])
        #expect(fixture.requests == ["people after 0", "people after 0"])
    }

    @Test("when the source fails, stored rows are returned with the error")
    func failure() async throws {
        let fixture = try await ResourceFixture()
        _ = try await fixture.list()
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        let answers = try await fixture.list()
        #expect(answers.map(\.outcome.word) == ["stored", "failed: offline"])
        #expect(answers.last?.value?.items.count == 20)
        let nothing = try await fixture.list(after: 900)
        #expect(nothing.map(\.outcome.word) == ["failed: offline"])
        #expect(nothing[0].value == nil)
    }

    @Test("a stretch across two pages refreshes or fetches both")
    func windowsAcrossPages() async throws {
        let fixture = try await ResourceFixture()
        _ = try await fixture.list()
        let answers = try await fixture.list(after: 15, limit: 10)
        #expect(answers.last?.value?.ids == Array(16...25))
        #expect(fixture.requests == ["people after 0", "people after 0 if changed", "people next 20"])
    }

    @Test("entering an unknown part of the list requests the page after that id")
    func jump() async throws {
        let fixture = try await ResourceFixture(people: 1...500)
        #expect(
            try await fixture.list(after: 250, limit: 5).last?.value?.ids == [
                251, 252, 253, 254, 255,
            ])
        #expect(fixture.requests == ["people after 250"])
    }

    @Test(
        "at the end of the list there are fewer rows and no next value, and new rows are found later",
        arguments: [1, 19, 20, 21, 50] as [Int64])
    func endOfList(_ count: Int64) async throws {
        let fixture = try await ResourceFixture(people: 1...count)
        let answer = try await fixture.list(limit: 100).last
        #expect(answer?.value?.items.count == Int(count))
        #expect(answer?.value?.next == nil)
        fixture.feed.change("people") { $0 += ScriptedFeed.people(count + 1...count + 3) }
        #expect(
            try await fixture.list(after: count, limit: 100).last?.value?.ids == [
                count + 1, count + 2, count + 3,
            ])
    }

    @Test("a row that the source no longer lists is hidden until it is listed again")
    func gone() async throws {
        let fixture = try await ResourceFixture()
        _ = try await fixture.list()
        let seven = ScriptedFeed.people(7...7)
        fixture.feed.change("people") { $0.removeAll { $0.id == 7 } }
        #expect(try await fixture.list().last?.value?.ids.contains(7) == false)
        #expect(try await fixture.stored().filter { $0.state.goneAt != nil }.map(\.id) == [7])
        fixture.feed.change("people") { $0 += seven }
        #expect(try await fixture.list().last?.value?.ids.contains(7) == true)
    }

    @Test("a row in a list does not clear its stored detail or its edited name")
    func listKeepsDetail() async throws {
        let fixture = try await ResourceFixture()
        try await fixture.show("user-3")
        try await fixture.gateway.edit("user-3", name: "Edited")
        let person = try await fixture.list().last?.value?.items.first { $0.id == 3 }
        #expect(person?["name"] == .text("User 3") && person?.integer("followers") == 3)
        #expect(person?.name == "Edited")
    }

    @Test("a page that does not continue after the previous one is refused")
    func standstill() async throws {
        let fixture = try await ResourceFixture { _ in OnePage(ids: [1, 2], next: "again") }
        let answers = try await fixture.list(limit: 5)
        #expect(answers.map(\.outcome.word) == ["failed: invalid response"])
        #expect(answers[0].value?.items.count == 2)
    }

    /// Always returns the same page.
    private struct OnePage: PageFeed {
        let ids: [Int64]
        let next: String

        func page(
            _ request: ItemRequest, ifChangedFrom validator: Validator
        ) async throws -> Fetched<ItemPage> {
            let resource = request.question.resource
            let items = try ScriptedFeed.people(ids).map { try ScriptedFeed.item($0, of: resource) }
            return .changed(ItemPage(items, next: next), Validator())
        }
    }

    @Test("a page whose rows are not in order is refused, and none of them is stored")
    func disorder() async throws {
        let fixture = try await ResourceFixture { _ in OnePage(ids: [1, 9, 3], next: "3") }
        #expect(try await fixture.list().map(\.outcome.word) == ["failed: invalid response"])
        #expect(try await fixture.stored().isEmpty)
    }

    @Test("a next page whose link is foreign, expired or refused for another cause is requested by value")
    func foreignLink() async throws {
        for cause in [ForeignLink(), VoidCursor(), CancellationError()] as [any Error & Sendable] {
            let fixture = try await ResourceFixture { RefusingFeed($0, ["20"], cause) }
            #expect(try await fixture.list(limit: 40).last?.value?.ids == Array(1...40))
            #expect(fixture.requests == ["people after 0", "people after 20"])
        }
    }

    @Test("a source without resources is an error")
    func unsupported() async throws {
        var source = Source(name: "empty")
        source.resources = ScriptedFeed.declarations
        let gateway = try await Gateway(
            storage: MemoryStorage(), source: source, now: { Timestamp(milliseconds: 0) })
        #expect(try await gateway.listPeople().all.map(\.outcome.word) == ["failed: unsupported"])
    }

    @Test("a closed source is reported as offline")
    func closed() async throws {
        var source = Source(name: "closed")
        source.candidates = [SourceResources(word: "source", ScriptedFeed.declarations)]
        source.isClosed = true
        let gateway = try await Gateway(
            storage: MemoryStorage(), source: source, now: { Timestamp(milliseconds: 0) })
        #expect(try await gateway.listPeople().all.map(\.outcome.word) == ["failed: offline"])
    }
}

extension ResourceFixture {
    fileprivate func list(_ policy: Policy) async throws -> [Answer<ItemList>] {
        try await list(after: 0, limit: 20, policy)
    }
}
