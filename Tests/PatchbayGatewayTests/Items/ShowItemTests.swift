import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Showing a row")
struct ShowItemTests {
    @Test("a row that is not stored is fetched with its details")
    func first() async throws {
        let fixture = try await ItemsFixture()
        let answers = await fixture.show("person-5")
        #expect(answers.map(\.outcome.word) == ["fresh"])
        #expect(answers[0].value?.text("name") == "Person 5")
    }

    @Test("a stored row is returned at once with its age, then confirmed as unchanged")
    func second() async throws {
        let fixture = try await ItemsFixture()
        _ = await fixture.show("person-5")
        fixture.clock.advance(by: .seconds(3_600))
        let answers = await fixture.show("PERSON-5")
        #expect(answers.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(answers.map(\.age) == [.seconds(3_600), .zero])
        #expect(fixture.feed.requests == ["person person-5", "person PERSON-5 if changed since yesterday"])
    }

    @Test("details survive a list without them")
    func listed() async throws {
        let fixture = try await ItemsFixture()
        _ = await fixture.show("person-5")
        try await fixture.list([5])
        #expect(try await fixture.stored(5)?.text("name") == "Person 5")
        #expect(await fixture.show("person-5").map(\.outcome.word) == ["stored", "unchanged"])
    }

    @Test("a rename updates the same row")
    func rename() async throws {
        let fixture = try await ItemsFixture()
        _ = await fixture.show("person-5")
        fixture.feed.rename(5, to: "renamed", redirects: false)
        #expect(await fixture.show("renamed").last?.value?.id == 5)
        #expect(try await fixture.count(fixture.people.collection) == 1)
    }

    @Test("a row that cannot be stored is an invalid answer of the source")
    func unstorable() async throws {
        let fixture = try await ItemsFixture()
        fixture.feed.rename(5, to: String(repeating: "x", count: 500))
        #expect(await fixture.show("person-5").map(\.outcome.word) == ["failed: invalid response"])
        #expect(try await fixture.stored().isEmpty)
    }

    @Test("a row whose key cannot be stored is an invalid answer of the source")
    func unstorableKey() async throws {
        let fixture = try await ItemsFixture { shownByKey(&$0) }
        let error = await fault { try await fixture.list([5], [5: String(repeating: "x", count: 500)]) }
        #expect(error?.code == .invalidResponse)
        #expect(error?.message.contains("xxx\" cannot be stored: the key of test_people.") == true)
    }

    private func shownByKey(_ source: inout Source) {
        source.resources[0].key = ["handle"]
        source.resources[0].handle = HandleDeclaration("handle")
        source.resources[0].show = Template([.literal("/people/"), .parameter(.key)])
        source.resources.removeLast()
    }

    @Test(
        "a row is requested by its key as the source spells it", arguments: ["a/b", "a b", "100%", "a%2Fb"])
    func key(_ key: String) async throws {
        let fixture = try await ItemsFixture([Person(5, key)]) { shownByKey(&$0) }
        try await fixture.list([5], [5: key])
        #expect(await fixture.show(key).map(\.outcome.word) == ["stored", "fresh"])
        #expect(fixture.feed.requests == ["person \(key)"])
        #expect(try await fixture.stored().map(\.handle) == [key])
    }

    @Test("an answer with another key than the requested one is refused, and nothing is stored or marked")
    func otherKey() async throws {
        let fixture = try await ItemsFixture { shownByKey(&$0) }
        fixture.feed.redirect("person-5", to: "person-6")
        let first = await fixture.show("person-5")
        #expect(first.map(\.outcome.word) == ["failed: invalid response"])
        try await fixture.list([5])
        let answers = await fixture.show("person-5")
        #expect(answers.map(\.outcome.word) == ["stored", "failed: invalid response"])
        let refreshed = try await fixture.gateway.refresh(fixture.people, ["person-5"])
        let message = "the source returned the person \"person-6\" when \"person-5\" was requested"
        #expect(refreshed[0].error?.message == message)
        #expect(try await fixture.stored().map(\.handle) == ["person-5"])
        #expect(try await fixture.stored().allSatisfy { $0.state.goneAt == nil })
        #expect(await fixture.show("person-6").map(\.outcome.word) == ["fresh"])
        #expect(try await fixture.count(StoredFormerHandle.collection) == 0)
    }

    @Test("if two rows have the same handle, the one fetched last is shown")
    func sharedHandle() async throws {
        let fixture = try await ItemsFixture()
        _ = await fixture.show("person-5")
        fixture.clock.advance(by: .seconds(1))
        fixture.feed.change { $0.removeAll { $0.id == 5 } }
        fixture.feed.rename(6, to: "person-5", redirects: false)
        #expect(await fixture.show("person-5").last?.value?.id == 6)
        #expect(await fixture.show("person-5", .localOnly).last?.value?.id == 6)
    }

    @Test("a row that the source denies stays stored and listed, with the refusal")
    func gone() async throws {
        let fixture = try await ItemsFixture()
        _ = await fixture.show("person-5")
        fixture.feed.change { $0.removeAll { $0.id == 5 } }
        let answers = await fixture.show("person-5")
        #expect(answers.map(\.outcome.word) == ["stored", "failed: not found"])
        #expect(answers.last?.value?.state.refusal?.refusal == Refusal(.missing))
        #expect(answers.last?.value?.state.goneAt == nil)
        #expect(fixture.feed.requests.last == "person person-5 if changed since yesterday")
        _ = await fixture.show("person-5")
        #expect(fixture.feed.requests.last == "person person-5")
    }

    @Test("a handle in a case that the source lacks marks no row and is requested")
    func otherCase() async throws {
        let fixture = try await ItemsFixture {
            $0.resources[0].ignoresCase = false
            $0.resources[0].fresh = .seconds(60)
        }
        _ = await fixture.show("person-5")
        fixture.feed.redirect("person-5", to: "nobody")
        let answers = await fixture.show("PERSON-5")
        #expect(answers.map(\.outcome.word) == ["stored", "failed: not found"])
        #expect(answers.last?.value?.state.refusal == nil)
        #expect(fixture.feed.requests.last == "person PERSON-5 if changed")
        let details = try fixture.gateway.details(of: fixture.people)
        let error = await fault { _ = try await details.present("PERSON-5", isConditional: true) }
        #expect(error?.code == .notFound)
        #expect(try await fixture.stored(5)?.state.refusal == nil)
    }

    @Test("of two rows with the same handle, neither is marked when the source returns one of them")
    func namesakes() async throws {
        let fixture = try await ItemsFixture()
        try await fixture.list([5, 6], [6: "person-5"])
        fixture.clock.advance(by: .seconds(1))
        try await fixture.list([6], [6: "person-5"])
        #expect(await fixture.show("person-5").map { $0.value?.id } == [6, 5])
        #expect(try await fixture.stored().map(\.state.sourceState) == [nil, nil])
    }

    @Test("of two rows that exchanged their handles, the one without the requested one is missing")
    func exchanged() async throws {
        let fixture = try await ItemsFixture()
        try await fixture.list([5, 6])
        fixture.feed.rename(5, to: "person-x", redirects: false)
        fixture.feed.rename(6, to: "person-5", redirects: false)
        fixture.feed.rename(5, to: "person-6", redirects: false)
        #expect(await fixture.show("person-5").map { $0.value?.id } == [5, 6])
        #expect(try await fixture.stored().map(\.state.sourceState) == ["missing", nil])
        try await fixture.list([5, 6], [5: "person-6", 6: "person-5"])
        #expect(try await fixture.stored().map(\.state.sourceState) == [nil, nil])
    }

    @Test("a refusal is stored with its reason until the source returns the row again")
    func refused() async throws {
        let fixture = try await ItemsFixture()
        try await fixture.list(1...3)
        let blocked = Refusal(.blocked, reason: "dmca")
        fixture.feed.fail(with: PatchbayError(.permissionDenied, "barred", cause: blocked))
        #expect(await fixture.show("person-2").last?.value?.state.refusal?.refusal == blocked)
        try await fixture.list(1...3)
        #expect(try await fixture.stored(2)?.state.refusal?.refusal == blocked)
        fixture.feed.fail(with: nil)
        let shown = await fixture.show("person-2").last?.value
        #expect(shown?.state.refusal == nil && shown?.text("name") == "Person 2")
    }

    @Test(
        "a rate limit, lost credentials or a lost connection neither deletes nor marks a row",
        arguments: [PatchbayError.Code.rateLimited, .unauthorized, .offline])
    func limits(_ code: PatchbayError.Code) async throws {
        let fixture = try await ItemsFixture()
        _ = await fixture.show("person-5")
        fixture.feed.fail(with: PatchbayError(code, "not now"))
        let answer = await fixture.show("person-5").last
        #expect(answer?.value?.text("name") == "Person 5")
        #expect(answer?.value?.state.goneAt == nil && answer?.value?.state.refusal == nil)
    }

    @Test("a row that does not exist is reported as not found, and nothing is stored")
    func unknown() async throws {
        let fixture = try await ItemsFixture()
        let answers = await fixture.show("nobody")
        #expect(answers.map(\.outcome.word) == ["failed: not found"])
        #expect(answers[0].value == nil)
        #expect(try await fixture.stored().isEmpty)
    }

    @Test("a row younger than its declared freshness is not fetched again, except on request")
    func fresh() async throws {
        let fixture = try await ItemsFixture { $0.resources[0].fresh = .seconds(60) }
        try await fixture.list([5])
        #expect(await fixture.show("person-5").map(\.outcome.word) == ["stored", "fresh"])
        fixture.clock.advance(by: .seconds(59))
        #expect(await fixture.show("person-5").map(\.outcome.word) == ["local only"])
        #expect(await fixture.show("person-5", .remoteFirst).map(\.outcome.word) == ["unchanged"])
        fixture.clock.advance(by: .seconds(60))
        #expect(await fixture.show("person-5").map(\.outcome.word) == ["stored", "unchanged"])
        fixture.clock.advance(by: .seconds(-5))
        #expect(await fixture.show("person-5").map(\.outcome.word) == ["stored", "unchanged"])
    }

    @Test("without an address for single rows the stored row is the answer")
    func noAddress() async throws {
        let fixture = try await ItemsFixture { $0.resources[0].show = nil }
        try await fixture.list([5])
        #expect(await fixture.show("person-5").map(\.outcome.word) == ["local only"])
        #expect(fixture.feed.requests == [])
    }

    @Test("\"unchanged\" for a row that is not stored is an invalid response")
    func unasked() async throws {
        let fixture = try await ItemsFixture { $0.feed = UnchangedFeed() }
        #expect(await fixture.show("person-5").map(\.outcome.word) == ["failed: invalid response"])
    }
}

private struct UnchangedFeed: ResourceFeed {
    func page(_ request: ItemRequest, ifChangedFrom validator: Validator) -> Fetched<ItemPage> { .unchanged }
    func item(_ handle: String, of resource: Resource, ifChangedFrom validator: Validator) -> Fetched<Item> {
        .unchanged
    }
}
