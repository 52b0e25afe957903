import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Testing

@testable import PatchbayGateway

@Suite("The keys of imported rows")
struct ImportedKeysTests {
    private func words(_ gateway: Gateway, _ rows: [(id: Int64, word: String)]) throws -> [Item] {
        let words = try gateway.resource("words")
        return try rows.map {
            try ScriptedFeed.item(
                ["id": .integer($0.id), "word": .text($0.word)], of: words, withDetails: true)
        }
    }

    @Test("a row with the key of an earlier one is found, however many rows are between them")
    func beyondLimit() async throws {
        let list = ListDeclaration(nil, Template([.literal("/words")]))
        let declaration = ResourceDeclaration(
            "words", fields: [FieldDeclaration("id", .integer), FieldDeclaration("word", .text)],
            key: ["id"], lists: [list])
        let fixture = try await ResourceFixture(changing: { $0.resources = [declaration] })
        let gateway = fixture.gateway, resource = try gateway.resource("words")
        try await gateway.put([["id": .integer(5), "word": .text("old")]], in: "words")
        fixture.clock.advance(by: .seconds(1))
        let time = fixture.clock.now()
        var keys = ImportedKeys(since: time, hashesMax: 2), others: [Int64] = []
        let batches: [[(id: Int64, word: String)]] = [
            [(1, "a"), (2, "b"), (3, "c")], [(4, "d"), (3, "x")], [(5, "new"), (4, "d"), (1, "x")],
        ]
        for rows in batches {
            let items = try words(gateway, rows), repeats = keys.add(items[...])
            let clashes = try await gateway.store.write { writing in
                let (new, clashes) = try repeats.resolved(items[...], in: writing.reading)
                _ = try writing.save(new, of: resource, at: time, from: nil)
                return clashes
            }
            for clash in clashes { if case .integer(let id) = clash.other.key { others.append(id) } }
        }
        #expect(others == [3, 1])
        let stored = try await gateway.store.read { try $0.item(.integer(5), of: resource) }
        #expect(stored?["word"] == .text("new"))
    }
}
