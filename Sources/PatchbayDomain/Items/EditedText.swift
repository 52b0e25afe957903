import PatchbayCore

/// A text that replaces the source's value of a field locally.
///
/// White space at both ends is removed. The rest is not empty, has at most ``bytesMax`` bytes of UTF-8 and no U+0000.
/// Nothing else is changed: a letter with an accent stays one or two characters, as it was typed.
package struct EditedText: Sendable {
    package let text: String

    /// 255 characters of four bytes, which is the longest name that most APIs accept, and a little more.
    package static let bytesMax = 1_024

    /// - Parameter field: the name of the field, for messages.
    /// - Throws: `invalidValue` for a text that is empty, too long or contains U+0000.
    package init(_ text: String, of field: String) throws {
        let trimmed = text.trimmed
        guard !trimmed.isEmpty else {
            throw PatchbayError(
                .invalidValue, "the \(field) is empty; give one, or revert to the \(field) of the source")
        }
        guard trimmed.utf8.count <= Self.bytesMax else {
            throw PatchbayError(
                .invalidValue,
                "the \(field) has \(trimmed.utf8.count) bytes of UTF-8; use at most \(Self.bytesMax)")
        }
        guard !trimmed.utf8.contains(0) else {
            throw PatchbayError(
                .invalidValue, "the \(field) contains U+0000, which no storage keeps; leave it out")
        }
        self.text = trimmed
    }

    /// Whether it is this text byte by byte: two spellings of one letter are two texts.
    package func isSpelled(_ other: String?) -> Bool {
        other.map { $0.utf8.elementsEqual(text.utf8) } ?? false
    }
}
