import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import Synchronization
import Testing

@Suite("The ages of answers from the storage", .timeLimit(.minutes(5)))
struct AnswerAgeTests {
    private static let picture = "https://example.org/1.png"
    private let clock = ManualClock()
    private let storage = MemoryStorage()
    private let heard = HeardAges()

    /// A gateway over the same storage, with a feed or without one.
    private func gateway(_ feed: ScriptedFeed? = ScriptedFeed(people: 1...3)) async throws -> Gateway {
        var source = ScriptedFeed().source()
        source.word = "test"
        source.resources[0].fields.append(FieldDeclaration("picture", .text))
        source.resources[0].picture = "picture"
        source.feed = feed
        source.pictures = OnePicture()
        return try await Gateway(storage: storage, source: source, served: heard.hear, now: clock.now)
    }

    @Test(
        "a listener is called for stored values, but not for those that the source just returned or confirmed"
    )
    func stored() async throws {
        let gateway = try await gateway()
        #expect(try await gateway.listPeople().all.map(\.outcome.word) == ["fresh"])
        #expect(heard.lines.isEmpty)
        clock.advance(by: .seconds(90))
        #expect(try await gateway.listPeople().all.map(\.outcome.word) == ["stored", "unchanged"])
        #expect(heard.lines == ["stored, 90.0 seconds"])
        clock.advance(by: .seconds(30))
        _ = try await gateway.listPeople(policy: .localOnly).ending
        #expect(heard.lines == ["stored, 90.0 seconds", "local only, 30.0 seconds"])
    }

    @Test("a listener is called for a failed request only if there is a stored value")
    func failed() async throws {
        _ = try await gateway().listPeople().ending
        clock.advance(by: .seconds(5))
        let offline = try await gateway(nil)
        let listed = try await offline.listPeople(policy: .remoteFirst).ending
        #expect(listed.outcome.word == "failed: unsupported")
        #expect(heard.lines == ["failed: unsupported, 5.0 seconds"])
        #expect(try await offline.show("people", "nobody").ending.outcome.word == "failed: unsupported")
        #expect(heard.lines.count == 1)
    }

    @Test("a value that was stored while the clock was ahead has no age")
    func clockAhead() async throws {
        let gateway = try await gateway()
        _ = try await gateway.listPeople().ending
        clock.set(Timestamp(milliseconds: clock.now().milliseconds - 86_400_000))
        let answer = try await gateway.listPeople(policy: .localOnly).ending
        #expect(answer.value?.items.count == 3 && answer.age == nil && heard.lines.isEmpty)
    }

    @Test("every use case that answers from the storage reports the age of its answer")
    func everywhere() async throws {
        let feed = ScriptedFeed(people: 1...1, projects: 1...1, changes: ScriptedFeed.changes(2, of: 1))
        feed.change("people") { $0[0]["picture"] = .text(Self.picture) }
        let gateway = try await gateway(feed), people = try gateway.resource("people")
        func ask(_ policy: Policy) async throws {
            _ = try await gateway.listPeople(policy: policy).ending
            _ = await gateway.show(people, "user-1", policy: policy).ending
            _ = await gateway.picture(people, "user-1", policy: policy).ending
            _ = try await gateway.listProjects(policy: policy).ending
            _ = try await gateway.show("projects", "octocat/p-1", policy: policy).ending
            _ = try await gateway.list("changes", "octocat/p-1", policy: policy).ending
            _ = await gateway.search(people, "user", policy: policy).ending
        }
        try await ask(.remoteFirst)
        #expect(heard.lines.isEmpty)
        clock.advance(by: .seconds(60))
        try await ask(.localOnly)
        #expect(heard.lines == Array(repeating: "local only, 60.0 seconds", count: 7))
        let children = try gateway.visibleChildren(gateway.resource("changes"))
        let projects = try await gateway.stored("projects")
        await children.show(projects)
        for await arrival in children.arrivals {
            #expect(arrival.answer.outcome.word == "local only")
            break
        }
        #expect(heard.lines.count == 8)
    }
}

/// Returns the same picture for every address.
private struct OnePicture: PictureSource {
    func picture(at url: String, ifChangedFrom validator: Validator) async throws -> Fetched<Picture> {
        .changed(Picture(bytes: [1], mediaType: "image/png"), Validator())
    }
}

/// Records the calls of a listener.
private final class HeardAges: Sendable {
    private let told = Mutex<[String]>([])

    var lines: [String] { told.withLock { $0 } }

    func hear(_ age: Duration, _ outcome: Outcome) {
        told.withLock { $0.append("\(outcome.word), \(age / .seconds(1)) seconds") }
    }
}
