import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("Clearing a resource")
struct ClearItemsTests {
    @Test("a clear removes only the rows, former handles, pages, runs and searches of the resource")
    func lists() async throws {
        let fixture = try await ItemsFixture()
        let mine = ["test_people", "test_people of ada", "test_people.found", "test_people found by ada"]
        let others = ["test_peoples", "test_people_x of ada", "test_notes", "a test_people"]
        fixture.feed.rename(5, to: "renamed")
        _ = await fixture.show("person-5")
        try await fixture.gateway.store.write { writing in
            for list in mine + others {
                for position in 0..<3 {
                    try writing.put(
                        StoredListPage(
                            list: list, position: Int64(position), link: nil,
                            fetchedAt: Timestamp(milliseconds: 0)))
                }
                try writing.put(StoredListRun(list: list, query: "", startedAt: Timestamp(milliseconds: 0)))
                try writing.put(StoredSearch(list: list, fetchedAt: Timestamp(milliseconds: 0)))
            }
        }
        #expect(
            try await fixture.gateway.clear(fixture.people)
                == Cleared(rows: 1, keptEdits: 0, removedEdits: 0, children: [])
        )
        let left = try await fixture.gateway.store.read { reading in
            try reading.list(StoredListRun.self, Query(StoredListRun.collection)).map(\.list)
        }
        #expect(left == others.sorted())
        #expect(try await fixture.count(StoredListPage.collection) == 3 * others.count)
        #expect(try await fixture.count(StoredSearch.collection) == others.count)
        #expect(try await fixture.count(StoredFormerHandle.collection) == 0)
        #expect(try await fixture.stored().isEmpty)
    }

    @Test("edits kept by a clear apply again when their rows are fetched in a list or with details")
    func keptEdits() async throws {
        let fixture = try await ItemsFixture(), gateway = fixture.gateway, people = fixture.people
        try await fixture.list(1...50)
        for id in [3, 4, 45] { try await fixture.edit("person-\(id)", "Mine \(id)") }
        try await gateway.edit(people, "person-45", "bio", to: "Long")
        #expect(
            try await gateway.clear(people, keepingEdits: true)
                == Cleared(rows: 50, keptEdits: 4, removedEdits: 0, children: []))
        try await fixture.list(1...20)
        #expect(try await fixture.stored(3)?.name == "Mine 3")
        #expect(await fixture.show("person-45").last?.value?.name == "Mine 45")
        #expect(try await fixture.stored(45)?.shown(#require(people.field(named: "bio"))) == .text("Long"))
        _ = await fixture.show("person-4")
        #expect(try await fixture.count(StoredEdit.collection) == 0)
        try await gateway.revert(people, "person-3")
        #expect(try await gateway.clear(people, keepingEdits: true).keptEdits == 3)
        #expect(try await gateway.clear(people, keepingEdits: true).keptEdits == 3)
        try await fixture.list([3])
        #expect(try await fixture.stored(3)?.name == nil)
        #expect(
            try await gateway.clear(people) == Cleared(rows: 1, keptEdits: 0, removedEdits: 3, children: []))
        #expect(await fixture.show("person-45").last?.value?.name == "Person 45")
    }

    @Test("an imported count of clearings is not a limit")
    func manyClearings() async throws {
        let fixture = try await ItemsFixture()
        let name = fixture.people.collection.name
        try await fixture.gateway.store.write {
            try $0.put(StoredClearing(list: name, count: .max, clearedAt: Timestamp(milliseconds: 0)))
        }
        #expect(await fixture.show("person-1").last?.outcome.word == "fresh")
        #expect(try await fixture.gateway.clear(fixture.people).rows == 1)
        #expect(await fixture.show("person-1").last?.outcome.word == "fresh")
    }

    @Test("more rows and edits than fit in one batch are removed and kept")
    func manyEdits() async throws {
        let fixture = try await ItemsFixture(), people = fixture.people
        let items = try Person.all(1...2_500).map { try Item(encoding: $0, of: people) }
        try await fixture.gateway.store.write { writing in
            for item in items {
                var packing = ItemPacking(item, over: nil, state: ItemState())
                if item.id != 1_000 { packing.edits["name"] = "Mine" }
                try writing.put(packing)
            }
        }
        #expect(try await fixture.gateway.clear(people, keepingEdits: true).keptEdits == 2_499)
        #expect(
            try await fixture.gateway.clear(people)
                == Cleared(rows: 0, keptEdits: 0, removedEdits: 2_499, children: []))
        #expect(try await fixture.count(StoredEdit.collection) == 0)
    }

    @Test(
        "a clear counts the edits that it removes: those of rows, and those kept by earlier clears, once each"
    )
    func removedEdits() async throws {
        let fixture = try await ItemsFixture(), gateway = fixture.gateway, people = fixture.people
        try await fixture.list(1...9)
        for id in [3, 4] { try await fixture.edit("person-\(id)", "Mine") }
        try await gateway.clear(people, keepingEdits: true)
        try await fixture.list(4...9)
        try await fixture.edit("person-4", "Mine again")
        try await fixture.edit("person-5", "Mine")
        #expect(
            try await gateway.clear(people) == Cleared(rows: 6, keptEdits: 0, removedEdits: 3, children: []))
        #expect(
            try await gateway.clear(people) == Cleared(rows: 0, keptEdits: 0, removedEdits: 0, children: []))
    }

    @Test("edits of a row with a long key are kept as well")
    func longKey() async throws {
        let fixture = try await ItemsFixture { source in
            source.resources[1].editable = ["text"]
            source.resources[1].fields[1] = FieldDeclaration("text", .text)
        }
        let notes = try fixture.gateway.resource("notes")
        let long = ["a", "b"].map { String(repeating: "é ", count: 100) + $0 }
        let items = try long.map { try Item(encoding: Note(person: 1, text: $0), of: notes) }
        try await fixture.gateway.store.write { writing in
            for (item, edit) in zip(items, ["Mine a", "Mine b"]) {
                var packing = ItemPacking(item, over: nil, state: ItemState())
                packing.edits["text"] = edit
                try writing.put(packing)
            }
        }
        #expect(try await fixture.gateway.clear(notes, keepingEdits: true).keptEdits == 2)
        let shown = try await fixture.gateway.store.write { writing in
            _ = try writing.save(items, of: notes, at: Timestamp(milliseconds: 0), from: nil)
            return try items.map { try writing.reading.item($0.key, of: notes)?.shown(notes.fields[1]) }
        }
        #expect(shown == [.text("Mine a"), .text("Mine b")])
    }

    @Test("details fetched while the rows are cleared are not saved", arguments: [false, true])
    func overtaken(_ isStored: Bool) async throws {
        let fixture = try await ItemsFixture()
        if isStored { try await fixture.list(1...5) }
        let gateway = try await fixture.interrupted { [gateway = fixture.gateway, people = fixture.people] in
            try await gateway.clear(people)
        }
        let people = try gateway.resource("people")
        #expect(
            await gateway.show(people, "person-3", policy: .refresh).ending.outcome.word == "failed: conflict"
        )
        #expect(try await fixture.stored().isEmpty)
    }

    @Test("a confirmation that arrives after a clear is not saved")
    func overtakenConfirmation() async throws {
        let fixture = try await ItemsFixture()
        _ = await fixture.show("person-3")
        let gateway = try await fixture.interrupted { [gateway = fixture.gateway, people = fixture.people] in
            try await gateway.clear(people)
        }
        let people = try gateway.resource("people")
        #expect(await gateway.show(people, "person-3").ending.outcome.word == "failed: conflict")
        #expect(try await fixture.stored().isEmpty)
    }

    @Test("a confirmation that arrives after a clear does not confirm a row stored since")
    func overtakenByAnother() async throws {
        let fixture = try await ItemsFixture()
        _ = await fixture.show("person-3")
        let gateway = try await fixture.interrupted { [fixture] in
            try await fixture.gateway.clear(fixture.people)
            try await fixture.list(1...5)
        }
        let people = try gateway.resource("people")
        #expect(await gateway.show(people, "person-3").ending.outcome.word == "failed: conflict")
        let stored = try #require(try await fixture.stored(3))
        #expect(stored.state.detailFetchedAt == nil && stored.text("name") == nil)
    }
}
