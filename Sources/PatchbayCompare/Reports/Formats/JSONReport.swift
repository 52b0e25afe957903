internal import PatchbayCore
internal import PatchbayJSON

/// A comparison as JSON: everything that was measured, exactly, and what a later run is held against.
///
/// One object: `format` is `patchbay-comparison`, `version` is 1, then `settings`, `machine`, `versions`, `subjects`,
/// `results`, `differences`, `failures` and `isComplete`, each with the names of the Swift types. Names and values
/// stand as `{"name": ..., "value": ...}`, a bucket as `[upToNanoseconds, count]`. What is not known is `null`. The
/// seed is text, because it has 64 bits and many readers keep only 53. A reader must pass over keys that it does not
/// know; a change that it could misread gets another version.
package struct JSONReport: Sendable {
    /// Indented by two spaces, with a line feed at the end.
    package let bytes: [UInt8]

    /// What `format` says.
    package static let format = "patchbay-comparison"
    /// The version that is written, and the only one that is read.
    package static let version: Int64 = 1
    /// A longer text is not read.
    package static let bytesMax = 64 << 20

    package init(_ comparison: Comparison) {
        var writer = JSONWriter(indentation: 2)
        writer.object { writer in
            writer.field("format", JSONReport.format)
            writer.field("version", Int(JSONReport.version))
            writer.field("isComplete", comparison.isComplete)
            writer.key("settings")
            writer.append(comparison.settings)
            writer.key("machine")
            writer.append(comparison.machine)
            writer.key("versions")
            writer.array(comparison.versions) { $0.append($1) }
            writer.key("subjects")
            writer.array(comparison.subjects) { $0.append($1) }
            writer.key("results")
            writer.array(comparison.results) { $0.append($1) }
            writer.key("differences")
            writer.array(comparison.differences) { $0.append($1) }
            writer.key("failures")
            writer.array(comparison.failures) { $0.append($1) }
        }
        writer.newline()
        bytes = writer.bytes
    }
}
