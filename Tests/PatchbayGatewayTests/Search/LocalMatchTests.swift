import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Local matches")
struct LocalMatchTests {
    private static let people: [ScriptedFeed.Row] = [
        ScriptedFeed.Row(1, "Tomas", name: "Ada"), ScriptedFeed.Row(2, "zed", name: "tom tailor"),
        ScriptedFeed.Row(3, "tomsen", name: "Tom"),
        ScriptedFeed.Row(4, "Atom", name: "An Tom"), ScriptedFeed.Row(5, "ıstanbul", name: "Ömer Straße"),
        ScriptedFeed.Row(6, "x", name: "한국"),
        ScriptedFeed.Row(7, "gone-tom", name: "Tom Gone"),
        ScriptedFeed.Row(8, "y", name: "'; DROP TABLE users; --"),
        ScriptedFeed.Row(9, "z", name: "\u{1B}[31mRed"), ScriptedFeed.Row(10, "Ärger"),
    ]

    private func fixture() async throws -> SearchFixture {
        let fixture = try await SearchFixture(Self.people)
        try await fixture.gateway.put(Self.people)
        try await fixture.gateway.put(Self.people.filter { $0.id == 7 }) {
            $0.markGone(at: Timestamp(milliseconds: 0))
        }
        return fixture
    }

    @Test(
        "rows are found by the beginning of their handle or title, without duplicates",
        arguments: [
            ("tom", "1 3 2"), ("TOM ", "1 3 2"), ("tom t", "2"), ("o\u{308}MER STRASSE", "5"), ("ıst", "5"),
            ("ist", ""), ("\u{1112}\u{1161}\u{11ab}", "6"), ("'; drop", "8"), ("\u{1B}[31M", "9"), ("%", ""),
            ("_", ""), ("Ä", "10"), ("\u{10FFFF}", ""),
        ])
    func found(_ text: String, _ ids: String) async throws {
        let fixture = try await fixture()
        let found = try await fixture.ending(text, .localOnly)
        #expect(found == (ids.isEmpty ? "offline nothing" : "offline local \(ids)"))
        #expect(fixture.requests.isEmpty)
    }

    @Test("an edited name is found, but no longer the upstream one")
    func edited() async throws {
        let fixture = try await fixture()
        try await fixture.gateway.edit("zed", name: "Übermut")
        #expect(try await fixture.ending("übe", .localOnly) == "offline local 2")
        #expect(try await fixture.ending("tom t", .localOnly) == "offline nothing")
    }

    @Test("a name longer than an index entry is compared completely")
    func long() async throws {
        let fixture = try await SearchFixture([])
        let long = String(repeating: "é", count: 150)
        try await fixture.gateway.put(
            [(1, "a"), (2, "b")].map { ScriptedFeed.Row($0, "u\($0)", name: long + $1) })
        #expect(try await fixture.ending(long.uppercased() + "B", .localOnly) == "offline local 2")
        #expect(try await fixture.ending(long, .localOnly) == "offline local 1 2")
    }

    @Test("they replace a source that cannot be reached, and come first while it is queried")
    func unreachable() async throws {
        let fixture = try await fixture()
        let answers = try await fixture.people("tom")
        #expect(answers.map(\.outcome.word) == ["stored", "fresh"])
        #expect(answers.first?.value?.origin == .local)
        fixture.feed.answers.fail(with: PatchbayError(.offline, "no network"))
        #expect(try await fixture.ending("atom") == "offline local 4")
        let outcome = try await fixture.people("atom").last?.searchOutcome()
        #expect(
            outcome?.sentence(about: "people")
                == "The source could not be reached; only stored people were searched.")
        #expect(
            outcome?.sentence(about: "repositories")
                == "The source could not be reached; only stored repositories were searched.")
        let chosen = try await fixture.people("atom", .localOnly).last?.searchOutcome()
        #expect(
            chosen?.sentence(about: "people")
                == "Only stored people were searched; the source was not queried."
        )
        #expect(try await fixture.ending("nothing-begins-so") == "offline nothing")
        fixture.feed.answers.fail(
            with: PatchbayError(.offline, "the server answered 502", [.status(502)]))
        let unable = try await fixture.people("atom").last?.searchOutcome()
        #expect(unable?.word == "unavailable")
        #expect(
            unable?.sentence(about: "people") == "The source cannot search now. Please try again later.")
        fixture.feed.answers.fail(with: PatchbayError(.rateLimited, "wait"))
        let failed = try await fixture.people("zed").last
        #expect(failed?.searchOutcome()?.word == "failed: rate limited")
        #expect(failed?.searchOutcome()?.sentence(about: "people") == "The search failed.")
    }

    @Test("the source's last results take precedence over local matches")
    func sourceFirst() async throws {
        let fixture = try await fixture()
        #expect(try await fixture.ending("tom") == "found source 3 4 7")
        #expect(try await fixture.ending("tom", .localOnly) == "offline source 3 4 7")
    }

    @Test("matches are found by index, and only matching rows are read")
    func walks() async throws {
        let storage = VisitCountingStorage()
        let fixture = try await SearchFixture([], storage: storage)
        try await fixture.gateway.put(
            (1...5_000).map { ScriptedFeed.Row($0, "u\($0)", name: "Name \($0)") })
        for (text, count, visitsMax) in [
            ("name 499", 11, 20), ("name", 20, 30), ("u499", 11, 20), ("none", 0, 5),
        ] {
            let before = storage.visits
            let window = try await fixture.people(text, .localOnly).last?.value
            #expect(window?.items.count ?? 0 == count)
            #expect(storage.visits - before <= visitsMax, "\(text): \(storage.visits - before) rows")
            let begun = storage.visits
            #expect(try await fixture.gateway.matchingPeople(text, limit: 20).items.count == count)
            #expect(storage.visits - begun <= visitsMax, "\(text): \(storage.visits - begun) rows")
        }
    }

    @Test("stored rows are matched up to a limit, and reaching it is reported")
    func records() async throws {
        let gateway = try await fixture().gateway
        let all = try await gateway.matchingPeople(" TOM")
        #expect(all.items.map(\.id) == [1, 3, 2] && all.isComplete)
        let some = try await gateway.matchingPeople("tom", limit: 2)
        #expect(some.items.map(\.id) == [1, 3] && !some.isComplete)
        let none = try await gateway.matchingPeople(" ")
        #expect(none.items.isEmpty && none.isComplete)
        let error = await #expect(throws: PatchbayError.self) {
            try await gateway.matchingPeople(String(repeating: "a", count: 257))
        }
        #expect(error?.code == .invalidValue)
    }

    @Test("pages of local matches follow one another")
    func pages() async throws {
        let fixture = try await SearchFixture([])
        try await fixture.gateway.put(ScriptedFeed.people(1...45))
        var ids: [Int64] = []
        for page in 1...3 {
            let window = try await fixture.people("user", page: page, .localOnly).last?.value
            #expect(window?.items.count == (page < 3 ? 20 : 5) && window?.hasMore == (page < 3))
            ids += window?.items.map(\.id) ?? []
        }
        #expect(Set(ids).count == 45)
    }

    @Test("rows written without folded titles are found after the storage is opened again")
    func filled() async throws {
        let fixture = try await SearchFixture([])
        let people = try fixture.gateway.resource("people")
        try await fixture.gateway.store.write { writing in
            for row in ScriptedFeed.people(1...1_200) {
                let item = try ScriptedFeed.item(row, of: people, withDetails: true)
                // As another program writes it, without the gateway's own columns.
                try item.withRow { try writing.put($0, in: people.collection) }
            }
        }
        #expect(try await fixture.ending("user 119", .localOnly) == "offline nothing")
        let opened = try await fixture.gateway()
        #expect(try await opened.matchingPeople("User 119").items.count == 11)
    }

    @Test("without a search at the source, stored rows are searched, and the outcome says so")
    func withoutSearch() async throws {
        let fixture = try await ResourceFixture()
        let gateway = fixture.gateway, projects = try gateway.resource("projects")
        try await gateway.put(ScriptedFeed.projects(1...30), in: "projects")
        for policy in Policy.allCases {
            let answer = await gateway.search(projects, "octocat/p-2", limit: 5, policy: policy).ending
            #expect(answer.value?.items.map(\.id) == [2, 20, 21, 22, 23] && answer.value?.hasMore == true)
            #expect(
                answer.searchOutcome()?.sentence(about: projects.plural)
                    == "Only stored projects were searched; the source was not queried.")
        }
        #expect(fixture.requests.isEmpty)
        #expect(try await gateway.recentSearches.list().map(\.collection) == ["test_projects"])
        #expect(try await gateway.matches(projects, "OCTOCAT/P-3").items.map(\.id) == [3, 30])
    }

    @Test("a row without a handle is called by its key, with slashes between the fields")
    func called() async throws {
        let fixture = try await ResourceFixture()
        let gateway = fixture.gateway, changes = try gateway.resource("changes")
        try await gateway.put(ScriptedFeed.changes(1, of: 77), in: "changes")
        let change = try #require(try await gateway.stored("changes").first)
        #expect(change.handle == "77/" + String(repeating: "0", count: 39) + "1")
        #expect(try await gateway.details(of: changes).present(change.handle, isConditional: true) == change)
        _ = try await gateway.addFavourite(changes, change.handle)
        #expect(try await gateway.favourites().map(\.handle) == [change.handle])
        #expect(fixture.requests.isEmpty)
    }

    @Test("rows without a handle are found by the beginning of any field of their key")
    func byKey() async throws {
        let gateway = try await ResourceFixture().gateway, changes = try gateway.resource("changes")
        try await gateway.put(
            ScriptedFeed.changes(3, of: 77) + ScriptedFeed.changes(1, of: 8), in: "changes")
        let sha = String(repeating: "0", count: 39)
        #expect(try await gateway.matches(changes, "7").items.count == 3)
        #expect(try await gateway.matches(changes, sha + "3").items.map(\.handle) == ["77/\(sha)3"])
        #expect(try await gateway.matches(changes, "000", limit: 2).isComplete == false)
    }
}

extension ScriptedFeed.Row {
    fileprivate init(_ id: Int64, _ login: String, name: String? = nil) {
        self = ["id": .integer(id), "login": .text(login)]
        self["name"] = name.map { .text($0) }
    }
}
