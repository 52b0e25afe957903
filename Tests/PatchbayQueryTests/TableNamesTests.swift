import Patchbay
@testable import PatchbayQuery
@testable import PatchbayTestKit
import TestSupport
import Testing

@Suite("The names of tables", .mayBlock, .searchesWait, .timeLimit(.minutes(10)))
struct TableNamesTests {
    private static func resources(_ api: String, _ names: String...) throws -> [Resource] {
        try names.map { name in
            var declaration = ResourceDeclaration(
                name, fields: [FieldDeclaration("id", .integer), FieldDeclaration("title", .text)],
                key: ["id"],
                lists: [ListDeclaration(nil, Template([.literal("/\(name)")]))])
            declaration.find = ["title"]
            return try Resource(declaration, api: api)
        }
    }

    /// The collections by the names of their tables, with a plus for those that have rows that are no longer listed.
    private func meanings(_ resources: [Resource]) -> [String: String] {
        TableNames(resources).tables.mapValues { $0.resource.collection.name + ($0.isAll ? "+" : "") }
    }

    @Test("a resource's own name takes precedence over the name of another one with its source")
    func own() throws {
        for resources in [
            try Self.resources("hub", "teams", "hub_teams"), try Self.resources("hub", "hub_teams", "teams"),
        ] {
            #expect(
                meanings(resources) == [
                    "teams": "hub_teams", "teams_all": "hub_teams+", "hub_teams": "hub_hub_teams",
                    "hub_teams_all": "hub_hub_teams+", "hub_hub_teams": "hub_hub_teams",
                    "hub_hub_teams_all": "hub_hub_teams+",
                ])
        }
    }

    @Test("a resource's own name takes precedence over the table of another one with its unlisted rows")
    func all() throws {
        let resources = try Self.resources("hub", "teams", "teams_all")
        #expect(
            meanings(resources) == [
                "teams": "hub_teams", "hub_teams": "hub_teams", "teams_all": "hub_teams_all",
                "hub_teams_all": "hub_teams+", "teams_all_all": "hub_teams_all+",
                "hub_teams_all_all": "hub_teams_all+",
            ])
    }

    @Test(
        "the table with the unlisted rows of a resource has no other resource's name, even if it then has none"
    )
    func threefold() throws {
        let names = meanings(try Self.resources("hub", "teams", "hub_teams", "teams_all"))
        #expect(names["hub_teams"] == "hub_hub_teams" && names["hub_teams_all"] == "hub_hub_teams+")
        #expect(names["teams_all"] == "hub_teams_all" && !names.values.contains("hub_teams+"))
    }

    @Test("a resource with a name of SQLite has only the name with its source, and queries run")
    func reserved() async throws {
        let names = ["json_each", "json_tree", "sqlite_master", "sqlite_schema", "find"]
        let resources = try names.map { try Self.resources("kw", $0)[0] } + Self.resources("sqlite", "master")
        let meanings = meanings(resources)
        for name in names { #expect(meanings[name] == nil && meanings["kw_\(name)"] == "kw_\(name)") }
        #expect(meanings["master"] == "sqlite_master")
        _ = try SQLConnection(TableNames(resources).tables.map { ($0.key, $0.value) })
    }

    @Test("a name with its source that a resource of several sources needs is not given to another one")
    func needed() throws {
        let a = try Self.resources("a", "x", "b_a_x"), b = try Self.resources("b", "x", "a_x")
        for resources in [a + b, b + a] {
            let names = TableNames(resources)
            #expect(
                meanings(resources).filter { !$0.key.hasSuffix("_all") } == [
                    "a_x": "a_x", "b_x": "b_x", "b_a_x": "b_a_x", "a_b_a_x": "a_b_a_x",
                ])
            #expect(Set(names.names).count == 8 && names.ambiguous["x"]?.sorted() == ["a_x", "b_x"])
        }
    }

    @Test("a statement and its search read the table that has the name")
    func rows() async throws {
        var source = Source(name: "scripted")
        source.word = "hub"
        source.resources = try Self.resources("hub", "teams", "hub_teams").map(\.declaration)
        let clock = ManualClock().layerClock
        let gateways = try await Gateways(storage: MemoryStorage(), sources: [source], clock: clock)
        for (name, ids) in [("teams", [1, 2, 3]), ("hub_teams", [4])] {
            let collection = try gateways.resource(name).resource.collection
            try await gateways.store.write { writing in
                var row = RowBuilder()
                for id in ids {
                    row.begin(collection)
                    row.set(0, clock.now().milliseconds)
                    for (place, field) in collection.fields.enumerated() {
                        if field.name == "id" { row.set(place, Int64(id)) }
                        if field.name == "title" { row.set(place, "ferry") }
                    }
                    try writing.put(row.finish(), in: collection)
                }
            }
        }
        let tables = SQLTables(gateways)
        func answer(_ sql: String) async throws -> [[SQLValue]] {
            var all: [[SQLValue]] = []
            for try await row in try await tables.query(sql) { all.append(row.values) }
            return all
        }
        #expect(try await answer("SELECT id FROM hub_teams") == [[4]])
        #expect(try await answer("SELECT count(*) FROM teams") == [[3]])
        #expect(try await answer("SELECT id FROM hub_hub_teams_all") == [[4]])
        let found = "SELECT resource, key FROM find('ferry', 'hub_teams')"
        #expect(try await answer(found) == [["hub_teams", "4"]])
        #expect(try await answer("SELECT DISTINCT resource FROM find('ferry', 'teams')") == [["teams"]])
        #expect(
            tables.schema.contains("\n-- hub_teams; hub_teams_all also has those that are no longer listed\n")
        )
        try await gateways.close()
    }
}
