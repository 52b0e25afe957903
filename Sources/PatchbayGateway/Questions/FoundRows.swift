public import PatchbayDomain

/// The rows in which words were found, the best first.
public struct FoundRows: Sendable {
    /// A row in which the words were found.
    public struct Row: Sendable {
        /// The row, with local edits.
        public let item: Item
        /// The part of its texts in which the words are.
        public let excerpt: Excerpt

        package init(item: Item, excerpt: Excerpt) {
            self.item = item
            self.excerpt = excerpt
        }

        /// The resource of the row.
        public var resource: Resource { item.resource }
    }

    /// At most as many as were requested.
    public let rows: [Row]
    /// The number of rows that match, or that were ranked if more match.
    public let count: Int
    /// Whether more rows match than are ranked, 30,000, so that ``rows`` are the best of those whose texts changed
    /// last.
    public let isCut: Bool
    /// Why rows may be missing that match: the index could not be updated, words are too short for it, or lists of the
    /// searched resources were not fetched to their ends. Nil when none are.
    public let reason: String?
    /// Whether the index could not be updated, so that it lacks changes.
    public let isOutdated: Bool
    /// The resources that were searched and have no stored rows with texts.
    public let empty: [Resource]

    package init(
        rows: [Row], count: Int, isCut: Bool, reason: String?, isOutdated: Bool, empty: [Resource]
    ) {
        self.rows = rows
        self.count = count
        self.isCut = isCut
        self.reason = reason
        self.isOutdated = isOutdated
        self.empty = empty
    }

    /// That only the latest matches were ranked, as a sentence; nil when all were.
    package var cut: String? {
        isCut ? "more than \(count) rows match; these are the best of the latest \(count)" : nil
    }
}

/// The part of a text in which words were found.
public struct Excerpt: Hashable, Sendable {
    /// The texts in turn before, in and after a found word: those with odd places were found.
    public let parts: [String]

    package init(parts: [String]) { self.parts = parts }

    /// The text without marks.
    public var text: String { parts.joined() }

    /// The text with found words in brackets.
    package var bracketed: String {
        parts.enumerated().map { $0.isMultiple(of: 2) ? $1 : "[\($1)]" }.joined()
    }
}
