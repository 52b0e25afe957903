internal import PatchbayCore
internal import PatchbayJSON

/// A comparison as JSON: every measurement, exactly.
///
/// One object: `format` is `patchbay-comparison`, `version` is 1. The other keys have the names of the properties of
/// ``Comparison``, and unknown values are left out. Readers must skip keys that they do not know; a change that they
/// could misread gets another version.
extension Comparison {
    private static let head: [(name: String, value: JSONValue)] = [
        ("format", "patchbay-comparison"), ("version", .number("1")),
    ]

    /// The JSON, indented by two spaces, with a line feed at the end.
    ///
    /// - Throws: an error when a measured number is not finite.
    package func json() throws -> [UInt8] {
        var writer = JSONWriter(indentation: 2)
        writer.value(try jsonValue())
        writer.newline()
        return writer.bytes
    }

    func jsonValue() throws -> JSONValue {
        .object(Comparison.head + (try JSONValue(Frames.bytes(of: self)).members))
    }
}

extension Durability: Codable {}
