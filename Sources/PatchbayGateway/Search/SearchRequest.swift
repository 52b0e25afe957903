import PatchbayCore
import PatchbayDomain

/// The text to search, and the page to show.
struct SearchRequest: Sendable {
    let text: String
    let page: Int
    let limit: Int
    var policy: Policy
    /// The previous text of the same typing; only one of the two stays among the recent searches.
    var former: SearchText?

    /// The number of rows before the window.
    var offset: Int { (page - 1) * limit }
    /// The number of rows up to the window's end.
    var end: Int { page * limit }

    init(_ text: String, page: Int, limit: Int, _ policy: Policy) {
        precondition(page >= 1 && limit >= 1, "a window has rows, and pages are counted from 1")
        precondition(
            page <= Limits.pageRows / limit, "a search shows its first \(Limits.pageRows) results at most")
        self.text = text
        self.page = page
        self.limit = limit
        self.policy = policy
    }

    /// - Throws: `invalidValue` for a text that cannot be searched, or an empty one.
    func searchText() throws -> SearchText { try Self.searchText(text) }

    static func searchText(_ text: String) throws -> SearchText {
        guard let text = try SearchText(text) else {
            throw PatchbayError(.invalidValue, "the search text is empty; give at least one character")
        }
        return text
    }
}
