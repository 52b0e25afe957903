import HTTPTypes
import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbayNetworking
import PatchbayTestKit

@testable import PatchbayServer

/// A served gateway that keeps an account of its clients.
struct Metered: Sendable {
    let fixture: APIFixture
    let ledger: ClientLedger
    let door: GuardedResponder
    private let server = ScriptedNetworking()
    static let token = "canary-token-of-agent-0123456789"

    static func client(requests: String?, bytes: String?) -> ClientOptions {
        var client = ClientOptions("agent", token: token)
        client.requests = requests.flatMap { Allowance(requests: $0) }
        client.bytes = bytes.flatMap { Allowance(bytes: $0) }
        return client
    }

    init(requests: String? = nil, bytes: String? = nil, storage: any Storage = MemoryStorage()) async throws {
        try await self.init([Self.client(requests: requests, bytes: bytes)], storage: storage)
    }

    init(_ clients: [ClientOptions], storage: any Storage = MemoryStorage()) async throws {
        let server = server
        fixture = try await APIFixture(storage: storage, schema: GatewayServer.schema) { source in
            source.resources[0].find = ["login"]
            source.feed = source.feed.map { MeteredFeed(inner: $0, server: server) }
        }
        ledger = try await ClientLedger(clients, fixture.gateway.store, clock: fixture.clock.layerClock) {
            _ in
        }
        let api = try fixture.api.serving(clients)
        var options = ServerOptions()
        options.clients = clients
        let router = Router(api: api, proxy: AbsentResponder("the source"), clients: clients)
        door = GuardedResponder(AccountingResponder(router, ledger), options)
    }

    /// The number of requests that were sent to the source.
    var requestsSent: Int { server.sent.count }

    func send(_ probe: Probe, token: String? = Metered.token) async -> TestAnswer {
        await TestAnswer(door.respond(to: request(probe, token)))
    }

    /// Reads the first piece of a stream.
    func begin(_ probe: Probe, token: String?) async -> TestAnswer {
        var response = await door.respond(to: request(probe, token))
        if case .stream(let write) = response.body {
            let pieces = Pieces()
            // The client ends the stream by an error, which is expected.
            try? await write(
                ServerResponse.Writer { piece in
                    await pieces.add(piece)
                    throw CancellationError()
                })
            response.body = .whole(await pieces.bytes)
        }
        return await TestAnswer(response)
    }

    private func request(_ probe: Probe, _ token: String?) -> ServerRequest {
        var request = APIFixture.request(probe.method, probe.path, probe.fields, probe.body)
        request.head.headerFields[HTTPField.Name("Patchbay-Token")!] = token
        return request
    }

    /// The account as it is stored.
    func account() async throws -> [ServedUse] {
        await ledger.write()
        return try await ServedUse.all(since: Timestamp(milliseconds: 0), in: fixture.gateway.store)
    }

    /// The bytes of the stored account.
    func storedAccount() async throws -> String {
        let bytes = try await fixture.gateway.store.read { reading in
            var bytes: [UInt8] = []
            try reading.scan(Query(ServedUse.collection)) { row in
                bytes += row.copyBytes()
                return .next
            }
            return bytes
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Passes questions on through the layers that meter requests.
private struct MeteredFeed: ResourceFeed {
    let inner: any ResourceFeed
    let server: ScriptedNetworking
    private var network: any Networking {
        server.layered([Log(RequestLog(clock: ManualClock().layerClock)), Metering()])
    }

    func page(_ request: ItemRequest, ifChangedFrom validator: Validator) async throws -> Fetched<ItemPage> {
        _ = try await network.send(LimitedServer.request, body: [])
        return try await inner.page(request, ifChangedFrom: validator)
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        _ = try await network.send(LimitedServer.request, body: [])
        return try await inner.item(handle, of: resource, ifChangedFrom: validator)
    }
}
