internal import PatchbayCore
internal import PatchbayJSON

/// A comparison as JSON: every measurement, exactly, and the baseline for later runs.
///
/// One object: `format` is `patchbay-comparison`, `version` is 1. The other keys have the names of the properties of
/// ``Comparison``, and unknown values are left out. Readers must skip keys that they do not know; a change that they
/// could misread gets another version.
extension Comparison {
    /// The length of the longest JSON text that is read.
    package static let jsonBytesMax = 64 << 20

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

    /// Reads the JSON that ``json()`` writes.
    ///
    /// - Throws: `invalidValue` for any other text, another version, a text longer than ``jsonBytesMax``, and a missing
    ///   key; the message names the mistake and its place.
    package init(json bytes: [UInt8]) throws {
        guard bytes.count <= Comparison.jsonBytesMax else {
            throw Comparison.unreadable(
                "it has \(bytes.count) bytes; the limit is \(Comparison.jsonBytesMax)")
        }
        do {
            let value = try JSONValue(bytes)
            guard Comparison.head.allSatisfy({ value[$0.name]?.word == $0.value.word }) else {
                throw Comparison.unreadable(
                    "expected an object with the format patchbay-comparison, version 1")
            }
            if value.hasNegativeNumber { throw Comparison.unreadable("it contains a number below zero") }
            self = try Frames.decoded(bytes)
        } catch let error as JSONError {
            throw Comparison.unreadable(error.description)
        } catch let error as DecodingError {
            throw Comparison.unreadable(error.words)
        }
    }

    private static func unreadable(_ why: String) -> PatchbayError {
        PatchbayError(
            .invalidValue,
            "this is not a comparison: \(why); use one that was written as JSON")
    }
}

extension JSONValue {
    fileprivate var hasNegativeNumber: Bool {
        if case .number(let text) = self { return text.hasPrefix("-") }
        return elements.contains(where: \.hasNegativeNumber)
            || members.contains(where: \.value.hasNegativeNumber)
    }
}

extension DecodingError {
    /// The mistake and its place: `results/0/rounds: expected to decode Int but found a string instead`.
    fileprivate var words: String {
        switch self {
        case .keyNotFound(let key, let context): "\(context.place) has no \"\(key.stringValue)\""
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            "\(context.place): \(context.words)"
        @unknown default: "\(self)"
        }
    }
}

extension DecodingError.Context {
    /// The description as a part of a sentence.
    fileprivate var words: String {
        let text = debugDescription.hasSuffix(".") ? debugDescription.dropLast() : debugDescription[...]
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    fileprivate var place: String {
        codingPath.isEmpty
            ? "the object"
            : codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
    }
}

extension Durability: Codable {}
