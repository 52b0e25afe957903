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

/// Header fields that several answers have, such as those of a cached answer. They are encoded once.
package final class SharedFields: Sendable {
    /// The fields, in the order in which they are sent.
    package let fields: HTTPFields
    /// The lines of the fields in HTTP/1.1, each with its line break.
    package let encoded: [UInt8]
    /// A bit for the length of each name. Most names that are not here have another length, which is found faster.
    private let lengths: UInt64

    /// Encodes fields. Their values contain no line breaks, because `HTTPField` replaces them.
    package init(_ fields: HTTPFields) {
        self.fields = fields
        encoded = fields.flatMap { "\($0.name.rawName): \($0.value)\r\n".utf8 }
        lengths = fields.reduce(0) { $0 | Self.length($1.name) }
    }

    /// Whether there is a field with a name.
    package func contains(_ name: HTTPField.Name) -> Bool {
        lengths & Self.length(name) != 0 && fields.contains(name)
    }

    /// Whether a field has the name of one of the other fields.
    func containsAny(of other: SharedFields) -> Bool {
        lengths & other.lengths != 0 && other.fields.contains { contains($0.name) }
    }

    private static func length(_ name: HTTPField.Name) -> UInt64 { 1 << UInt64(name.rawName.utf8.count & 63) }
}

extension HTTPFields {
    /// Returns the value of a field that is often absent, for which the subscript takes twice as long.
    package func value(of name: HTTPField.Name) -> String? { contains(name) ? self[name] : nil }
}
