import PatchbayDomain
import PatchbayGateway

// The parameters that operations share; each has the same meaning everywhere.
extension Parameter {
    /// The maximum number of rows in an array.
    static let rowsMax = 1_000
    static let rowsUsual = 100
    /// The maximum length of a bound; a longer text does not fit a key.
    static let boundCharactersMax = 240

    static let limit = Parameter(
        "limit", .integer(1...Int64(rowsMax)),
        "The number of rows on a page, by default \(rowsUsual). JSON Lines without a limit contain all rows.")
    static let after = Parameter(
        "after", .token, "The start of the page: the token in the link \"next\" of the previous page.")
    static let before = Parameter(
        "before", .token, "The end of the page: the token in the link \"prev\" or \"last\" of a page.")
    static let fields = Parameter(
        "fields", .names,
        "The fields to return, in this order; \(RowNote.allCases.map(\.rawValue).joined(separator: ", ")) are returned "
            + "only when named, after the others.")
    static let policy = Parameter(
        "policy", .choice(Policy.allCases.map(\.rawValue)),
        "Whether the source is queried; local-first answers with stored rows if they are complete, and queries "
            + "the source afterwards.")

    static let by = Parameter("by", .text(charactersMax: 60), "The index to walk along.")
    static let equal = Parameter(
        "equal", .text(charactersMax: boundCharactersMax),
        "Selects rows whose first index values are equal to these; send it once for each value."
    ).repeated
    static let prefix = Parameter(
        "prefix", .text(charactersMax: boundCharactersMax),
        "Like equal, but the last value is a prefix."
    ).repeated
    static let from = Parameter(
        "from", .text(charactersMax: boundCharactersMax), "The lowest index values, inclusive."
    ).repeated
    static let to = Parameter(
        "to", .text(charactersMax: boundCharactersMax), "The highest index values, inclusive."
    ).repeated
    static let at = Parameter(
        "at", .text(charactersMax: boundCharactersMax),
        "The index values at which the first page starts. Earlier rows are not left out; the link \"prev\" "
            + "leads to them."
    ).repeated
    static let order = Parameter(
        "order", .choice(["ascending", "descending"]), "The direction of the walk along the index.")
    static let list = Parameter("list", .text(charactersMax: 60), "The name of a list of the source.")
    static let of = Parameter(
        "of", .text(charactersMax: 140),
        "A value that the list needs, once for each: the handle of the row it belongs to, then its arguments."
    ).repeated

    static let resource = Parameter("resource", .text(charactersMax: 120), "The name of a resource.")
    static let text = Parameter(
        "q", .words(charactersMax: SearchText.charactersMax), "The text to search for.")
    static let resources = Parameter("of", .names, "The names of resources; all by default.")
}
