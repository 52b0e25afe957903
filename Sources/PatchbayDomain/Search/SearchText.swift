public import PatchbayCore

/// What somebody searches for, normalised, so that a search is the same however it was typed.
///
/// 1. White space (Unicode's property) at both ends is taken off. White space inside stays.
/// 2. The rest is composed (NFC): one sequence of scalars, whatever the keyboard sends. That is what a source is asked.
/// 3. Texts are compared case-folded (`String.caseFolded`). The words `AND`, `OR` and `NOT` in capitals stay:
///    search languages read them as operators, and the small words as words.
///
/// What is left has 1 to ``charactersMax`` characters and no U+0000. All else is data: quotes, colons, escapes.
public struct SearchText: Sendable {
    /// The most characters (Unicode scalars) of a text, as GitHub has it.
    public static let charactersMax = 256

    /// As it was typed, by rules 1 and 2.
    public let text: String
    /// By rule 3. Two searches are the same when these are.
    public let folded: String

    /// Nil for a text that is empty or white space only: there is nothing to search for.
    ///
    /// - Throws: `invalidValue` for a text that is too long or holds U+0000.
    public init?(_ typed: String) throws {
        let trimmed = typed.trimmed
        guard !trimmed.isEmpty else { return nil }
        // Composing makes a text shorter by at most this much, and nobody wants to wait for a megabyte.
        let text = trimmed.utf8.count > 16 * 4 * Self.charactersMax ? trimmed : trimmed.composed
        let count = text.unicodeScalars.count
        guard count <= Self.charactersMax else {
            throw PatchbayError(
                .invalidValue,
                "a search text has at most \(Self.charactersMax) characters, this one has \(count); shorten it"
            )
        }
        guard !text.utf8.contains(0) else {
            throw PatchbayError(
                .invalidValue, "the search text holds U+0000, which no storage keeps; leave it out")
        }
        self.text = text
        folded = text.split(separator: " ", omittingEmptySubsequences: false)
            .map { Self.operators.contains(String($0)) ? String($0) : String($0).caseFolded }
            .joined(separator: " ")
    }

    private static let operators: Set<String> = ["AND", "OR", "NOT"]

    /// What a name or a login that begins so begins with, case-folded.
    public var prefix: String { text.caseFolded }

    /// The text in a key of a storage: the folded text, and of a long one its beginning and its digest.
    public var key: String {
        guard folded.utf8.count > Self.keyBytesMax else { return folded }
        return folded.beginning(bytesMax: Self.keyBytesMax - 36) + "… " + TextDigest(of: folded).description
    }

    /// Where a search for it stands in a storage, denied (``StoredDeniedSearch``) or recent (``StoredRecentSearch``).
    ///
    /// - Parameter subject: the collection that is searched.
    public func rowKey(for subject: String) -> Key { [.text(subject), .text(key)] }

    /// A key has at most 480 bytes, and other things stand in it, too.
    private static let keyBytesMax = 320

    /// Whether one of two texts goes on where the other one ends, as while somebody is typing.
    public func isSameTyping(as other: SearchText) -> Bool {
        folded.utf8.starts(with: other.folded.utf8) || other.folded.utf8.starts(with: folded.utf8)
    }
}

extension SearchText: Hashable {
    public static func == (left: SearchText, right: SearchText) -> Bool {
        left.folded.utf8.elementsEqual(right.folded.utf8)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
