import PatchbayDomain

/// What the stored pages of some rows say about them.
struct PageNotes: Sendable {
    /// Why rows of the pages, or after them, may be missing.
    private(set) var shortfall: Shortfall?
    /// Why the source as it is now may list other rows (``Validator/doubt(for:)``).
    private(set) var doubt: String?
    /// Whether the source as it is now has returned all of the pages (`Source.identity`).
    private(set) var isValid = true

    /// Of rows that no page has.
    static let neverFetched = {
        var notes = PageNotes()
        (notes.doubt, notes.isValid) = ("this list was never fetched", false)
        return notes
    }()

    /// Adds a page; an earlier one's reasons remain.
    mutating func add(_ page: some StoredPage, for identity: String) {
        add(page.incomplete.map(Shortfall.init(stored:)))
        doubt = doubt ?? page.validator.doubt(for: identity)
        isValid = isValid && page.validator.isValid(for: identity)
    }

    /// Adds a reason that is stored with no page.
    mutating func add(_ shortfall: Shortfall?) { self.shortfall = self.shortfall ?? shortfall }
}
