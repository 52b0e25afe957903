import Foundation
import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayServer
import PatchbayTestKit
import Synchronization
import Testing

/// Every client has a canary, which is in the body and in a field of each answer that the server sends to it. No answer
/// to a client may contain the canary of another one, whatever the server allows, wherever the credentials are, and
/// whatever happened before.
@Suite("Answers of several clients over every storage", .timeLimit(.minutes(5)))
struct AnswerMatrixTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    /// The number of requests that a client alone causes by asking at the seconds 0, 0, 30, 100 and 100.
    private static let controls: [(control: String?, requestCount: Int)] = [
        (nil, 5), ("private", 5), ("public", 5), ("no-cache", 5), ("no-store", 5),
        ("max-age=0, must-revalidate", 5), ("max-age=60", 2), ("private, max-age=60", 2),
        ("public, max-age=60, s-maxage=60", 2), ("s-maxage=60", 2), ("max-age=60, must-revalidate", 2),
        ("max-age=60, immutable", 2), ("max-age=60, stale-if-error=600", 2),
    ]

    private static let cells = controls.indices.flatMap { control in
        PeopleServer.Tag.allCases.flatMap { tag in
            Carrier.all.map { Cell(control: control, tag: tag, carrier: $0) }
        }
    }

    @Test("no byte of one client's answer is in another's", arguments: StorageFolder.all)
    func matrix(_ plugin: String) async throws {
        let all = Self.cells
        #expect(all.count == 13 * 5 * 19)
        // Storages see digests only, so they need fewer cells. The steps share no factor with the lists.
        let isLarge = ProcessInfo.processInfo.environment["PATCHBAY_LARGE_TESTS"] != nil
        let step = isLarge ? 1 : plugin == "memory" ? 3 : 11
        let cells = all.enumerated().filter { $0.offset % step == 0 }.map(\.element)
        let store = try await Store(
            try await folder.storage(plugin, "store"), schema: Schema(version: 1, AnswerCache.collections))
        let clock = ManualClock()
        let first = try await Served(store, clock, lender: "owner")
        for phase in Phase.allCases {
            first.server.phase = phase
            for _ in 1...(phase == .online ? 2 : 1) {
                for cell in cells { try await first.ask(cell, in: phase) }
            }
            clock.advance(by: .seconds(100))
        }
        await first.cache.close()
        // Another program, with the token of another account.
        let second = try await Served(store, clock, lender: "heir")
        second.server.phase = .offline
        for cell in cells { try await second.ask(cell, in: .offline) }
        #expect(first.asked + second.asked == cells.count * Client.all.count * 6)
        await second.cache.close()
        try await store.close()
    }

    @Test("a client alone causes as few requests as the server allows", arguments: Carrier.all)
    func alone(_ carrier: Carrier) async throws {
        let store = try await Store(MemoryStorage(), schema: Schema(version: 1, AnswerCache.collections))
        let clock = ManualClock()
        let served = try await Served(store, clock, lender: "owner")
        let cells = Self.controls.indices.flatMap { control in
            PeopleServer.Tag.allCases.map { Cell(control: control, tag: $0, carrier: carrier) }
        }
        for pause in [0, 0, 30, 70, 0] {
            clock.advance(by: .seconds(pause))
            for cell in cells {
                let response = await served.response(to: Client(person: "ada", isLocal: false), cell)
                #expect(response.head.status == .ok)
            }
        }
        await served.stop()
        for cell in cells {
            let (control, expected) = Self.controls[cell.control]
            // Addresses that contain a known secret are never stored, nor is a private answer without a field that
            // names its owner.
            let isStored = carrier.isStored(control: control)
            #expect(served.server.count(below: cell.path) == (isStored ? expected : 5), "\(cell)")
        }
    }
}

// MARK: - The cells

extension AnswerMatrixTests {
    enum Phase: CaseIterable { case online, stale, refusing, offline }

    struct Cell: CustomStringConvertible {
        let control: Int
        let tag: PeopleServer.Tag
        let carrier: Carrier
        /// The path that names the cell.
        let path: String

        init(control: Int, tag: PeopleServer.Tag, carrier: Carrier) {
            (self.control, self.tag, self.carrier) = (control, tag, carrier)
            let numbers = [
                control, PeopleServer.Tag.allCases.firstIndex(of: tag) ?? 0,
                Carrier.all.firstIndex { "\($0)" == "\(carrier)" } ?? 0,
            ]
            path = numbers.map { "/\($0)" }.joined()
        }

        var description: String {
            "\(AnswerMatrixTests.controls[control].control ?? "no directive"), tag \(tag), \(carrier)"
        }
    }

    /// How clients send their credentials, and how the source's definition says that they do.
    struct Carrier: Sendable, CustomStringConvertible {
        enum Place: Sendable { case field(String, prefix: String), query(String) }

        let place: Place
        var authorization = Definition.Authorization.bearer

        static let all: [Carrier] =
            ["Bearer ", "bearer  ", "token ", "Basic ", "Digest ", ""].map {
                Carrier(place: .field("Authorization", prefix: $0))
            }
            + [
                "X-Api-Key", "PRIVATE-TOKEN", "X-Figma-Token", "X-Shopify-Access-Token",
                "Ocp-Apim-Subscription-Key",
                "X-Auth-Token", "X-Invented", "X-Original-URL",
            ].map { Carrier(place: .field($0, prefix: "")) }
            + ["X-Figma-Token", "api_key"].map {
                Carrier(place: .field($0, prefix: ""), authorization: .header(name: $0, prefix: nil))
            }
            + [
                Carrier(place: .query("access_token")), Carrier(place: .query("invented")),
                Carrier(place: .query("k"), authorization: .query(name: "k")),
            ]

        /// Whether answers to a client over TCP may be stored.
        func isStored(control: String?) -> Bool {
            switch place {
            case .field: true
            case .query("invented"): !(control ?? "").contains("private")
            case .query: false
            }
        }

        /// Whether the field or parameter is the usual one for credentials, or the definition's.
        var isKnown: Bool {
            if case .field("Authorization", _) = place { return true }
            return authorization != .bearer
        }

        var description: String { "\(place), \(authorization)" }
    }

    struct Client: Sendable {
        /// Nil for a client without credentials.
        let person: String?
        /// Whether it uses the socket.
        let isLocal: Bool

        static let all = [true, false].flatMap { isLocal in
            ["ada", "bob", nil].map { Client(person: $0, isLocal: isLocal) }
        }
    }
}

// MARK: - The server

/// A source's server that answers each person differently.
final class PeopleServer: Networking {
    enum Tag: CaseIterable { case none, own, weak, version, weakVersion }

    private let state = Mutex((phase: AnswerMatrixTests.Phase.online, counts: [String: Int]()))
    private let answer: @Sendable (HTTPRequest) -> (control: String?, tag: Tag)

    init(_ answer: @escaping @Sendable (HTTPRequest) -> (control: String?, tag: Tag)) { self.answer = answer }

    var phase: AnswerMatrixTests.Phase {
        get { state.withLock { $0.phase } }
        set { state.withLock { $0.phase = newValue } }
    }

    /// The number of requests for a path, with any query.
    func count(below path: String) -> Int { state.withLock { $0.counts[path] ?? 0 } }

    static let people = ["ada", "bob", "owner", "heir"]

    static func secret(_ person: String) -> String { "secret-of-\(person)-0123456789" }

    static func canary(_ person: String?) -> String { "canary-of-\(person ?? "nobody")." }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        let phase = state.withLock { state in
            state.counts[String((request.path ?? "").prefix { $0 != "?" }), default: 0] += 1
            return state.phase
        }
        if phase == .offline {
            var error = PatchbayError(.offline, "cannot be reached")
            error.isUnreachable = true
            throw error
        }
        let text = (request.path ?? "") + request.headerFields.map(\.value).joined(separator: "\n")
        let person = Self.people.first { text.contains(Self.secret($0)) }
        if phase == .refusing, person == "bob" {
            return Response(head: HTTPResponse(status: .unauthorized), body: Array("no".utf8))
        }
        let (control, tag) = answer(request), canary = Self.canary(person)
        var fields: HTTPFields = [.contentType: "text/plain", .init("X-Canary")!: canary]
        fields[.cacheControl] = control
        fields[.eTag] =
            switch tag {
            case .none: nil
            case .own: "\"\(canary)\""
            case .weak: "W/\"\(canary)\""
            case .version: "\"3\""
            case .weakVersion: "W/\"3\""
            }
        if let wanted = request.headerFields[.ifNoneMatch], wanted == fields[.eTag] {
            return Response(head: HTTPResponse(status: .notModified, headerFields: fields), body: [])
        }
        return Response(
            head: HTTPResponse(status: .ok, headerFields: fields), body: Array("the \(canary)".utf8))
    }
}

// MARK: - The gateway

extension AnswerMatrixTests {
    /// Proxies of one cache, one for each way to send credentials.
    private final class Served {
        let server: PeopleServer
        let cache: AnswerCache
        private(set) var asked = 0
        private let lender: String
        private var proxies: [Definition.Authorization: ProxyResponder] = [:]
        private let makeProxy: (Definition.Authorization) throws -> ProxyResponder

        init(_ store: Store, _ clock: ManualClock, lender: String) async throws {
            self.lender = lender
            let server = PeopleServer { request in
                let parts = (request.path ?? "").prefix { $0 != "?" }.split(separator: "/")
                return (
                    AnswerMatrixTests.controls[Int(parts[0]) ?? 0].control,
                    PeopleServer.Tag.allCases[Int(parts[1]) ?? 0]
                )
            }
            self.server = server
            let cache = try await AnswerCache(
                store: store, bytesMax: 64 << 20, clock: clock.layerClock, report: { Issue.record($0) })
            self.cache = cache
            makeProxy = { authorization in
                var upstream = Upstream(baseURL: "https://api.example.org", networking: server)
                upstream.authorization = authorization
                upstream.lender = { lender }
                upstream.lending = Lending(inner: server, secret: PeopleServer.secret(lender))
                return try ProxyResponder(upstream, cache: cache, ProxyOptions(), clock: clock.layerClock)
            }
        }

        func stop() async {
            for proxy in proxies.values { await proxy.stop() }
            await cache.close()
        }

        /// Sends the request of every client, and checks the answers.
        func ask(_ cell: Cell, in phase: Phase) async throws {
            for client in Client.all {
                let answer = await response(to: client, cell)
                asked += 1
                let owner = client.person ?? (client.isLocal ? lender : nil)
                var text = answer.headerFields.map(\.value).joined(separator: "\n")
                if case .whole(let bytes) = answer.body { text += String(decoding: bytes, as: UTF8.self) }
                for other in PeopleServer.people.map(Optional.some) + [nil] where other != owner {
                    let isForeign = text.contains(PeopleServer.canary(other))
                    #expect(!isForeign, "\(client) got the answer of \(other ?? "nobody"): \(cell), \(phase)")
                }
                let status = answer.head.status.code
                switch phase {
                case .online, .stale: #expect(status == 200)
                case .refusing: #expect(status == (client.person == "bob" ? 401 : 200))
                case .offline:
                    let isOthers = client.person == "bob" || (lender == "heir" && isLent(cell, client))
                    let isKept = isStored(cell, client) && !isOthers
                    #expect(status == (isKept ? 200 : 504), "\(client): \(cell)")
                }
            }
        }

        /// Whether the source's token is added to the request, so that the answer belongs to both.
        private func isLent(_ cell: Cell, _ client: Client) -> Bool {
            client.isLocal && (client.person == nil || !cell.carrier.isKnown)
        }

        private func isStored(_ cell: Cell, _ client: Client) -> Bool {
            let control = AnswerMatrixTests.controls[cell.control].control ?? ""
            if control == "no-store" { return false }
            if client.person == nil { return client.isLocal || !control.contains("private") }
            return cell.carrier.isStored(control: isLent(cell, client) ? nil : control)
        }

        func response(to client: Client, _ cell: Cell) async -> ServerResponse {
            var path = cell.path
            var fields: HTTPFields = [:]
            if let person = client.person {
                switch cell.carrier.place {
                case .field(let name, let prefix):
                    fields[HTTPField.Name(name)!] = prefix + PeopleServer.secret(person)
                case .query(let name): path += "?\(name)=\(PeopleServer.secret(person))"
                }
            }
            let connection = client.isLocal ? Self.socket : Self.port
            let request = ServerRequest(
                head: HTTPRequest(
                    method: .get, scheme: "http", authority: "127.0.0.1:8080", path: path,
                    headerFields: fields),
                connection: connection)
            do {
                let proxy = try proxies[cell.carrier.authorization] ?? makeProxy(cell.carrier.authorization)
                proxies[cell.carrier.authorization] = proxy
                return await GuardedResponder(proxy, ServerOptions()).respond(to: request)
            } catch {
                Issue.record(error)
                return ServerResponse(head: HTTPResponse(status: .internalServerError))
            }
        }

        private static let port = ServerRequest.Connection(
            local: .tcp(address: "127.0.0.1", port: 8080), remote: .tcp(address: "127.0.0.1", port: 50_000))
        private static let socket = ServerRequest.Connection(
            local: .unix(path: "/run/p.sock"), remote: .unix(path: ""))
    }

    /// Adds the source's token, as its layers do.
    private struct Lending: Networking {
        let inner: PeopleServer
        let secret: String

        func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
            var request = request
            if request.headerFields[.authorization] == nil {
                request.headerFields[.authorization] = "Bearer " + secret
            }
            return try await inner.send(request, body: body)
        }
    }
}
