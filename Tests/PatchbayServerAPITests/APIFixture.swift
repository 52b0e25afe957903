import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayJSON
import PatchbayQuery
import PatchbayTestKit

@testable import PatchbayServer

/// The API over a gateway in memory, with a scripted source and a clock that the test moves.
struct APIFixture: Sendable {
    let feed: ScriptedFeed
    let clock = ManualClock()
    let storage: any Storage
    let gateway: Gateway
    let api: APIResponder
    let figures = PrometheusMetrics()

    /// Fetches the rows of a resource at once.
    init(
        people: ClosedRange<Int64> = 1...50, projects: ClosedRange<Int64> = 1...5,
        changes: [ScriptedFeed.Row] = [], storage: any Storage = MemoryStorage(), schema: Schema = .patchbay,
        fetching resource: String? = nil, changing change: (inout Source) -> Void = { _ in }
    ) async throws {
        self.storage = storage
        feed = ScriptedFeed(people: people, projects: projects, changes: changes, pageSize: 20, cap: 30)
        gateway = try await Self.gateway(feed, storage, schema, clock, change)
        api = APIResponder(
            [gateway], questions: StoredQuestions([gateway]), metrics: figures, clock: clock.layerClock)
        if let resource { try await fetch(resource) }
    }

    /// The same with pages that wait for a gate.
    init(_ gate: GatedFeed) async throws {
        try await self.init { source in
            gate.inner = source.feed
            source.feed = gate
        }
    }

    static func gateway(
        _ feed: ScriptedFeed, _ storage: any Storage, _ schema: Schema, _ clock: ManualClock,
        _ change: (inout Source) -> Void
    ) async throws -> Gateway {
        var source = feed.source()
        source.word = "test"
        change(&source)
        return try await Gateway(storage: storage, source: source, schema: schema, now: clock.now)
    }

    /// A gateway over the same storage, as in another process.
    func otherGateway() async throws -> Gateway {
        try await Self.gateway(feed, storage, .patchbay, clock) { _ in }
    }

    /// Fetches all rows of the feed.
    func fetch(_ resource: String, _ words: String...) async throws {
        let question = try gateway.question(gateway.resource(resource), arguments: words)
        _ = await gateway.sync(question).run()
    }

    func edit(_ login: String, name: String) async throws {
        try await gateway.edit(gateway.resource("people"), login, "name", to: name)
    }

    /// Marks a person as no longer listed, as a sync does.
    func drop(_ id: Int64) async throws {
        feed.change("people") { $0.removeAll { $0.id == id } }
        _ = await (try gateway.sync("people", from: .theBeginning)).run()
    }

    func get(_ path: String, _ fields: [String: String] = [:]) async -> TestAnswer {
        await send(.get, path, fields)
    }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ fields: [String: String] = [:], _ body: String = ""
    ) async -> TestAnswer {
        await TestAnswer(api.respond(to: Self.request(method, path, fields, body)))
    }

    static func request(
        _ method: HTTPRequest.Method, _ path: String, _ fields: [String: String] = [:], _ body: String = ""
    ) -> ServerRequest {
        var head = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
        for (name, value) in fields { head.headerFields[HTTPField.Name(name)!] = value }
        let end = ServerRequest.Endpoint.unix(path: "")
        return ServerRequest(
            head: head, body: Array(body.utf8), connection: .init(local: end, remote: end))
    }

    /// Follows the links "next" and returns the ids of all pages and their number.
    func walk(_ path: String) async -> (ids: [Int64], pages: Int) {
        var ids: [Int64] = [], pages = 0, next: String? = path
        while let path = next, pages < 1_000 {
            let answer = await get(path)
            ids += answer.ids
            pages += 1
            next = answer.next
        }
        return (ids, pages)
    }
}

/// An answer with its whole body.
struct TestAnswer: Sendable {
    let status: Int
    let fields: HTTPFields
    let bytes: [UInt8]
    let isStream: Bool

    init(_ response: ServerResponse) async {
        status = response.head.status.code
        fields = response.headerFields
        switch response.body {
        case .whole(let bytes):
            self.bytes = bytes
            isStream = false
        case .stream(let write):
            let pieces = Pieces()
            do {
                try await write(ServerResponse.Writer { await pieces.add($0) })
            } catch {
                await pieces.add(Array("\nbroken off: \(error)".utf8))
            }
            bytes = await pieces.bytes
            isStream = true
        }
    }

    subscript(_ name: String) -> String? { fields[HTTPField.Name(name)!] }

    var text: String { String(decoding: bytes, as: UTF8.self) }
    /// The body as JSON; null if it is not JSON.
    var json: JSONValue { (try? JSONValue(bytes)) ?? .null }
    var lines: [JSONValue] {
        text.split(separator: "\n").map { (try? JSONValue(Array($0.utf8))) ?? .null }
    }
    var rows: [JSONValue] { self["Content-Type"] == "application/json" ? json.elements : lines }
    var ids: [Int64] { rows.compactMap { $0["id"]?.word.flatMap { Int64($0) } } }
    var detail: String { json["detail"]?.word ?? "" }
    var parameter: String? { json["parameter"]?.word }
    var tag: String { self["ETag"] ?? "" }

    /// The address of the next page.
    var next: String? { link("next") }

    /// Returns the address with a relation in the field `Link`.
    func link(_ name: String) -> String? {
        let links = self["Link"]?.split(separator: ", ") ?? []
        return links.first { $0.hasSuffix("; rel=\"\(name)\"") }.map {
            String($0.dropFirst().prefix { $0 != ">" })
        }
    }
}

/// The pieces of a body.
actor Pieces {
    private(set) var all: [[UInt8]] = []

    var bytes: [UInt8] { all.flatMap(\.self) }

    func add(_ piece: [UInt8]) { all.append(piece) }
}
