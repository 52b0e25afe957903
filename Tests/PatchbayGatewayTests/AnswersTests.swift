import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Answers", .timeLimit(.minutes(5)))
struct AnswersTests {
    @Test("a cancelled observer receives one ending, and the request is cancelled", arguments: [false, true])
    func cancelled(_ isStored: Bool) async throws {
        let waiting = WaitingFeed(), storage = MemoryStorage()
        if isStored {
            let fixture = try await ResourceFixture(people: 1...3, storage: storage)
            _ = try await fixture.list()
        }
        let gateway = try await ResourceFixture(storage: storage) { _ in waiting }.gateway
        let answers = try gateway.listPeople()
        let observer = Task { await answers.all.map(\.outcome.word) }
        await waiting.isAsked()
        observer.cancel()
        #expect(await observer.value == (isStored ? ["stored"] : []) + ["failed: cancelled"])
        #expect(waiting.count == 1)
    }

    @Test("an observer cancelled between two answers sends no more requests and receives the ending")
    func between() async throws {
        let fixture = try await ResourceFixture()
        _ = try await fixture.list()
        let answers = try fixture.gateway.listPeople()
        let observer = Task {
            var words: [String] = []
            for await answer in answers {
                words.append(answer.outcome.word)
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            }
            return words
        }
        #expect(await observer.value == ["stored", "failed: cancelled"])
        #expect(fixture.requests == ["people after 0"])
    }

    @Test("stopping after the first answer sends no request to the source")
    func abandoned() async throws {
        let fixture = try await ResourceFixture()
        _ = try await fixture.list()
        for await answer in try fixture.gateway.listPeople() {
            #expect(answer.outcome.word == "stored")
            break
        }
        #expect(fixture.requests == ["people after 0"])
    }

    @Test("answers can be iterated again, and each iteration starts over")
    func again() async throws {
        let fixture = try await ResourceFixture()
        let answers = try fixture.gateway.listPeople()
        #expect(await answers.all.map(\.outcome.word) == ["fresh"])
        #expect(await answers.all.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(await answers.ending.outcome.word == "unchanged")
    }
}
