import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Refreshing several rows")
struct RefreshItemsTests {
    @Test("50 rows are refreshed a few at a time, in the order of the request", arguments: [1, 8, 100])
    func concurrency(_ width: Int) async throws {
        let fixture = try await ItemsFixture()
        let handles = (1...50).reversed().map { "person-\($0)" }
        let refreshed = try await fixture.gateway.refresh(fixture.people, handles, concurrency: width)
        #expect(refreshed.map(\.handle) == handles)
        #expect(refreshed.allSatisfy { $0.error == nil && $0.item?.text("name") != nil })
        #expect(fixture.feed.most <= width && (width == 1 || fixture.feed.most > 1))
    }

    @Test("after a rate limit the remaining rows are not fetched and report the same error")
    func limit() async throws {
        let fixture = try await ItemsFixture()
        fixture.feed.fail(with: PatchbayError(.rateLimited, "not now"), afterAnswers: 5)
        let handles = (1...50).map { "person-\($0)" }
        let refreshed = try await fixture.gateway.refresh(fixture.people, handles, concurrency: 1)
        #expect(refreshed.prefix(5).allSatisfy { $0.error == nil })
        #expect(refreshed.dropFirst(5).allSatisfy { $0.error?.code == .rateLimited })
        #expect(fixture.feed.requests.count == 6)
    }

    @Test("the result for a row that the source denies contains the error and the stored row")
    func denied() async throws {
        let fixture = try await ItemsFixture()
        try await fixture.list([60])
        let refreshed = try await fixture.gateway.refresh(fixture.people, ["person-60", "person-1"])
        #expect(refreshed[0].error?.code == .notFound)
        #expect(refreshed[0].item?.state.refusal?.refusal.kind == .missing)
        #expect(refreshed[1].error == nil)
    }

    @Test(
        "when another row has taken a handle, the former owner is marked as missing and the new row is returned"
    )
    func takenHandle() async throws {
        let fixture = try await ItemsFixture()
        try await fixture.list(1...3)
        fixture.feed.change { people in
            people.removeAll { $0.id == 2 }
            people.append(Person(90, "person-2"))
        }
        let refreshed = try await fixture.gateway.refresh(fixture.people, ["person-2"])
        #expect(refreshed[0].item?.id == 90)
        #expect(try await fixture.stored().map(\.state.sourceState) == [nil, "missing", nil, nil])
    }

    @Test("cancelling the caller cancels all requests in flight")
    func cancelled() async throws {
        let waiting = WaitingFeed()
        let fixture = try await ItemsFixture { $0.feed = waiting }
        let (gateway, people) = (fixture.gateway, fixture.people)
        let handles = (1...50).map { "person-\($0)" }
        let task = Task { try await gateway.refresh(people, handles, concurrency: 7) }
        await waiting.isAsked(times: 7)
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(waiting.count == 7)
    }

    @Test("a cancelled task throws CancellationError, and saved rows stay")
    func saved() async throws {
        let fixture = try await ItemsFixture()
        let (asked, ask) = AsyncStream.makeStream(of: Void.self)
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let gateway = try await fixture.interrupted {
            if try await fixture.stored().isEmpty { return }
            ask.finish()
            for await _ in gate {}
        }
        let people = try gateway.resource("people")
        let task = Task {
            try await gateway.refresh(people, ["person-1", "person-2", "person-3"], concurrency: 1)
        }
        for await _ in asked {}
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        opening.finish()
        #expect(try await fixture.stored().contains { $0.id == 1 && $0.text("name") != nil })
        #expect(try await fixture.stored().allSatisfy { $0.id != 3 })
    }
}
