import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Testing

@Suite("Answers", .timeLimit(.minutes(5)))
struct AnswersTests {
    @Test("a cancelled observer hears one ending, and the question is cancelled", arguments: [false, true])
    func cancelled(_ isStored: Bool) async throws {
        let waiting = WaitingUserSource()
        let storage = MemoryStorage(), clock = ManualClock()
        if isStored {
            let script = ScriptedSource(users: ScriptedUserSource.users(1...3))
            let gateway = try await Gateway(storage: storage, source: script.source, clock: clock.layerClock)
            _ = await gateway.listUsers().ending
        }
        let gateway = try await Gateway(
            storage: storage, source: Source(name: "scripted", users: waiting), clock: clock.layerClock)
        let observer = Task { await gateway.listUsers().all.map(\.outcome.word) }
        await waiting.isAsked()
        observer.cancel()
        #expect(await observer.value == (isStored ? ["stored"] : []) + ["failed: cancelled"])
        #expect(waiting.count == 1)
    }

    @Test("an observer that is cancelled between two answers asks nothing more, and hears the ending")
    func between() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.list()
        let observer = Task { [gateway = fixture.gateway] in
            var words: [String] = []
            for await answer in gateway.listUsers() {
                words.append(answer.outcome.word)
                withUnsafeCurrentTask { $0?.cancel() }
            }
            return words
        }
        #expect(await observer.value == ["stored", "failed: cancelled"])
        #expect(fixture.source.requests == ["users after 0"])
    }

    @Test("who stops asking after the first answer has asked the source nothing")
    func abandoned() async throws {
        let fixture = try await GatewayFixture()
        _ = await fixture.list()
        for await answer in fixture.gateway.listUsers() {
            #expect(answer.outcome.word == "stored")
            break
        }
        #expect(fixture.source.requests == ["users after 0"])
    }

    @Test("answers can be asked for again, and each time anew")
    func again() async throws {
        let fixture = try await GatewayFixture()
        let answers = fixture.gateway.listUsers()
        #expect(await answers.all.map(\.outcome.word) == ["fresh"])
        #expect(await answers.all.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(await answers.ending.outcome.word == "unchanged")
    }
}
