/// A guess about the pages of a list that the summary has to name.
enum DraftDoubt: Hashable {
    /// Nothing states the number of the first page.
    case firstPage
    /// The parameter or the member is a guess from names.
    case guess
    /// A parameter that may select rows, or take the place of the next page.
    case filter(String)
    /// The connector sends the number of rows in a parameter that is named as the number of a page.
    case offset(sentAs: String)
    /// No schema declares the member of the last row that is sent.
    case undeclared(String)

    /// What must be corrected, as a part of a sentence.
    ///
    /// - Parameter lists: the names of the lists.
    func words(_ lists: String) -> String {
        switch self {
        case .firstPage:
            "the first number in NAME.next of \(lists), which the document does not state: if pages count from 0, "
                + "write page PARAM 0, or one page is missing"
        case .guess: "NAME.next of \(lists), which is a guess"
        case .filter(let parameter):
            "NAME.next of \(lists), which is missing, because \(DraftWords.shown(parameter)) may only select newer "
                + "rows"
        case .offset(let parameter):
            "NAME.next of \(lists), because the connector sends the number of rows as \(DraftWords.shown(parameter))"
        case .undeclared(let member):
            "NAME.next of \(lists), because no schema declares \(DraftWords.shown(member)) in the rows"
        }
    }
}
