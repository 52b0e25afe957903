internal import PatchbayCore
internal import PatchbayJSON

/// A comparison as JSON: every measurement, exactly, and the baseline for later runs.
///
/// One object: `format` is `patchbay-comparison`, `version` is 1. The other keys have the names of the properties of
/// ``Comparison``. A name and its value are `{"name": ..., "value": ...}`, a bucket is `[upToNanoseconds, count]`, and
/// unknown values are `null`. The seed is text, because it has 64 bits and many readers keep only 53. Readers must skip
/// keys that they do not know; a change that they could misread gets another version.
package struct JSONReport: Sendable {
    /// Indented by two spaces, with a line feed at the end.
    package let bytes: [UInt8]

    /// The value of `format`.
    package static let format = "patchbay-comparison"
    /// The version that is written, and the only one that is read.
    package static let version = 1
    /// The length of the longest text that is read.
    package static let bytesMax = 64 << 20

    package init(_ comparison: Comparison) {
        var writer = JSONWriter(indentation: 2)
        comparison.write(to: &writer)
        writer.newline()
        bytes = writer.bytes
    }
}

extension Comparison {
    /// Reads the JSON that ``JSONReport`` writes.
    ///
    /// - Throws: `invalidValue` for any other text, another version, a text longer than ``JSONReport/bytesMax``, and a
    ///   missing key; the message names the mistake and its byte.
    package init(json bytes: [UInt8]) throws {
        guard bytes.count <= JSONReport.bytesMax else {
            throw Comparison.unreadable("it has \(bytes.count) bytes; the limit is \(JSONReport.bytesMax)")
        }
        do {
            var reader = JSONReader(bytes.span.bytes)
            self = try .read(from: &reader)
            try reader.finish()
        } catch let error as JSONError {
            throw Comparison.unreadable(error.description)
        }
    }

    private static func unreadable(_ why: String) -> PatchbayError {
        PatchbayError(
            .invalidValue,
            "this is not a comparison: \(why); use one that was written as JSON")
    }
}

extension Latencies.Bucket: JSONCoded {
    func write(to writer: inout JSONWriter) { [upToNanoseconds, count].write(to: &writer) }

    static func read(from reader: inout JSONReader) throws -> Latencies.Bucket {
        let pair = try [Int].read(from: &reader)
        guard pair.count == 2 else {
            throw JSONError(message: "expected a bucket's length and count", offset: reader.offset)
        }
        return Latencies.Bucket(upToNanoseconds: pair[0], count: pair[1])
    }
}

extension UInt64: JSONWord { static let kind: StaticString = "a number of 64 bits" }
extension Durability: JSONWord { static let kind: StaticString = "a durability" }
extension PatchbayError.Code: JSONWord { static let kind: StaticString = "a code" }
extension Timestamp: JSONWord { static let kind: StaticString = "a time" }
