internal import PatchbayCore
internal import PatchbayJSON

/// A comparison as JSON: every measurement, exactly, and the baseline for later runs.
///
/// One object: `format` is `patchbay-comparison`, `version` is 1. The other keys have the names of the properties of
/// ``Comparison``, and unknown values are left out. Readers must skip keys that they do not know; a change that they
/// could misread gets another version.
package struct JSONReport: Sendable {
    /// Indented by two spaces, with a line feed at the end.
    package let bytes: [UInt8]

    /// The length of the longest text that is read.
    package static let bytesMax = 64 << 20

    private static let head: [(name: String, value: JSONValue)] = [
        ("format", "patchbay-comparison"), ("version", .number("1")),
    ]

    /// - Throws: an error when a measured number is not finite.
    package init(_ comparison: Comparison) throws {
        var writer = JSONWriter(indentation: 2)
        writer.value(try JSONReport.value(of: comparison))
        writer.newline()
        bytes = writer.bytes
    }

    static func value(of comparison: Comparison) throws -> JSONValue {
        .object(head + (try JSONValue(Frames.bytes(of: comparison)).members))
    }

    /// Returns what distinguishes a text from a report of this version; nil for a report.
    fileprivate static func fault(in value: JSONValue) -> String? {
        if head.contains(where: { value[$0.name]?.word != $0.value.word }) {
            return "expected an object with the format patchbay-comparison, version 1"
        }
        return value.hasNegativeNumber ? "it contains a number below zero" : nil
    }
}

extension Comparison {
    /// Reads the JSON that ``JSONReport`` writes.
    ///
    /// - Throws: `invalidValue` for any other text, another version, a text longer than ``JSONReport/bytesMax``, and a
    ///   missing key; the message names the mistake and its place.
    package init(json bytes: [UInt8]) throws {
        guard bytes.count <= JSONReport.bytesMax else {
            throw Comparison.unreadable("it has \(bytes.count) bytes; the limit is \(JSONReport.bytesMax)")
        }
        do {
            if let fault = JSONReport.fault(in: try JSONValue(bytes)) { throw Comparison.unreadable(fault) }
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
