import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayTestKit

@testable import PatchbayServer

/// A served world with clients, which differs from its twin only in what the clients may not see: the values of hidden
/// fields, the rows of a hidden resource, the owner's edits and favourites, and how often these changed.
struct World: Sendable {
    let fixture: APIFixture
    let door: GuardedResponder
    private static let tcp = ServerRequest.Connection(
        local: .tcp(address: "127.0.0.1", port: 8080), remote: .tcp(address: "127.0.0.1", port: 50_000))

    /// Texts that only hidden fields, hidden rows and edits contain.
    static let canaries = ["quagmire", "zephyr", "obelisk", "marzipan", "canary-token"]
    static let people = 1...30

    static func token(_ client: String) -> String { "canary-token-of-\(client)-0123456789" }

    static var clients: [ClientOptions] {
        let texts = [
            "agent": "test.people:login,city test.projects", "reader": nil, "assistant": "test.people",
        ]
        return texts.sorted { $0.key < $1.key }.map { name, text in
            var client = ClientOptions(name, token: token(name))
            client.grants = text?.split(separator: " ").compactMap { ResourceGrant($0) }
            client.isOwner = name == "assistant"
            return client
        }
    }

    init(isTwin: Bool, clients: [ClientOptions] = World.clients) async throws {
        fixture = try await APIFixture(people: 1...1, projects: 1...3) { source in
            source.resources[0].fields += [
                FieldDeclaration("city", .text), FieldDeclaration("bio", .text),
                FieldDeclaration("score", .integer),
            ]
            source.resources[0].indexes = [
                IndexDeclaration("by_city", [("city", false)]),
                IndexDeclaration("by_score", [("score", false)]),
                IndexDeclaration("by_city_and_score", [("city", false), ("score", false)]),
                IndexDeclaration("by_bio", [("bio", true)]),
            ]
            source.resources[0].find = ["login", "city", "bio", "name"]
            source.resources[2].find = ["message"]
        }
        let api = try fixture.api.serving(clients)
        var options = ServerOptions()
        options.token = Self.token("owner")
        options.clients = clients
        door = GuardedResponder(
            Router(api: api, proxy: AbsentResponder("the source"), clients: clients), options)
        try await fill(isTwin: isTwin)
    }

    private func fill(isTwin: Bool) async throws {
        let salt: Int64 = isTwin ? 17 : 5
        fixture.feed.change("people") { rows in
            rows = Self.people.map { id in
                [
                    "id": .integer(Int64(id)), "login": .text("user-\(id)"), "city": .text("City \(id % 4)"),
                    "name": .text("Name \(Int64(id) * salt % 31) \(isTwin ? "zephyr" : "quagmire")"),
                    "followers": .integer(Int64(id) * salt % 31),
                    "bio": .text(
                        "\(isTwin && id % 3 == 0 ? "obelisk" : "quagmire") \(Int64(id) * salt % 29)"),
                    "score": .integer(Int64(id) * salt % 31),
                ]
            }
        }
        fixture.feed.change("changes") { $0 = ScriptedFeed.changes(isTwin ? 9 : 2, of: 1) }
        try await fixture.fetch("people")
        try await fixture.fetch("projects", "octocat")
        let people = try fixture.gateway.resource("people")
        _ = try await fixture.gateway.refresh(people, Self.people.map { "user-\($0)" })
        try await fixture.fetch("changes", "octocat/p-1")
        guard isTwin else { return }
        try await fixture.edit("user-3", name: "marzipan")
        try await fixture.gateway.addFavourite(people, "user-4")
        _ = await fixture.gateway.search(people, "obelisk", page: 1, limit: 10, policy: .localOnly).ending
        fixture.feed.change("people") { rows in
            for place in rows.indices { rows[place]["score"] = .integer(Int64(place * 7 % 30)) }
        }
        _ = await (try fixture.gateway.sync("people", from: .theBeginning)).run()
    }

    /// Sends a request as a client over TCP.
    func send(_ probe: Probe, as client: String) async -> TestAnswer {
        var request = APIFixture.request(probe.method, probe.path, probe.fields, probe.body)
        request.head.authority = "127.0.0.1:8080"
        request.head.headerFields[HTTPField.Name("Patchbay-Token")!] = Self.token(client)
        return await TestAnswer(
            door.respond(to: ServerRequest(head: request.head, body: request.body, connection: Self.tcp)))
    }

    /// Everything that the client receives, without the random names of the process and the storage.
    func everything(_ probe: Probe, as client: String) async -> String {
        let answer = await send(probe, as: client)
        let fields = answer.fields.map { "\($0.name): \($0.value)" }.sorted().joined(separator: "\n")
        let store = fixture.api.api.gateways.stores[0].id
        let text = "\(answer.status)\n\(fields)\n\n\(answer.text)".replacing(store, with: "STORE")
        // Sealed positions contain the random name of the storage's incarnation.
        return text.replacing(#/position\\?":\\?"[A-Za-z0-9_-]{100,}/#) {
            "position of \($0.output.utf8.count) bytes"
        }
    }
}

/// A request of a client that wants to know more than it may.
struct Probe: Sendable, CustomStringConvertible {
    var method = HTTPRequest.Method.get
    let path: String
    var fields: [String: String] = [:]
    var body = ""

    init(
        _ path: String, _ method: HTTPRequest.Method = .get, _ fields: [String: String] = [:],
        _ body: String = ""
    ) {
        self.path = path
        self.method = method
        self.fields = fields
        self.body = body
        if !body.isEmpty, fields["Content-Type"] == nil { self.fields["Content-Type"] = "application/json" }
    }

    /// A call of a tool.
    init(tool: String, _ arguments: JSONValue) {
        let message: JSONValue = [
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": ["name": .text(tool), "arguments": arguments],
        ]
        self.init(message)
    }

    /// A message of the Model Context Protocol.
    init(_ message: JSONValue) {
        self.init(
            "/-/mcp", .post, ["Accept": "application/json, text/event-stream"],
            String(decoding: message.line, as: UTF8.self))
    }

    init(sql: String) {
        self.init(
            "/-/query", .post, [:], String(decoding: (["sql": .text(sql)] as JSONValue).line, as: UTF8.self))
    }

    var description: String { "\(method) \(path) \(fields) \(body)" }
}

extension Probe {
    /// Every way to name a field, and everything that a field could change.
    static func ofField(_ name: String) -> [Probe] {
        let people = "/-/resources/people"
        let walks = ["by_\(name)", name, "by_\(name)_folded", "\(name)_override"].flatMap { index in
            ["", "&order=descending", "&equal=3", "&from=1", "&to=9", "&at=3", "&prefix=q", "&limit=2"].map {
                Probe("\(people)?by=\(index)\($0)")
            }
        }
        let rows = [
            "fields=\(name)", "fields=login,\(name)_override", "\(name)=3", "fields=upstream_\(name)",
        ].flatMap {
            [Probe("\(people)?\($0)"), Probe("\(people)/user-3?\($0)")]
        }
        let statements = [
            "SELECT \(name) FROM people", "SELECT login FROM people WHERE \(name) = 3",
            "SELECT login FROM people ORDER BY \(name)", "SELECT upstream_\(name) FROM test_people",
            "SELECT \(name)_override FROM people_all", "SELECT count(\(name)) FROM people",
            "SELECT p.\(name) FROM people p JOIN projects USING (id)",
            "SELECT \"\(name)_ms\" FROM people WHERE \"\(name)_folded\" > ''",
            "SELECT * FROM people GROUP BY \(name) HAVING max(\(name)) > 1",
        ].map { Probe(sql: $0) }
        let tools = [
            Probe(tool: "rows", ["resource": "people", "where": .object([(name, .text("3"))])]),
            Probe(tool: "rows", ["resource": "people", "prefix": .object([(name, .text("q"))])]),
            Probe(tool: "rows", ["resource": "people", "fields": [.text(name)]]),
            Probe(tool: "row", ["resource": "people", "handle": "user-3", "fields": [.text(name)]]),
            Probe(tool: "query", ["sql": .text("SELECT \(name) FROM people")]),
        ]
        let changes = [
            Probe("\(people)/user-3", .patch, ["If-Match": "\"x\""], #"{"\#(name)":"x"}"#),
            Probe("\(people)/user-3/overrides/\(name)", .delete),
        ]
        return walks + rows + statements + tools + changes
    }

    /// Every way to name a resource.
    static func ofResource(_ name: String) -> [Probe] {
        let path = "/-/resources/\(name)"
        let paths = [
            path, path + "?limit=1", path + "?by=key", path + "?of=octocat/p-1", path + "?list=all",
            path + "/user-1", path + "/octocat%2Fp-1", path + "/1", path + "/user-1/picture",
            "/-/changes?of=\(name)",
            "/-/find?q=change&of=\(name)", "/-/favourites?resource=\(name)",
            "/-/search?resource=\(name)&q=user",
        ].map { Probe($0) }
        let statements = [
            "SELECT count(*) FROM \(name)", "SELECT * FROM \(name)_all", "SELECT * FROM test_\(name)",
            "SELECT name FROM pragma_table_info('\(name)')", "SELECT key FROM find('user', '\(name)')",
            "SELECT key FROM find('change*', 'people, test_\(name)')",
        ].map { Probe(sql: $0) }
        let tools = [
            Probe(tool: "resources", ["name": .text(name)]), Probe(tool: "rows", ["resource": .text(name)]),
            Probe(tool: "row", ["resource": .text(name), "handle": "1"]),
            Probe(tool: "find", ["text": "change", "resources": [.text(name)]]),
            Probe(tool: "changes", ["resources": [.text(name)]]),
            Probe(tool: "query", ["sql": .text("SELECT count(*) FROM \(name)")]),
            Probe(tool: "refresh", ["resource": .text(name), "row": "octocat/p-9", "list": "none"]),
            Probe([
                "jsonrpc": "2.0", "id": 1, "method": "resources/read",
                "params": ["uri": .text("patchbay://test/\(name)")],
            ]),
        ]
        return paths + statements + tools + [
            Probe("\(path)/1/favourite", .put), Probe("\(path)/1/favourite", .delete),
            Probe("\(path)/sync?list=none", .post),
        ]
    }

    /// What needs no name: lists, counts, order, words, descriptions, tags.
    static var ofEverything: [Probe] {
        let lines = ["Accept": "application/x-ndjson"]
        let paths = [
            "/-/", "/-/resources", "/-/openapi.json", "/-/limits", "/-/metrics", "/-/syncs", "/-/syncs/1",
            "/-/favourites", "/-/search/recent", "/-/search/denied", "/-/changes", "/-/changes?limit=2",
            "/-/resources/people", "/-/resources/people?limit=3", "/-/resources/people?by=by_city",
            "/-/resources/people?by=by_city&order=descending",
            "/-/resources/people?by=by_login&prefix=user-1",
            "/-/resources/people?by=by_city&equal=City%201", "/-/resources/people/user-3",
            "/-/resources/people/3",
            "/-/resources/people/user-3?fields=login,fetched_at", "/-/resources/people/user-99",
            "/-/resources/projects?list=all", "/-/resources/projects?of=octocat", "/-/resources/projects",
            "/repos",
            "/-/resources/people/user-3?fields=is_favourite", "/-/resources/people?by=by_change",
        ]
        let words =
            canaryWords + ["user", "city", "name", "chang*", "\"user 3\"", "city -\(World.canaries[0])"]
        let statements = [
            "SELECT * FROM people", "SELECT * FROM people ORDER BY 2 DESC", "SELECT count(*) FROM people",
            "SELECT login, _changed FROM people", "SELECT _key, _age, _fetched_at, _gone_at FROM people",
            "SELECT name FROM sqlite_schema", "SELECT sql FROM sqlite_master",
            "SELECT * FROM pragma_table_list",
            "SELECT name FROM pragma_table_xinfo('people')", "SELECT * FROM dbstat",
            "SELECT city FROM people",
            "SELECT city, count(*) FROM people GROUP BY city ORDER BY 2", "PRAGMA table_info(people)",
            "EXPLAIN QUERY PLAN SELECT login FROM people ORDER BY city",
            "SELECT * FROM people, projects LIMIT 9", "SELECT * FROM find", "SELECT * FROM find('')",
            "SELECT count(*), sum(rank) FROM find('user')", "SELECT f.key FROM people p, find(p.login) f",
            "SELECT p.login, f.rank FROM find('city', 'people') f JOIN people p ON p._key = f.key",
            "EXPLAIN QUERY PLAN SELECT key FROM find('quagmire')",
        ]
        let methods = [
            "tools/list", "resources/list", "resources/templates/list", "server/discover", "initialize",
        ]
        return paths.map { Probe($0) } + paths.prefix(24).suffix(12).map { Probe($0, .get, lines) }
            + words.map { Probe("/-/find?q=" + PercentEncoding.segment($0)) }
            + words.map { Probe(tool: "find", ["text": .text($0)]) } + statements.map { Probe(sql: $0) }
            + words.map { Probe(sql: "SELECT rank, resource, key, title, excerpt FROM find('\($0)')") }
            + words.map { Probe(tool: "query", ["sql": .text("SELECT * FROM find('\($0)', 'people')")]) }
            + ["resources", "changes", "limits"].map { Probe(tool: $0, .object([])) }
            + methods.map { Probe(["jsonrpc": "2.0", "id": 1, "method": .text($0), "params": .object([])]) }
    }

    private static var canaryWords: [String] {
        World.canaries.flatMap { [$0, "\($0.prefix(4))*", "user -\($0)", "\"\($0) 3\""] }
    }
}
