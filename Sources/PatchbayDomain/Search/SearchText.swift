package import PatchbayCore

/// A search text, normalised so that a search is the same however it was typed.
///
/// 1. White space (Unicode's property) at both ends is removed. White space inside stays.
/// 2. The rest is composed (NFC): one sequence of scalars, whatever the keyboard sends. This text is sent to the
/// source.
/// 3. Texts are compared case-folded (`String.caseFolded`). The words `AND`, `OR` and `NOT` in capitals stay, because
/// search languages read them as operators and the lower-case words as words.
///
/// The result has 1 to ``charactersMax`` characters and no U+0000. Everything else is data: quotes, colons, escapes.
package struct SearchText: Sendable {
    /// The maximum number of characters (Unicode scalars) of a text, which is GitHub's limit.
    package static let charactersMax = 256

    /// The text as typed, after rules 1 and 2.
    package let text: String
    /// The text after rule 3. Two searches are the same when these are equal.
    package let folded: String

    /// Nil for a text that is empty or only white space, because there is nothing to search for.
    ///
    /// - Throws: `invalidValue` for a text that is too long or contains U+0000.
    package init?(_ typed: String) throws {
        let trimmed = typed.trimmed
        guard !trimmed.isEmpty else { return nil }
        // Composing shortens a text by at most this factor. A longer text is refused without the wait for composing it.
        let text = trimmed.utf8.count > 16 * 4 * Self.charactersMax ? trimmed : trimmed.composed
        let count = text.unicodeScalars.count
        guard count <= Self.charactersMax else {
            throw PatchbayError(
                .invalidValue,
                "a search text has at most \(Self.charactersMax) characters, this one has \(count); shorten it",
                [.limit(Self.charactersMax)])
        }
        guard !text.utf8.contains(0) else {
            throw PatchbayError(
                .invalidValue, "the search text contains U+0000, which cannot be stored; leave it out")
        }
        self.text = text
        folded = text.split(separator: " ", omittingEmptySubsequences: false)
            .map { Self.operators.contains(String($0)) ? String($0) : String($0).caseFolded }
            .joined(separator: " ")
    }

    private static let operators: Set<String> = ["AND", "OR", "NOT"]

    /// The case-folded prefix of the names and logins that this text begins.
    package var prefix: String { text.caseFolded }

    /// The folded text as part of a key; a long one is replaced by its beginning and its digest.
    package var key: String {
        guard folded.utf8.count > Self.keyBytesMax else { return folded }
        return folded.beginning(bytesMax: Self.keyBytesMax - 36) + "… " + TextDigest(of: folded).description
    }

    /// The key of the row for this search, as a denied (``StoredDeniedSearch``) or a recent one
    /// (``StoredRecentSearch``).
    ///
    /// - Parameter subject: the collection that is searched.
    package func rowKey(for subject: String) -> Key { [.text(subject), .text(key)] }

    /// A key has at most 480 bytes, and this is only a part of it.
    private static let keyBytesMax = 320

    /// Whether one of the texts begins with the other, as when a user is still typing.
    package func isSameTyping(as other: SearchText) -> Bool {
        folded.utf8.starts(with: other.folded.utf8) || other.folded.utf8.starts(with: folded.utf8)
    }
}

extension SearchText: Hashable {
    /// Whether the folded texts are equal, compared as bytes.
    package static func == (left: SearchText, right: SearchText) -> Bool {
        left.folded.utf8.elementsEqual(right.folded.utf8)
    }

    /// Hashes the folded text.
    package func hash(into hasher: inout Hasher) { hasher.combine(folded) }
}
