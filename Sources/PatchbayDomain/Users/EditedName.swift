import PatchbayCore

/// A name that somebody gives a user here.
///
/// White space at both ends is taken off. What is left is not empty, has at most ``bytesMax`` bytes of UTF-8 and
/// no U+0000. Nothing else is changed: a letter with an accent stays one or two characters, as it was typed.
public struct EditedName: Sendable {
    public let text: String

    /// 255 characters of four bytes, the longest name that GitHub takes, and a little more.
    public static let bytesMax = 1_024

    /// - Throws: `invalidValue` for a name that is empty, too long or holds U+0000.
    public init(_ text: String) throws {
        let trimmed = text.trimmed
        guard !trimmed.isEmpty else {
            throw PatchbayError(
                .invalidValue, "the name is empty; give one, or revert to the name that the source tells")
        }
        guard trimmed.utf8.count <= Self.bytesMax else {
            throw PatchbayError(
                .invalidValue,
                "the name has \(trimmed.utf8.count) bytes of UTF-8; take at most \(Self.bytesMax)")
        }
        guard !trimmed.utf8.contains(0) else {
            throw PatchbayError(.invalidValue, "the name holds U+0000, which no storage keeps; leave it out")
        }
        self.text = trimmed
    }

    /// Whether it is this text byte by byte: two spellings of one letter are two names.
    public func isSpelled(_ other: String?) -> Bool {
        other.map { $0.utf8.elementsEqual(text.utf8) } ?? false
    }
}
