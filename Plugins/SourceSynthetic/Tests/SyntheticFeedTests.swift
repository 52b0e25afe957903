import PatchbayCore
import PatchbayDomain
import SourceSynthetic
import Testing

@Suite("The synthetic source")
struct SyntheticFeedTests {
    private let users: Resource
    private let question: ListQuestion

    init() throws {
        users = try Resource(SyntheticFeed.users, api: SyntheticFeed.word)
        question = ListQuestion(users)
    }

    private func items(_ ids: ClosedRange<Int64>, _ feed: SyntheticFeed) throws -> [Item] {
        try ids.compactMap { try feed.item($0, of: users) }
    }

    private func page(_ feed: SyntheticFeed, after: Int64) async throws -> (ItemPage, Validator) {
        var request = ItemRequest(question)
        request.question.after = after
        guard
            case .changed(let page, let validator) = try await feed.page(request, ifChangedFrom: Validator())
        else { throw PatchbayError(.internalError, "nothing was requested before") }
        return (page, validator)
    }

    @Test("the same seed gives the same rows, and another seed other rows")
    func repeatable() throws {
        let rows = try items(1...500, SyntheticFeed(seed: 7, idMax: 500))
        #expect(try rows == items(1...500, SyntheticFeed(seed: 7, idMax: 1_000_000)))
        #expect(try rows != items(1...500, SyntheticFeed(seed: 8, idMax: 500)))
    }

    @Test("the rows of a seed stay the same from version to version")
    func pinned() throws {
        let item = try #require(try SyntheticFeed(seed: 1, idMax: 10).item(2, of: users))
        #expect(item.handle == "lukasz-2" && item.title == "Łukasz")
        #expect(item.text("node_id") == "U_x31z773tzzmy" && item.text("company") == "@mesh-labs")
        #expect(item["public_repos"] == .integer(65) && item["location"] == nil)
        #expect(item["updated_at"] == .time(Timestamp(milliseconds: 1_192_947_427_000)))
        // FNV-1a over all values of 2,000 ids.
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for item in try items(1...2_000, SyntheticFeed(seed: 5, idMax: 2_000, revision: 2)) {
            for field in users.fields {
                for byte in Array(text(item[field]).utf8) + [0xFF] {
                    digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3
                }
            }
        }
        #expect(digest == 223_270_926_157_605_093)
    }

    private func text(_ value: ItemValue?) -> String {
        if case .time(let time) = value { String(time.milliseconds) } else { value?.description ?? "null" }
    }

    @Test("pages lead to the end and contain each row once, without details")
    func pages() async throws {
        let feed = SyntheticFeed(idMax: 1_050)
        var request = ItemRequest(question), found: [Item] = [], pages = 0
        while case .changed(let page, _) = try await feed.page(request, ifChangedFrom: Validator()) {
            found += page.items
            pages += 1
            guard let next = page.next else { break }
            request.next = next
        }
        #expect(pages == 11)
        #expect(try found.map(\.key) == items(1...1_050, feed).map(\.key))
        let name = try #require(users.field(named: "name"))
        #expect(found.allSatisfy { !$0.known.contains(position: name.place) && $0[name] == nil })
    }

    @Test("the source has exactly the rows that it generates")
    func holding() throws {
        let feed = SyntheticFeed(seed: 3, idMax: 2_000)
        for id in -1...2_001 as ClosedRange<Int64> {
            #expect(try feed.holds(id) == (feed.item(id, of: users) != nil), "\(id)")
        }
    }

    @Test(
        "a page of a billion rows is as near as one of ten",
        arguments: [0, 10, 499_999_950, 999_999_990, 1_000_000_000])
    func jumps(_ start: Int64) async throws {
        let feed = SyntheticFeed(idMax: 1_000_000_000)
        let (page, _) = try await page(feed, after: start)
        let ids = page.items.compactMap(\.order)
        #expect(ids.count == page.items.count)
        #expect(ids.allSatisfy { $0 > start && $0 <= min(start + 100, feed.idMax) })
        #expect((page.next == nil) == (start + 100 >= feed.idMax))
        #expect(page.items.isEmpty == (start == feed.idMax))
    }

    @Test("each login finds its row in upper and lower case, and other logins find none")
    func logins() async throws {
        let feed = SyntheticFeed(idMax: 2_000)
        let rows = try items(1...2_000, feed)
        #expect(Set(rows.map { $0.handle.lowercased() }).count == rows.count)
        for row in rows.prefix(200) {
            let fetched = try await feed.item(row.handle.uppercased(), of: users, ifChangedFrom: Validator())
            guard case .changed(row, _) = fetched else {
                Issue.record("\(row.handle) leads elsewhere")
                continue
            }
        }
        for login in ["", "-", "nobody", "x-1", "-zzzzzzzzzzzzzzzzzz", "anna-" + String(2_001, radix: 36)] {
            await #expect(throws: PatchbayError.self, "\(login)") {
                try await feed.item(login, of: users, ifChangedFrom: Validator())
            }
        }
    }

    @Test("a list up to the greatest integer ends there", arguments: [0, 1, 99, 100, 101] as [Int64])
    func greatestID(_ before: Int64) async throws {
        let (page, _) = try await page(SyntheticFeed(idMax: .max), after: .max - before)
        #expect((page.next == nil) == (before <= SyntheticFeed.pageIDs))
        #expect(page.items.allSatisfy { ($0.order ?? 0) > .max - before })
    }

    @Test("a page is unchanged until the revision changes, and then about half of the details differ")
    func revisions() async throws {
        let first = SyntheticFeed(idMax: 4_000), second = SyntheticFeed(idMax: 4_000, revision: 1)
        let (_, validator) = try await page(first, after: 0)
        guard case .unchanged = try await first.page(ItemRequest(question), ifChangedFrom: validator),
            case .changed = try await second.page(ItemRequest(question), ifChangedFrom: validator)
        else {
            Issue.record("a validator is valid for its revision, and for no other")
            return
        }
        let changed = try (1...4_000 as ClosedRange<Int64>).count {
            try first.item($0, of: users) != second.item($0, of: users)
        }
        #expect((1_600...2_200).contains(changed))
    }

    @Test("lengths and absent values are distributed as on GitHub")
    func distributions() throws {
        let rows = try items(1...20_000, SyntheticFeed(idMax: 20_000))
        func share(_ has: (Item) -> Bool) -> Double { Double(rows.count(where: has)) / Double(rows.count) }
        #expect((0.92...0.95).contains(Double(rows.count) / 20_000))
        #expect((0.75...0.81).contains(share { $0["name"] != nil }))
        #expect((0.33...0.39).contains(share { $0["bio"] != nil }))
        #expect((0.05...0.07).contains(share { $0.text("type") == "Organization" }))
        #expect(rows.allSatisfy { (2...39).contains($0.handle.utf8.count) })
        #expect(share { $0.text("name")?.utf8.contains { $0 >= 0x80 } == true } > 0.3)
        let followers = rows.compactMap { $0.integer("followers") }.sorted()
        #expect((4...14).contains(followers[followers.count / 2]))
        #expect(followers[followers.count - 1] > 2_000)
    }
}
