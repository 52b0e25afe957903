import PatchbayDomain
import PatchbayGateway

// The parameters that operations share, each with one meaning everywhere.
extension Parameter {
    /// The most rows of an array.
    static let rowsMax = 1_000
    static let rowsUsual = 100
    /// The most characters of a bound; a longer text fits no key.
    static let boundCharactersMax = 240

    static let limit = Parameter(
        "limit", .integer(1...Int64(rowsMax)),
        "How many rows a page has; \(rowsUsual) when it is left out. Of JSON Lines without it all rows come.")
    static let after = Parameter(
        "after", .token, "Where the page begins: the token that the link \"next\" of the page before has.")
    static let before = Parameter(
        "before", .token, "Where the page ends: the token that the link \"prev\" or \"last\" of a page has.")
    static let fields = Parameter(
        "fields", .names,
        "These fields alone, in this order; \(RowNote.allCases.map(\.rawValue).joined(separator: ", ")) come only "
            + "when they are named, after the others.")
    static let policy = Parameter(
        "policy", .choice(Policy.allCases.map(\.rawValue)),
        "Whether the source is asked: local-first answers with stored rows if they are all that was asked for, and "
            + "asks the source behind it.")

    static let by = Parameter("by", .text(charactersMax: 60), "The index to walk along.").ofStretch
    static let equal = Parameter(
        "equal", .text(charactersMax: boundCharactersMax),
        "The rows whose first values in the index are these; once for each value."
    ).repeated.ofStretch
    static let prefix = Parameter(
        "prefix", .text(charactersMax: boundCharactersMax),
        "The same, but that the last value only begins so."
    ).repeated.ofStretch
    static let from = Parameter(
        "from", .text(charactersMax: boundCharactersMax), "The least values of the rows, which count."
    ).repeated.ofStretch
    static let to = Parameter(
        "to", .text(charactersMax: boundCharactersMax), "The greatest values of the rows, which count."
    ).repeated.ofStretch
    static let at = Parameter(
        "at", .text(charactersMax: boundCharactersMax),
        "The values in the index that the first page begins at. Rows before it are not left out: the link \"prev\" "
            + "leads to them."
    ).repeated.ofStretch
    static let order = Parameter(
        "order", .choice(["ascending", "descending"]), "Along the index, or against it."
    ).ofStretch
    static let list = Parameter("list", .text(charactersMax: 60), "The name of a list of the source.")
        .ofStretch
    static let of = Parameter(
        "of", .text(charactersMax: 140),
        "What the list needs, once for each: the handle of the row that it belongs to, then its arguments."
    ).repeated.ofStretch

    static let resource = Parameter("resource", .text(charactersMax: 120), "The name of a resource.")
    static let text = Parameter("q", .words(charactersMax: SearchText.charactersMax), "What to search for.")
    static let resources = Parameter("of", .names, "The names of resources; all of them when it is left out.")
}
