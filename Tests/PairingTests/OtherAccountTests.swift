import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayTestKit
import SourceREST
import Synchronization
import Testing

/// An API whose accounts have different rows, of which a page has two.
private final class World: Sendable {
    struct Row {
        var id: Int
        var state = "open"
        var value = "1"
        /// A day of January 2026.
        var day = 11
    }

    let rows = Mutex<[String: [Row]]>([:])
    let requests = Mutex<[String]>([])

    func set(_ account: String, _ rows: [Row]) { self.rows.withLock { $0[account] = rows } }

    func change(_ account: String, _ change: (inout [Row]) -> Void) {
        rows.withLock { change(&$0[account]!) }
    }

    /// The requests since the last call.
    func taken() -> [String] {
        requests.withLock { requests in
            defer { requests = [] }
            return requests
        }
    }

    func networking(for account: String) -> ScriptedNetworking {
        ScriptedNetworking { [self] request, _, _ in
            let path = request.path ?? "", parts = path.split(separator: "?")
            requests.withLock { $0.append(path) }
            var query: [Substring: Int] = [:]
            for item in parts.dropFirst().joined().split(separator: "&") {
                let pair = item.split(separator: "=")
                query[pair[0]] = Int(pair[1].prefix(10).suffix(2))
            }
            let rows = rows.withLock { $0[account] ?? [] }
            if let id = Int(parts[0].split(separator: "/").last ?? "") {
                guard let row = rows.first(where: { $0.id == id }) else { return Response(404, [], "{}") }
                return Response(200, [], Self.json(row, account))
            }
            let found = rows.filter { $0.day >= query["since"] ?? 0 && $0.id > query["after"] ?? 0 }
                .sorted { ($0.day, $0.id) < ($1.day, $1.id) }
            let page = found.dropFirst(2 * (query["page"] ?? 1) - 2).prefix(2)
            return Response(
                200, [], "{\"data\": [\(page.map { Self.json($0, account) }.joined(separator: ","))]}")
        }
    }

    private static func json(_ row: Row, _ account: String) -> String {
        """
        {"id": \(row.id), "state": "\(row.state)", "value": "\(row.value)", "secret": "of \(account)",
        "updated": "2026-01-\(row.day < 10 ? "0" : "")\(row.day)T00:00:00Z",
        "labels": [{"id": 7, "text": "\(row.value)"}]}
        """
    }
}

/// A network whose token is replaced by that of another account at one of the requests.
private final class ReplacedTokens: Networking {
    private let world: World
    private let last: Int
    private let sent = Mutex(0)

    init(_ world: World, at number: Int) { (self.world, last) = (world, number) }

    var account: String { sent.withLock { $0 < last ? "ada" : "bob" } }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        sent.withLock { $0 += 1 }
        return try await world.networking(for: account).send(request, body: body)
    }
}

@Suite("Rows after the account, the definition, a filter or the clock has changed", .timeLimit(.minutes(5)))
struct OtherAccountTests {
    private let folder: StorageFolder
    private let world = World()

    private static let definition = """
        api = x
        base-url = https://api.example.org
        rows.path = /rows?limit=2
        rows.rows = data
        rows.next = page page
        rows.key = id
        rows.field.id = integer
        rows.field.value = text
        rows.field.updated = time
        rows.detail.secret = text?

        """

    init() throws {
        folder = try StorageFolder()
        world.set("ada", (1...5).map { World.Row(id: $0) })
        world.set("bob", (11...15).map { World.Row(id: $0) })
    }

    private func gateway(
        _ account: String = "ada", _ lines: String = "", seconds: Int64 = 0
    ) async throws -> Gateway {
        // Lines replace those with their keys.
        let keys = lines.split(separator: "\n").map { $0.prefix { $0 != "=" } + "=" }
        let kept = Self.definition.split(separator: "\n").filter { line in
            !keys.contains { line.hasPrefix($0) }
        }
        let text = kept.joined(separator: "\n") + "\n" + lines
        let (read, faults) = Definition.reading(path: "x.conf", bytes: Array(text.utf8))
        let definition = try #require(read, "\(faults)")
        let source = SourceAPI.rest(definition).open(
            world.networking(for: account), "https://api.example.org", fingerprint: account)
        return try await Gateway(
            storage: folder.storage("sqlite", "store"), source: source,
            now: { Timestamp(milliseconds: 1_780_000_000_000 + 1_000 * seconds) })
    }

    /// Runs a sync of rows in a new gateway, and returns the keys of the rows that are listed.
    @discardableResult
    private func sync(
        _ account: String, _ lines: String = "", seconds: Int64 = 0, details: Bool = false,
        requests: Int? = nil
    ) async throws -> [Int64] {
        let gateway = try await gateway(account, lines, seconds: seconds)
        let question = try gateway.question(gateway.resource("rows"))
        let (end, _) = await gateway.sync(question, details: details, maximumRequests: requests).run()
        #expect(requests == nil ? end.isComplete : true, "\(end)")
        let ids = try await gateway.stored("rows").filter { $0.state.goneAt == nil }.map(\.id)
        try await gateway.close()
        return ids
    }

    private func values(_ field: String, _ lines: String = "") async throws -> [String?] {
        let gateway = try await gateway("ada", lines)
        let rows = try await gateway.stored("rows").filter { $0.state.goneAt == nil }
        try await gateway.close()
        return rows.map { $0[field].map { "\($0)" } }
    }

    private static let show = "rows.show = /rows/{key}\n"
    private static let since = "rows.since = since updated date\n"

    @Test("a complete list of another account leaves no row of the former one", arguments: ["", since])
    func list(_ lines: String) async throws {
        #expect(try await sync("ada", lines) == Array(1...5))
        for (account, ids) in [("bob", Array(11...15)), ("ada", Array(1...5))] as [(String, [Int64])] {
            // Whether rows are gone or have moved is known after a second list; until then it is not complete.
            let gateway = try await gateway(account, lines), resource = try gateway.resource("rows")
            let identity = gateway.source.identity(of: resource)
            #expect(
                try await !gateway.store.read { try $0.listAges(of: resource, for: identity) }.isComplete,
                "the stored rows are those of another account")
            let (end, _) = await gateway.sync(try gateway.question(resource)).run()
            guard case .incomplete(let shortfall) = end else {
                Issue.record("\(end)")
                continue
            }
            #expect(shortfall.reason.hasPrefix("5 rows are from before the account"))
            #expect(try await !gateway.store.read { try $0.listAges(of: resource) }.isComplete)
            try await gateway.close()
            #expect(try await sync(account, lines) == ids)
            #expect(try await sync(account, lines) == ids)
            let later = try await self.gateway(account, lines)
            #expect(
                try await later.store.read { try $0.listAges(of: resource, for: identity) }.isComplete)
            try await later.close()
        }
    }

    @Test(
        "rows of the former account stay until a second list lacks them, however it is paged",
        arguments: [
            "rows.next = none", "rows.next = last after id",
            "rows.next = last after id\nrows.path = /rows?limit=2&after={after}\nrows.order = id",
        ], [true, false])
    func paged(_ lines: String, _ isSync: Bool) async throws {
        world.set("ada", [World.Row(id: 1), World.Row(id: 2)])
        world.set("bob", [World.Row(id: 11), World.Row(id: 12)])
        for (account, ids) in [("ada", [1, 2]), ("bob", [1, 2, 11, 12]), ("bob", [11, 12])]
            as [(String, [Int64])]
        {
            let gateway = try await gateway(account, lines), resource = try gateway.resource("rows")
            let question = try gateway.question(resource), isOther = ids.count > 2
            if isSync {
                let (end, _) = await gateway.sync(question).run()
                let reason = if case .incomplete(let shortfall) = end { shortfall.reason } else { "" }
                #expect(end.isComplete != isOther && reason.hasPrefix("2 rows are from before") == isOther)
            } else {
                let list = await gateway.list(question, limit: 20, policy: .refresh).ending
                #expect(list.outcome.error == nil)
            }
            let stored = try await gateway.stored("rows").filter { $0.state.goneAt == nil }
            #expect(stored.map(\.id) == ids, "\(account)")
            try await gateway.close()
        }
    }

    @Test("the own addresses of rows show at once that they are gone", arguments: [show, show + since])
    func gone(_ lines: String) async throws {
        for (account, ids) in [("ada", 1...5), ("bob", 11...15), ("ada", 1...5)]
            as [(String, ClosedRange<Int64>)]
        {
            #expect(try await sync(account, lines) == Array(ids))
            let gateway = try await gateway(account, lines), resource = try gateway.resource("rows")
            #expect(try await gateway.store.read { try $0.listAges(of: resource) }.isComplete)
            let list = try await gateway.list(gateway.question(resource), limit: 20, policy: .localOnly)
                .ending
            #expect(ListSummary(list, limit: 20).isComplete && list.value?.ids == Array(ids))
            try await gateway.close()
        }
    }

    @Test("a sync whose token is replaced midway is incomplete, and the next ones are of the new account")
    func replaced() async throws {
        for (number, isComplete) in [(1, true), (2, false)] {
            let tokens = ReplacedTokens(world, at: number)
            let (read, faults) = Definition.reading(path: "x.conf", bytes: Array(Self.definition.utf8))
            let source = SourceAPI.rest(try #require(read, "\(faults)")).open(
                tokens, "https://api.example.org", fingerprint: { tokens.account })
            let gateway = try await Gateway(
                storage: folder.storage("sqlite", "store\(number)"), source: source)
            let question = try gateway.question(gateway.resource("rows"))
            let (end, _) = await gateway.sync(question).run()
            #expect(end.isComplete == isComplete, "\(end)")
            if case .incomplete(let shortfall) = end {
                #expect(shortfall.reason.contains("the token was replaced"))
            }
            for _ in 1...3 { _ = await gateway.sync(question).run() }
            #expect(await gateway.sync(question).run().0.isComplete)
            let ids = try await gateway.stored("rows").filter { $0.state.goneAt == nil }.map(\.id)
            #expect(ids == Array(11...15))
            try await gateway.close()
        }
    }

    @Test("a page for another account is not a part of the stored list")
    func page() async throws {
        try await sync("ada")
        let gateway = try await gateway("bob"), resource = try gateway.resource("rows")
        let question = try gateway.question(resource)
        _ = try await gateway.list(question, limit: 2, policy: .remoteFirst).ending.served()
        let offline = await gateway.list(question, limit: 20, policy: .localOnly).ending
        #expect(!ListSummary(offline, limit: 20).isComplete && offline.value?.gapCount == 1)
        let batches = gateway.batches(of: question, limit: .max, policy: .localOnly)
        _ = await batches.next()
        #expect(try await batches.reason() != nil)
        #expect(try await !gateway.store.read { try $0.listAges(of: resource) }.isComplete)
        try await gateway.close()
    }

    @Test("no age makes rows of another account, or of an older definition, fresh")
    func fresh() async throws {
        let lines = Self.show + "rows.fresh = 1d\n"
        try await sync("ada", lines, details: true)
        for (account, more) in [("ada", ""), ("bob", ""), ("ada", "rows.field.state = text\n")] {
            let gateway = try await gateway(account, lines + more), resource = try gateway.resource("rows")
            _ = world.taken()
            _ = try await gateway.list(gateway.question(resource), limit: 2).ending.served()
            let isAsked = account != "ada" || !more.isEmpty
            #expect(world.taken().isEmpty == !isAsked)
            _ = await gateway.show(resource, "1").ending
            #expect(world.taken().isEmpty == !isAsked)
            try await gateway.close()
        }
    }

    @Test("details for another account, or with another definition, are fetched again")
    func details() async throws {
        world.set("bob", (1...5).map { World.Row(id: $0) })
        try await sync("ada", Self.show, details: true)
        #expect(try await Set(values("secret", Self.show)) == ["of ada"])
        try await sync("bob", Self.show, details: true)
        #expect(try await Set(values("secret", Self.show)) == ["of bob"])
        let lines = Self.show + "rows.detail.state = text\n"
        try await sync("bob", lines, details: true)
        #expect(try await Set(values("state", lines)) == ["open"])
        _ = world.taken()
        try await sync("bob", lines, details: true)
        #expect(world.taken().allSatisfy { $0.hasPrefix("/rows?") }, "nothing has changed")
    }

    @Test("a changed row that the definition leaves out is no longer listed")
    func condition() async throws {
        let lines = Self.since + "rows.where = state = open\n"
        #expect(try await sync("ada", lines) == Array(1...5))
        world.change("ada") { ($0[4].state, $0[4].day) = ("closed", 15) }
        #expect(try await sync("ada", lines) == Array(1...4))
        // A row of another kind.
        world.change("ada") { $0.append(World.Row(id: 1, state: "closed", value: "another", day: 15)) }
        #expect(try await sync("ada", lines) == Array(1...4))
        world.change("ada") { ($0[4].state, $0[4].day) = ("open", 16) }
        #expect(try await sync("ada", lines) == Array(1...5))
    }

    @Test("an interrupted sync of newer rows requests its last page again, because rows move up")
    func resumption() async throws {
        world.set("ada", (1...12).map { World.Row(id: $0) })
        try await sync("ada", Self.since)
        world.change("ada") { rows in
            for place in rows.indices { (rows[place].value, rows[place].day) = ("2", 15) }
        }
        try await sync("ada", Self.since, requests: 3)
        world.change("ada") { rows in
            for place in 0..<4 { (rows[place].value, rows[place].day) = ("3", 16) }
        }
        try await sync("ada", Self.since)
        try await sync("ada", Self.since)
        let values = try await values("value", Self.since)
        #expect(values.count == 12 && values.filter { $0 == "3" }.count == 4 && !values.contains("1"))
        #expect(values.filter { $0 == "2" }.count == 8)
    }

    @Test("a row that a list of newer rows cannot lack is fetched with the whole list until that is settled")
    func missing() async throws {
        try await sync("ada", Self.since)
        world.change("ada") { $0.remove(at: 2) }
        let gateway = try await gateway("ada", Self.since)
        let question = try gateway.question(gateway.resource("rows"))
        #expect(await gateway.sync(question, from: .theBeginning).run().0.isComplete)
        try await gateway.close()
        #expect(try await sync("ada", Self.since) == [1, 2, 4, 5])
        _ = world.taken()
        try await sync("ada", Self.since)
        #expect(world.taken().allSatisfy { $0.contains("since=") }, "only newer rows again")
    }

    @Test("rows in rows follow them although the clock was set back")
    func rowsInRows() async throws {
        let lines = """
            rows.field.labels = json
            labels.from = {rows.labels}
            labels.key = row-id id
            labels.field.row-id = integer {rows.id}
            labels.field.id = integer
            labels.field.text = text

            """
        for (seconds, value) in [(3_600, "1"), (0, "2"), (10, "2"), (20, "3")] as [(Int64, String)] {
            world.change("ada") { for place in $0.indices { $0[place].value = value } }
            try await sync("ada", lines, seconds: seconds)
            let gateway = try await gateway("ada", lines, seconds: seconds + 1)
            let labels = try gateway.resource("labels")
            #expect(await gateway.syncChildren(labels).run().0.isComplete)
            let texts = try await gateway.stored("labels").map { $0["text"].map { "\($0)" } }
            #expect(texts == Array(repeating: value, count: 5), "\(seconds)")
            try await gateway.close()
        }
    }
}

extension SyncEnd {
    fileprivate var isComplete: Bool { if case .complete = self { true } else { false } }
}
