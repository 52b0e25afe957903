import PatchbayCore

/// A column of texts that IN compares with numbers.
///
/// Thrown when a plan meets such a number. While SQLite walks along the values of `IN (SELECT ...)`, it compares each
/// with the column as a text, whereas the statement compares them as numbers: 5 is the text 05 as well. So the
/// statement begins again with plans that do not use this condition, and SQLite compares as it should.
struct NumberColumn: Error, Hashable {
    let table: String
    let column: String

    /// The error for a statement whose first rows have been passed on.
    var error: PatchbayError {
        PatchbayError(
            .invalidValue,
            "IN compares the texts of \(table).\(column) with numbers; write IN (SELECT CAST(... AS TEXT) ...)"
        )
    }
}
