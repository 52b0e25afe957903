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
