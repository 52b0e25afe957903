/// Why rows of a list may be missing although the source answered every request.
///
/// It travels with the rows: a source returns it with a page (``ItemPage/shortfall``), it is stored with the page and
/// the run, and later answers from the storage report it as well. The list is complete again when the page is fetched
/// without one.
public struct Shortfall: Hashable, Sendable {
    /// The kinds of shortfall.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Rows were not stored, because they have no key, one that cannot be stored exactly, or that of another row.
        case keys
        /// The list ended, but the source's answer shows that there is more.
        case end
        /// The next page is at another server, or is one that was fetched before.
        case link
    }

    /// What is missing: rows within a page, or the rest of the list.
    public var kind: Kind
    /// What happened, to which rows, and what to do, as part of a sentence.
    public var reason: String

    /// Creates a shortfall.
    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }
}

extension Shortfall {
    /// The kind and the reason in one text.
    package var stored: String { "\(kind.rawValue) \(reason)" }

    /// Reads what ``stored`` wrote. A text without a known kind, such as one of another program, is about the end.
    package init(stored text: String) {
        let words = text.split(separator: " ", maxSplits: 1)
        if words.count == 2, let kind = Kind(rawValue: String(words[0])) {
            self.init(kind, String(words[1]))
        } else {
            self.init(.end, text)
        }
    }
}
