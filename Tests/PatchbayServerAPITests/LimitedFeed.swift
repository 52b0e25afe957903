import HTTPTypes
import PatchbayCore
import PatchbayDomain
import Synchronization

/// A feed that sends a request to a network before each answer, so that limits of the network apply to it.
struct LimitedFeed: ResourceFeed {
    let inner: any ResourceFeed
    let network: any Networking

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        try await ask()
        return try await inner.page(request, ifChangedFrom: validator)
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        try await ask()
        return try await inner.item(handle, of: resource, ifChangedFrom: validator)
    }

    private func ask() async throws {
        _ = try await network.send(
            HTTPRequest(method: .get, scheme: "https", authority: "api.example.org", path: "/"), body: [])
    }
}

/// A server that reports its limit as used up, without a reset, when the test says so.
final class LimitedServer: Networking {
    private let isUsedUp = Mutex(false)
    private let requests = Mutex(0)

    var count: Int { requests.withLock { $0 } }

    /// The next request is refused, and later ones are answered.
    func useUp() { isUsedUp.withLock { $0 = true } }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        requests.withLock { $0 += 1 }
        let isRefused = isUsedUp.withLock { isUsedUp in
            defer { isUsedUp = false }
            return isUsedUp
        }
        var head = HTTPResponse(status: isRefused ? .forbidden : .ok)
        if isRefused { head.headerFields[HTTPField.Name("X-RateLimit-Remaining")!] = "0" }
        return Response(head: head, body: [])
    }
}
