public import HTTPTypes

/// An answer to a client.
public struct ServerResponse: Sendable {
    /// The status and the header fields, without `Date`, `Content-Length` and `Transfer-Encoding`, which the wire adds.
    public var head: HTTPResponse
    public var body: Body

    public init(head: HTTPResponse, body: Body = .whole([])) {
        self.head = head
        self.body = body
    }
}

extension ServerResponse {
    /// What follows the head.
    public enum Body: Sendable {
        case whole([UInt8])
        /// A body that is written piece by piece, and whose length is not known before. The function returns when the
        /// body is complete; when it throws, the client sees a connection that ends early.
        case stream(@Sendable (Writer) async throws -> Void)
    }

    /// Takes the pieces of a body.
    public struct Writer: Sendable {
        /// Waits while the client reads slowly.
        ///
        /// - Throws: when the client has gone, or the server stops.
        public let write: @Sendable ([UInt8]) async throws -> Void

        public init(write: @escaping @Sendable ([UInt8]) async throws -> Void) { self.write = write }
    }
}
