public import HTTPTypes

/// An answer to a client.
public struct ServerResponse: Sendable {
    /// The status and the header fields, without `Date`, `Content-Length` and `Transfer-Encoding`, which the server
    /// adds.
    public var head: HTTPResponse
    /// Further fields, which are sent before those of the head.
    package var shared: [SharedFields] = []
    /// The body, complete or written piece by piece.
    public var body: Body

    /// Creates an answer, whose body is empty by default.
    public init(head: HTTPResponse, body: Body = .whole([])) {
        self.head = head
        self.body = body
    }
}

extension ServerResponse {
    /// All header fields: the shared ones and those of the head.
    public var headerFields: HTTPFields {
        shared.reduce(into: HTTPFields()) { $0.append(contentsOf: $1.fields) } + head.headerFields
    }

    /// Whether there is a field with a name, shared or in the head.
    package func hasField(_ name: HTTPField.Name) -> Bool {
        head.headerFields.contains(name) || shared.contains { $0.contains(name) }
    }

    /// Whether there is a field with the name of one of some fields.
    package func hasAnyField(of fields: SharedFields) -> Bool {
        shared.contains { $0.containsAny(of: fields) }
            || head.headerFields.contains { fields.contains($0.name) }
    }

    /// The body of an answer.
    public enum Body: Sendable {
        /// A complete body.
        case whole([UInt8])
        /// A body of unknown length that is written piece by piece. The function returns when the body is complete.
        /// When it throws, the client sees the connection end early.
        case stream(@Sendable (Writer) async throws -> Void)
    }

    /// Writes the pieces of a body.
    public struct Writer: Sendable {
        /// Writes a piece; waits if the client reads slowly.
        ///
        /// - Throws: when the client has disconnected or the server stops.
        public let write: @Sendable ([UInt8]) async throws -> Void

        /// Creates a writer that passes each piece to `write`, which a plugin or a test supplies.
        public init(write: @escaping @Sendable ([UInt8]) async throws -> Void) { self.write = write }
    }
}
