import HTTPTypes
import PatchbayCore
import PatchbayGateway
import PatchbayJSON
@testable import PatchbayTestKit
import Testing

@testable import PatchbayServer

@Suite("The account of a day", .timeLimit(.minutes(5)))
struct DayOfUseTests {
    /// A kind of call.
    private struct Kind: Sendable {
        let operation: String
        var resource = ""
        let probe: @Sendable (inout SeededGenerator) -> Probe
        /// The number of rows in an answer.
        var rows: @Sendable (TestAnswer) -> Int = { _ in 0 }
    }

    /// The number of elements of a member of a call's answer.
    private static func count(of name: String) -> @Sendable (TestAnswer) -> Int {
        { ($0.json["result"]?["structuredContent"] ?? $0.json)[name]?.elements.count ?? 0 }
    }

    private static func person(_ random: inout SeededGenerator) -> String {
        "user-\(Int.random(in: 1...55, using: &random))"
    }

    private static let kinds = [
        Kind(operation: "list", resource: "people") { random in
            Probe("/-/resources/people?policy=local-only&limit=\(Int.random(in: 1...30, using: &random))")
        } rows: {
            $0.rows.count
        },
        Kind(operation: "list", resource: "people") { _ in
            Probe("/-/resources/people?by=key", .get, ["Accept": "application/x-ndjson"])
        } rows: {
            $0.lines.count
        },
        Kind(operation: "list", resource: "projects") { _ in
            Probe("/-/resources/projects?by=key&limit=3")
        } rows: {
            $0.rows.count
        },
        Kind(operation: "show", resource: "people") { random in
            Probe("/-/resources/people/\(person(&random))?policy=\(random.pick(["local-only", "refresh"]))")
        } rows: { _ in
            1
        },
        Kind(operation: "find") { _ in
            Probe("/-/find?q=user*&limit=5")
        } rows: {
            count(of: "rows")($0)
        },
        Kind(operation: "postQuery") { random in
            Probe(sql: "SELECT login, 'zephyr' FROM people LIMIT \(Int.random(in: 1...9, using: &random))")
        } rows: {
            count(of: "rows")($0)
        },
        Kind(operation: "postQuery") { _ in
            Probe(sql: "DELETE FROM people WHERE login = 'marzipan'")
        },
        Kind(operation: "changes") { _ in
            Probe("/-/changes?limit=4")
        } rows: {
            count(of: "changes")($0)
        },
        Kind(operation: "events", resource: "people") { _ in
            Probe("/-/events?of=people")
        },
        Kind(operation: "proxy") { _ in
            Probe("/quagmire")
        },
        Kind(operation: "other") { _ in
            Probe("/-/obelisk")
        },
        Kind(operation: "list") { _ in
            Probe("/-/resources/obelisk")
        },
        Kind(operation: "mcp.rows", resource: "people") { random in
            Probe(
                tool: "rows",
                ["resource": "people", "limit": .number("\(Int.random(in: 1...9, using: &random))")])
        } rows: {
            count(of: "rows")($0)
        },
        Kind(operation: "mcp.query") { _ in
            Probe(tool: "query", ["sql": "SELECT login FROM people WHERE login <> 'marzipan' LIMIT 3"])
        } rows: {
            count(of: "rows")($0)
        },
        Kind(operation: "mcp.refresh", resource: "people") { random in
            Probe(tool: "refresh", ["resource": "people", "row": .text(person(&random))])
        } rows: {
            $0.json["result"]?["structuredContent"]?["row"] == nil ? 0 : 1
        },
        Kind(operation: "mcp") { _ in
            Probe(tool: "obelisk", .object([]))
        },
    ]

    private static let tokens = ["agent": Metered.token, "reader": World.token("reader"), "owner": nil]

    private static var clients: [ClientOptions] {
        var reader = ClientOptions("reader", token: World.token("reader"))
        reader.grants = ["test.people:login"].compactMap { ResourceGrant($0) }
        reader.bytes = Allowance(bytes: "6KB/hour")
        return [Metered.client(requests: "1/hour", bytes: nil), reader]
    }

    @Test(
        "says for each hour who asked what, how many rows and bytes were sent and how many requests, and no value"
    )
    func day() async throws {
        var random = SeededGenerator.fromEnvironment()
        let metered = try await Metered(Self.clients), clock = metered.fixture.clock
        try await metered.fixture.fetch("people")
        try await metered.fixture.fetch("projects", "octocat")
        var expected: [ServedUse.Line: ServedUse.Amounts] = [:]
        var refused: [String: Int] = [:]
        clock.advance(by: .milliseconds(3_600_000 - clock.now().milliseconds % 3_600_000))
        for _ in 0..<24 {
            let shuffled = Self.tokens.mapValues { _ in Self.kinds.shuffled(using: &random) }
            for place in Self.kinds.indices {
                for (client, token) in Self.tokens.sorted(by: { $0.key < $1.key }) {
                    let kind = shuffled[client]![place], probe = kind.probe(&random)
                    let before = metered.requestsSent
                    let answer =
                        await kind.operation == "events"
                        ? metered.begin(probe, token: token) : metered.send(probe, token: token)
                    let isRefused = answer.status == 429 && answer["Retry-After"] != nil
                    let isError = answer.json["error"] != nil || answer.text.contains(#""isError":true"#)
                    let usedUp = answer.text.contains("has used up its bytes")
                    refused[client, default: 0] += answer.text.contains("has used up its") ? 1 : 0
                    // Before a refused call is read, only its path names a resource.
                    let isNamed = !usedUp || ["list", "show"].contains(kind.operation)
                    let isSeen = isNamed && (client != "reader" || kind.resource != "projects")
                    let line = ServedUse.Line(
                        hour: Allowance.Period.hour.start(of: clock.now()), client: client,
                        operation: kind.operation, resource: isSeen ? kind.resource : "")
                    let isFailure = answer.status >= 400 || isError || isRefused
                    expected[line, default: .init()] += ServedUse.Amounts(
                        calls: 1, failures: isFailure ? 1 : 0,
                        rows: answer.status >= 400 || isRefused ? 0 : Int64(kind.rows(answer)),
                        bytes: usedUp ? 0 : Int64(answer.bytes.count),
                        requests: Int64(metered.requestsSent - before))
                }
                clock.advance(by: .seconds(220))
            }
            clock.advance(by: .seconds(80))
        }
        let account = try await metered.account()
        #expect(account.count == expected.count, "PATCHBAY_SEED=\(random.seed)")
        for use in account {
            var amounts = use.amounts
            amounts.milliseconds = 0
            #expect(amounts == expected[use.line], "\(use.line), PATCHBAY_SEED=\(random.seed)")
        }
        #expect(Set(account.map(\.line.hour)).count == 24)
        // Without refusals, nothing was limited.
        #expect(
            refused["agent", default: 0] > 0 && refused["reader", default: 0] > 0 && refused["owner"] == 0)
        let text = try await metered.storedAccount()
        for canary in World.canaries + Self.tokens.values.compactMap(\.self) + ["user-", "SELECT"] {
            #expect(!text.contains(canary), "\(canary)")
        }
    }
}
