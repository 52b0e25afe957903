public import HTTPTypes

/// Sends one HTTP request. This is the protocol a networking plugin implements.
///
/// - A response with any status is an answer, not an error.
/// - Redirects are not followed; a layer does that.
public protocol Networking: Sendable {
    /// - Throws: `offline` when there is no answer, `invalidResponse` when the answer is not HTTP, `notFound` when a
    ///   recording does not contain the request.
    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response

    /// Releases connections and threads. A request that is sent afterwards, such as a retry that was waiting, should
    /// fail; a second call should do nothing.
    func close() async throws
}

extension Networking {
    /// Most implementations have nothing to release.
    public func close() async throws {}
}

/// An answer: the head and the whole body, decompressed.
public struct Response: Sendable {
    /// The status and the header fields.
    public var head: HTTPResponse
    /// The whole body, decompressed; empty when there is none.
    public var body: [UInt8]

    /// Creates an answer from a body that is already decompressed.
    public init(head: HTTPResponse, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}

/// A step between a source and the network, such as redirects, rate limits, retries or a recorder.
///
/// A layer keeps its own state.
package protocol NetworkingLayer: Sendable {
    /// Sends the request through `next`, as often as the layer needs to, or answers it without sending it.
    ///
    /// - Parameter next: the layers after this one and the network.
    func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response
}

extension Networking {
    /// Adds layers, the one nearest the source last: in `live.layered(retry, redirects)`, `redirects` receives a
    /// request first.
    package func layered(_ layers: any NetworkingLayer...) -> any Networking { layered(layers) }

    /// Adds layers, the one nearest the source last.
    package func layered(_ layers: [any NetworkingLayer]) -> any Networking {
        layers.reduce(self as any Networking) { Layered(inner: $0, layer: $1) }
    }
}

private struct Layered: Networking {
    let inner: any Networking
    let layer: any NetworkingLayer

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        try await layer.send(request, body: body, next: inner)
    }

    func close() async throws { try await inner.close() }
}

/// A network over which no request is sent.
package struct Unconnected: Networking {
    package init() {}

    /// Throws `offline`.
    package func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        throw PatchbayError(.offline, "no request is sent")
    }
}
