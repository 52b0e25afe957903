package import HTTPTypes

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
