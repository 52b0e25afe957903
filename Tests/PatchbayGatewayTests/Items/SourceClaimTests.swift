import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("A storage contains rows of one server for each API")
struct SourceClaimTests {
    private let storage = MemoryStorage()

    /// A gateway over the same storage, with a source of the given server.
    private func fixture(_ word: String, at server: String?) async throws -> ItemsFixture {
        try await ItemsFixture(in: storage) { ($0.word, $0.server) = (word, server) }
    }

    /// The same, with lists and searches.
    private func lists(_ word: String, at server: String?) async throws -> ResourceFixture {
        try await ResourceFixture(storage: storage, changing: { ($0.word, $0.server) = (word, server) })
    }

    private func server(_ gateway: Gateway, of word: String) async throws -> String?? {
        try await gateway.store.read { try $0.get(StoredAPI.self, .text(word)) }.map(\.server)
    }

    private func server(_ fixture: ItemsFixture, of word: String) async throws -> String?? {
        try await server(fixture.gateway, of: word)
    }

    private func error(_ sync: Sync) async -> PatchbayError? {
        if case .failed(let error) = await sync.run().0 { error } else { nil }
    }

    private func error<Value>(_ answers: Answers<Value>) async -> PatchbayError? {
        let ending = await answers.ending
        guard case .failed(let error) = ending.outcome, ending.value == nil else { return nil }
        return error
    }

    @Test("a source of another server sends no request and changes nothing")
    func refused() async throws {
        _ = await (try fixture("github", at: nil)).show("person-1")
        let revision = try await storage.revision()
        let other = try await fixture("github", at: "ghe.example.org")
        let gateway = other.gateway, people = other.people
        var errors = [
            await error(gateway.show(people, "person-2")),
            await error(gateway.show(people, "person-2", policy: .refresh)),
            await error(gateway.picture(people, "person-2")),
        ]
        errors.append(
            await #expect(throws: PatchbayError.self) { try await gateway.refresh(people, ["person-1"]) })
        for error in errors {
            #expect(error?.code == .conflict)
            #expect(error?.message.contains("rows of \"github\"") == true)
            #expect(
                error?.message.contains("another storage for \"github at ghe.example.org\"") == true)
        }
        #expect(other.feed.requests == [])
        #expect(try await storage.revision() == revision)
    }

    @Test("no list, search or sync of another server's source sends a request or changes anything")
    func refusedLists() async throws {
        _ = try await lists("github", at: nil).list()
        let revision = try await storage.revision()
        let fixture = try await lists("github", at: "ghe.example.org"), other = fixture.gateway
        let people = try other.resource("people"), projects = try other.projects()
        let changes = try other.changes(of: "octocat/p-1")
        var errors = [
            await error(try other.listPeople()), await error(try other.listPeople(policy: .refresh)),
            await error(try other.listPeople(policy: .remoteFirst)),
            await error(other.show(people, "user-1")),
            await error(try other.show("projects", "octocat/p-1")),
            await error(other.list(projects)), await error(other.list(changes)),
            await error(other.search(people, "user")), await error(try other.syncPeople()),
            await error(try other.syncPeople(details: true)), await error(other.sync(projects)),
            await error(other.sync(changes)),
        ]
        errors.append(
            await #expect(throws: PatchbayError.self) { try await other.initialize(other.people()) })
        errors.append(
            await #expect(throws: PatchbayError.self) { try await other.refresh(people, ["user-1"]) })
        errors.append(await #expect(throws: PatchbayError.self) { try await other.syncPeople().plan() })
        errors.append(try await other.peopleWindow(size: 5).jump(to: .at(ListPosition(25))).error)
        for (number, error) in errors.enumerated() {
            #expect(error?.code == .conflict, "\(number)")
            #expect(error?.message.contains("rows of \"github\"") == true, "\(number)")
        }
        #expect(fixture.requests == [])
        #expect(try await storage.revision() == revision)
        #expect(try await other.listPeople(policy: .localOnly).ending.value?.items.count == 20)
    }

    @Test("a source with another word can share the storage")
    func otherWord() async throws {
        let first = try await fixture("github", at: nil),
            second = try await fixture("work", at: "ghe.example.org")
        #expect(await first.show("person-1").last?.outcome.word == "fresh")
        #expect(await second.show("person-1").last?.outcome.word == "fresh")
        #expect(second.people.collection.name == "work_people")
        #expect(try await server(first, of: "work") == "ghe.example.org")
        #expect(try await first.gateway.clear(first.people).rows == 1)
        #expect(try await second.stored().count == 1)
        #expect(try await server(second, of: "github") == nil as String??)
        #expect(try await server(second, of: "work") == "ghe.example.org")
    }

    @Test("stored rows can be read and edited with a source of another server")
    func readOffline() async throws {
        _ = await (try fixture("github", at: nil)).show("person-3")
        let other = try await fixture("github", at: "ghe.example.org")
        #expect(await other.show("person-3", .localOnly).last?.value?.id == 3)
        #expect(try await other.gateway.edit(other.people, "person-3", "name", to: "Mine").hasChanged)
    }

    @Test("the same server with another name, recording or network path can use the storage")
    func sameServer() async throws {
        _ = await (try fixture("github", at: "ghe.example.org")).show("person-1")
        let again = try await ItemsFixture(in: storage) { source in
            (source.word, source.server) = ("github", "ghe.example.org")
            source.name = "127.0.0.1, recorded in a.har"
        }
        #expect(await again.show("person-2").last?.outcome.word == "fresh")
        #expect(try await server(again, of: "github") == "ghe.example.org")
    }

    @Test("servers are compared byte by byte")
    func bytes() async throws {
        _ = await (try fixture("github", at: "caf\u{E9}")).show("person-1")
        let other = try await fixture("github", at: "cafe\u{301}")
        #expect(await error(other.gateway.show(other.people, "person-2"))?.code == .conflict)
    }

    @Test("a failed request does not claim the storage")
    func failed() async throws {
        let first = try await fixture("github", at: nil)
        first.feed.fail(with: PatchbayError(.offline, "no network"))
        #expect(await first.show("person-1").last?.outcome.word == "failed: offline")
        #expect(try await server(first, of: "github") == nil as String??)
        let other = try await fixture("github", at: "ghe.example.org")
        #expect(await other.show("person-1").last?.outcome.word == "fresh")
    }

    @Test("a failed list, sync or search does not claim the storage")
    func failedLists() async throws {
        let first = try await lists("github", at: nil), gateway = first.gateway
        first.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        #expect(try await first.list().last?.outcome.word == "failed: offline")
        #expect(await error(try gateway.syncPeople())?.code == .offline)
        let found = try await gateway.search(gateway.resource("people"), "user").ending
        #expect(found.outcome.word == "failed: offline")
        #expect(try await server(gateway, of: "github") == nil as String??)
        let other = try await lists("github", at: "ghe.example.org")
        #expect(try await other.list().last?.outcome.word == "fresh")
    }

    @Test("if two sources are queried at the same time, the second one to save is refused")
    func overtaken() async throws {
        let first = try await fixture("github", at: nil)
        let second = try await fixture("github", at: "ghe.example.org")
        second.feed.interrupt { _ = await first.show("person-1") }
        #expect(await second.show("person-2").last?.outcome.word == "failed: conflict")
        #expect(try await server(second, of: "github") == .some(nil))
        #expect(try await second.stored().map(\.id) == [1])
    }

    @Test("clearing everything, including favourites and kept edits, releases the storage")
    func cleared() async throws {
        let first = try await fixture("github", at: nil), gateway = first.gateway, people = first.people
        let second = try await fixture("github", at: "ghe.example.org")
        _ = await first.show("person-3")
        _ = await first.show("person-4")
        try await gateway.addFavourite(people, "person-3")
        try await gateway.clear(people)
        #expect(await error(second.gateway.show(second.people, "person-1"))?.code == .conflict)
        try await gateway.removeFavourite(people, "person-3")
        _ = await first.show("person-4")
        try await first.edit("person-4", "Mine")
        try await gateway.clear(people, keepingEdits: true)
        #expect(try await server(first, of: "github") == .some(nil))
        try await gateway.clear(people)
        #expect(try await server(first, of: "github") == nil as String??)
        #expect(await second.show("person-1").last?.outcome.word == "fresh")
        #expect(try await server(second, of: "github") == "ghe.example.org")
    }

    @Test("rows of another resource keep the claim of their server")
    func otherRows() async throws {
        let first = try await fixture("github", at: nil)
        let notes = try first.gateway.resource("notes")
        _ = await first.show("person-1")
        let note = try Item(encoding: Note(person: 1, text: "a"), of: notes)
        _ = try await first.gateway.store.write {
            try $0.save([note], of: notes, at: Timestamp(milliseconds: 0), from: nil)
        }
        try await first.gateway.clear(first.people)
        #expect(try await server(first, of: "github") == .some(nil))
        try await first.gateway.clear(notes)
        #expect(try await server(first, of: "github") == nil as String??)
    }

    @Test("a source without a feed is not checked")
    func closed() async throws {
        _ = await (try fixture("github", at: nil)).show("person-1")
        let closed = try await ItemsFixture(in: storage) { source in
            (source.word, source.server, source.feed) = ("github", "ghe.example.org", nil)
        }
        #expect(await closed.show("person-1").map(\.outcome.word) == ["stored", "failed: unsupported"])
        #expect(try await server(closed, of: "github") == .some(nil))
    }
}
