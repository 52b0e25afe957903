public import HTTPTypes

/// Sends one HTTP request. This is the protocol a networking plugin implements.
///
/// - A response with any status is an answer, not an error.
/// - Redirects are not followed: a layer does that.
public protocol Networking: Sendable {
    /// - Throws: `offline` when no answer could be had, `invalidResponse` when what came is not HTTP, `notFound` when a
    ///   recording does not hold the request.
    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response

    /// Gives back connections and threads. Nothing is sent afterwards.
    func close() async throws
}

extension Networking {
    /// Most have nothing to give back.
    public func close() async throws {}
}

/// An answer: head and whole body, inflated.
public struct Response: Sendable {
    public var head: HTTPResponse
    public var body: [UInt8]

    public init(head: HTTPResponse, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}

/// A step between a source and the network: redirects, rate limits, retries, a recorder.
///
/// What a layer remembers lives in the layer.
public protocol NetworkingLayer: Sendable {
    func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response
}

extension Networking {
    /// The layer nearest the source comes last: `live.layered(retry, redirects)` asks `redirects` first.
    public func layered(_ layers: any NetworkingLayer...) -> any Networking { layered(layers) }

    /// The layer nearest the source comes last.
    public func layered(_ layers: [any NetworkingLayer]) -> any Networking {
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
