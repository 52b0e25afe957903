import Patchbay
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("Words of stored rows", .mayBlock, .searchesWait, .timeLimit(.minutes(10)))
struct FindTests {
    private static let rows =
        FindFixture.ferries + [
            TextRow(id: 6, title: "", body: nil),
            TextRow(id: 7, title: "ferries", body: "Überfahrt ÉTÉ ﬁn 日本語"),
            TextRow(resource: "chats", id: 2, body: "ferryman"),
        ]

    private static let searches = [
        "ferry", "crash ferry", "ferr*", "\"data race\"", "ferry -crash", "cafe", "été", "quotes", "between",
        "運休です", "\"the ferry\" return*", "a_b 100",
    ]

    @Test("are found in the same order in every storage", arguments: StoragePlaces.all)
    func same(_ storage: String) async throws {
        let fixture = try await FindFixture(storage)
        try await fixture.put(Self.rows)
        let index = try await TextIndex([fixture.gateway])
        var answers: [[String]] = []
        for search in Self.searches { answers.append(try await fixture.found(search, index)) }
        let expected: [[String]] = [
            ["posts 1", "posts 3", "chats a%2Fb/3", "chats a%2Fb/2"], ["posts 1", "posts 3"],
            ["posts 7", "posts 1", "posts 3", "chats a%2Fb/3", "chats a%2Fb/2"], ["posts 1"],
            ["chats a%2Fb/3", "chats a%2Fb/2"], ["posts 2"], ["posts 7"], ["posts 4"], ["posts 4"],
            ["chats a%2Fb/1"], ["posts 3"], ["posts 4"],
        ]
        #expect(answers.map { Set($0) } == expected.map { Set($0) })
        let digest = TextDigest(of: "\(answers)").description
        #expect(digest == "577ae70c921cb952653112e97424e437", "the order of all answers: \(answers)")
        #expect(try await index.verify { _ in }.isEmpty)
        try await fixture.gateway.close()
    }

    @Test(
        "of edits are found instead of those of the source, until they are reverted",
        arguments: StoragePlaces.all)
    func edits(_ storage: String) async throws {
        let fixture = try await FindFixture(storage)
        try await fixture.put(Self.rows)
        let index = try await TextIndex([fixture.gateway])
        let posts = try fixture.posts
        #expect(try await fixture.found("timetable", index) == ["posts 3"])
        _ = try await fixture.gateway.edit(posts, "3", "title", to: "Schedule")
        #expect(try await fixture.found("timetable", index) == [])
        #expect(try await fixture.found("schedule", index) == ["posts 3"])
        try await fixture.put(TextRow(id: 3, title: "New timetable", body: "unchanged"))
        #expect(try await fixture.found("timetable", index) == [])
        #expect(try await fixture.found("unchanged", index) == ["posts 3"])
        _ = try await fixture.gateway.revert(posts, "3", "title")
        #expect(try await fixture.found("new timetable", index) == ["posts 3"])
        try await fixture.put(TextRow(id: 3, title: "New timetable", isGone: true))
        #expect(try await fixture.found("timetable", index) == [])
        try await fixture.put(TextRow(id: 3, title: "Listed again"))
        #expect(try await fixture.found("listed", index) == ["posts 3"])
        try await fixture.gateway.clear(posts)
        #expect(try await fixture.found("ferr*", index).allSatisfy { $0.hasPrefix("chats") })
        #expect(try await index.find("ferry", in: [posts]).empty == [posts])
        #expect(try await index.verify { _ in }.isEmpty)
        try await fixture.gateway.close()
    }

    @Test("are found in any JSON as they were meant, and the names of members are not")
    func json() async throws {
        let fixture = try await FindFixture()
        try await fixture.put([
            TextRow(
                id: 1, title: "object",
                labels:
                    #"{"k": "\u041a\u0440\u0430\u0439", "n": {"m": ["crash-\ncourse", 17.5, null, true]}}"#),
            TextRow(id: 2, title: "text", labels: #""line\nbreak \u00e9t\u00e9""#),
        ])
        let index = try await TextIndex([fixture.gateway])
        for (words, ids) in [
            ("край", [1]), ("course", [1]), ("17.5", [1]), ("break", [2]), ("été", [2]), ("k", []),
            ("u041a", []),
            ("ncourse", []), ("true", []),
        ] {
            #expect(try await fixture.found(words, index) == ids.map { "posts \($0)" }, "\(words)")
        }
    }

    @Test("are shown with their surroundings; long rows of other characters are cut")
    func excerpts() async throws {
        let fixture = try await FindFixture()
        try await fixture.put(
            TextRow(
                id: 1, title: "first  line\n\nferry\u{7}", body: String(repeating: "🐚", count: 500) + " ferry"
            ))
        let index = try await TextIndex([fixture.gateway])
        let row = try #require(try await index.find("ferry line").rows.first)
        #expect(row.excerpt.parts == ["first ", "line", " ", "ferry", ""])
        let other = try #require(try await index.find("ferry -x", limit: 1).rows.first)
        #expect(other.excerpt.text.utf8.count < 1_000)
    }

    @Test("are searched only in chosen resources; others are refused")
    func resources() async throws {
        let fixture = try await FindFixture()
        try await fixture.put(Self.rows)
        let index = try await TextIndex([fixture.gateway])
        let chats = try fixture.gateway.resource("chats")
        let found = try await index.find("ferry", in: [chats])
        #expect(found.rows.map(\.item.keyText) == ["a%2Fb/2", "a%2Fb/3"] && found.count == 2)
        #expect(found.reason == "never synced to the end: chats" && !found.isOutdated)
        let short = try await index.find("日本 -x")
        let reason =
            "words with fewer than three characters are not found in chats without a longer one: \"日本\""
        #expect(short.reason == reason)
        let other = try await FindFixture()
        await #expect(throws: PatchbayError.self) { try await index.find("a", in: [other.posts]) }
    }

    @Test("that are too short for an index of three characters narrow a search by a longer one")
    func short() async throws {
        let fixture = try await FindFixture()
        let texts = ["内存数据竞争", "数据竞争", "go crash", "rust crash", "GÖ Crash"]
        try await fixture.put(texts.enumerated().map { TextRow(resource: "chats", id: Int64($0), body: $1) })
        let index = try await TextIndex([fixture.gateway])
        for (search, places) in [
            ("数据竞争 内存", [0]), ("数据竞争 -内存", [1]), ("crash go", [2]), ("crash -go", [3, 4]),
            ("crash gö -x", [4]), ("crash \"t \"", [3]), ("内存", []), ("go -rust", []),
        ] {
            let found = try await index.find(search)
            let keys = found.rows.map(\.item.keyText).sorted()
            #expect(keys == places.map { "a%2Fb/\($0)" } && found.count == places.count, "\(search)")
            let isShort = found.reason?.contains("fewer than three characters") == true
            #expect(isShort == places.isEmpty, "\(search)")
        }
    }

    @Test(
        "are found however Unicode writes them",
        arguments: [
            ("Ελλάδα", "Ελλα\u{301}δα"), ("ёлка", "е\u{308}лка"), ("한국어", "\u{1112}\u{1161}\u{11AB}국어"),
            ("ガイド", "カ\u{3099}イト\u{3099}"), ("Café", "Cafe\u{301}"),
        ])
    func composed(_ composed: String, _ decomposed: String) async throws {
        let fixture = try await FindFixture()
        try await fixture.put(
            ["posts", "chats"].flatMap { resource in
                [composed, decomposed].enumerated().map {
                    TextRow(resource: resource, id: Int64($0), body: "x \($1) y")
                }
            })
        let index = try await TextIndex([fixture.gateway])
        for word in [composed, decomposed] { #expect(try await index.find(word).count == 4, "\(word)") }
        #expect(try await index.verify { _ in }.isEmpty)
    }

    @Test("are ranked among the latest 30,000 if more match, and the answer says so")
    func many() async throws {
        let fixture = try await FindFixture()
        try await fixture.put((1...30_001).map { TextRow(id: $0, title: "common word \($0)") })
        let index = try await TextIndex([fixture.gateway])
        let cut = try await index.find("common", limit: 3)
        #expect(cut.count == 30_000 && cut.isCut && cut.rows.count == 3)
        #expect(cut.cut == "more than 30000 rows match; these are the best of the latest 30000")
        let all = try await index.find("common -1", limit: 3)
        #expect(all.count == 30_000 && !all.isCut)
    }
}
