import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayCore
@testable import PatchbayGateway

@Suite("The feed of changes")
struct ChangesTests {
    /// What a reader knows after applying the changes that it has read.
    private struct Reader {
        var rows: [String: [KeyText: Item]] = [:]
        var position: ChangePosition?
        /// The rows that the last reading returned.
        var seen: [String] = []

        mutating func read(_ gateway: Gateway, limit: Int) async throws {
            seen = []
            var page: Changes
            repeat {
                page = try await gateway.changes(since: position, limit: limit)
                #expect(page.changes.count <= limit)
                apply(page)
            } while page.hasMore
        }

        mutating func apply(_ page: Changes) {
            if page.restart != nil { rows = [:] }
            for change in page.changes {
                switch change {
                case .row(let item):
                    rows[item.resource.name, default: [:]][KeyText(item.key)] = item
                    seen.append(item.resource.name + " " + item.keyText)
                case .cleared(let resource, _): rows[resource.name] = nil
                }
            }
            // As a reader does that keeps the position as text.
            position = ChangePosition(page.position.description)
            #expect(position == page.position)
        }
    }

    private func stored(_ gateway: Gateway) async throws -> [String: [KeyText: Item]] {
        var rows: [String: [KeyText: Item]] = [:]
        for resource in gateway.resources {
            let items = try await gateway.store.read {
                try $0.items(Query(resource.collection), of: resource)
            }
            guard !items.isEmpty else { continue }
            rows[resource.name] = Dictionary(uniqueKeysWithValues: items.map { (KeyText($0.key), $0) })
        }
        return rows
    }

    @Test(
        "random changes reach a reader that reads pages of any size in between, each row once",
        arguments: [1, 2, 3, 4, 5, 6, 7, 8])
    func model(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try await ResourceFixture(people: 1...30, projects: 1...12), gateway = fixture.gateway
        var reader = Reader()
        for _ in 0..<40 {
            fixture.clock.advance(by: .seconds(60))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: _ = try await gateway.syncPeople().run()
            case 1:
                let gone = Int64.random(in: 1...30, using: &random)
                fixture.feed.change("people") { people in
                    people = ScriptedFeed.people(1...30)
                    people.removeAll { $0.id == gone }
                }
            case 2...3:
                guard let item = try await stored(gateway)["people"]?.values.randomElement(using: &random)
                else {
                    continue
                }
                try await gateway.edit(item.handle, name: "Name \(Int.random(in: 0..<9, using: &random))")
            case 4: if Bool.random(using: &random) { try await gateway.clearPeople() }
            default:
                try await reader.read(gateway, limit: Int.random(in: 1...20, using: &random))
                #expect(Set(reader.seen).count == reader.seen.count, "seed \(seed)")
            }
        }
        try await reader.read(gateway, limit: 7)
        let expected = try await stored(gateway)
        #expect(reader.rows == expected, "seed \(seed)")
        try await reader.read(gateway, limit: 7)
        #expect(reader.seen.isEmpty)
    }

    @Test("a limit above 10,000 changes is a programming error")
    func limit() async {
        await #expect(processExitsWith: .failure) {
            _ = try await ItemsFixture().gateway.changes(limit: Limits.pageRows + 1)
        }
    }

    @Test("rows change between two pages, and none is missed")
    func betweenPages() async throws {
        let fixture = try await ResourceFixture(people: 1...20), gateway = fixture.gateway
        _ = try await gateway.syncPeople().run()
        var reader = Reader(), count = 0
        while true {
            let page = try await gateway.changes(since: reader.position, limit: 3)
            reader.apply(page)
            count += 1
            if count < 5 { try await gateway.edit("user-\(count)", name: "Edit \(count)") }
            guard page.hasMore else { break }
        }
        let expected = try await stored(gateway)
        #expect(reader.rows == expected)
    }

    @Test("rows without a number come first, and once")
    func unnumbered() async throws {
        let fixture = try await ResourceFixture(people: 1...20), gateway = fixture.gateway
        _ = try await gateway.syncPeople().run()
        // As another program, or an earlier version, leaves them; one with a number that was never given.
        let people = try gateway.resource("people")
        try await gateway.store.write { writing in
            for (id, number) in [(7, nil), (8, nil), (9, Int64.min), (10, -1), (11, 0), (12, nil)] {
                let item = try #require(try writing.reading.item(.integer(Int64(id)), of: people))
                var packing = ItemPacking(item, over: item, state: item.state)
                packing.changeNumber = number
                var builder = RowBuilder()
                packing.write(to: &builder)
                if let number { builder.set(people.changeNumberPosition, number) }
                try writing.put(try builder.finish(), in: people.collection)
            }
        }
        let expected = try await stored(gateway)
        for limit in [1, 2, 5, 100] {
            var reader = Reader()
            try await reader.read(gateway, limit: limit)
            #expect(reader.seen.prefix(6).map { $0.suffix(2).trimmed } == ["7", "8", "12", "9", "10", "11"])
            #expect(reader.seen.count == 20 && reader.rows == expected)
        }
    }

    @Test("a clear reaches a reader that has rows, and not one that starts")
    func cleared() async throws {
        let fixture = try await ResourceFixture(people: 1...5), gateway = fixture.gateway
        _ = try await gateway.syncPeople().run()
        var reader = Reader()
        try await reader.read(gateway, limit: 10)
        try await gateway.clearPeople()
        let page = try await gateway.changes(since: reader.position)
        #expect(page.changes.count == 1)
        guard case .cleared(let resource, _)? = page.changes.first else {
            Issue.record("the clear is missing")
            return
        }
        #expect(resource.name == "people")
        #expect(try await gateway.changes().changes.isEmpty)
    }

    @Test("a reader starts over when its position is unknown or was lost, and is told why")
    func restarts() async throws {
        let fixture = try await ResourceFixture(people: 1...5), gateway = fixture.gateway
        _ = try await gateway.syncPeople().run()
        let other = try await ResourceFixture(people: 1...5)
        _ = try await other.gateway.syncPeople().run()
        let foreign = try await other.gateway.changes().position
        let unknown = try await gateway.changes(since: foreign)
        #expect(unknown.restart == .unknownPosition && unknown.changes.count == 5)

        let before = try await gateway.changes().position
        try await gateway.edit("user-3", name: "Lost")
        let after = try await gateway.changes().position
        try await gateway.store.write { writing in
            var incarnation = try #require(try writing.reading.incarnation())
            incarnation.last -= 1
            try writing.put(incarnation)
        }
        let lost = try await gateway.changes(since: after)
        #expect(
            lost.restart == .lostChanges && lost.changes.count == 4, "the fifth has a number that was lost")
        #expect(try await gateway.changes(since: before).restart == nil)

        // The next incarnation takes the same number again.
        try await gateway.store.write { writing in
            let last = try #require(try writing.reading.incarnation()).last
            try writing.put(Incarnation(after: last, at: nil))
        }
        try await gateway.edit("user-4", name: "Again")
        #expect(try await gateway.changes(since: after).restart == .lostChanges)
        let news = try await gateway.changes(since: before)
        #expect(news.restart == nil && news.changes.map(\.handle).contains("user-4"))
    }

    @Test("a storage without rows has a position, from which the first rows follow")
    func empty() async throws {
        let fixture = try await ResourceFixture(people: 1...5), gateway = fixture.gateway
        let nothing = try await gateway.changes()
        #expect(nothing.changes.isEmpty && !nothing.hasMore)
        _ = try await gateway.syncPeople().run()
        let news = try await gateway.changes(since: nothing.position)
        #expect(news.restart == nil && news.changes.count == 5)
    }

    @Test("following waits for changes, of the chosen resources only, and ends with the store")
    func follow() async throws {
        let fixture = try await ResourceFixture(people: 1...5), gateway = fixture.gateway
        let people = try gateway.resource("people")
        var pages = gateway.followChanges(of: [people]).makeAsyncIterator()
        #expect(try await pages.next()?.changes.isEmpty == true)
        _ = try await gateway.syncPeople().run()
        #expect(try await pages.next()?.changes.count == 5)
        try await gateway.edit("user-3", name: "Local")
        #expect(try await pages.next()?.changes.map(\.handle) == ["user-3"])
        try await gateway.store.close()
        #expect(try await pages.next() == nil)
    }

    @Test("the texts of positions are read back, whichever resources they name")
    func readBack() {
        let row = ChangePosition.Row(collection: "shop_orders", key: nil)
        for digest in stride(from: 0 as UInt32, through: 0xFF_FFFF, by: 9_973) {
            for resources in [[digest], [digest, 0xFF_FFFF]] {
                for row in [nil, row] {
                    let position = ChangePosition(
                        incarnation: String(repeating: "a", count: 32), number: 7, row: row, of: resources)
                    #expect(ChangePosition(position.description) == position)
                }
            }
        }
    }

    @Test(
        "other texts are no positions",
        arguments: [
            "", "_", "0_", "00000000000000000000000000000000", "00000000000000000000000000000000_",
            "00000000000000000000000000000000_01", "00000000000000000000000000000000_1_",
            "00000000000000000000000000000000_1_*", "00000000000000000000000000000000_1_IA",
            "00000000000000000000000000000000_1_AAAA_IA", "00000000000000000000000000000000_1_AAAA_",
            "00000000000000000000000000000000_9223372036854775808", "10_20",
        ])
    func texts(_ text: String) { #expect(ChangePosition(text) == nil) }
}

extension Change {
    fileprivate var handle: String {
        switch self {
        case .row(let item): item.handle
        case .cleared(let resource, _): resource.name
        }
    }
}

extension Substring {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
