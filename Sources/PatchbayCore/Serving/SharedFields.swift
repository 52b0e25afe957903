public import HTTPTypes

/// Header fields that several answers have, such as those of a cached answer. They are encoded once.
public final class SharedFields: Sendable {
    /// The fields, in the order in which they are sent.
    public let fields: HTTPFields
    /// The lines of the fields in HTTP/1.1, each with its line break.
    public let encoded: [UInt8]
    private let names: Set<HTTPField.Name>

    /// Encodes fields. Their values contain no line breaks, because `HTTPField` replaces them.
    public init(_ fields: HTTPFields) {
        self.fields = fields
        encoded = fields.flatMap { "\($0.name.rawName): \($0.value)\r\n".utf8 }
        names = Set(fields.map(\.name))
    }

    /// Whether there is a field with a name.
    public func contains(_ name: HTTPField.Name) -> Bool { names.contains(name) }
}
