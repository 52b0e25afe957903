/// A guess about the pages of a list that the summary has to name.
enum DraftDoubt: Hashable {
    /// Nothing states the number of the first page, for which the draft takes 0 or 1.
    case firstPage(taken: Int64)
    /// The parameter or the member is a guess from names.
    case guess
    /// A parameter that may select rows, or take the place of the next page.
    case filter(String)
    /// The connector sends the number of rows in a parameter that is named as the number of a page.
    case offset(sentAs: String)
    /// No schema declares the member of the last row that is sent.
    case undeclared(String)
    /// The answers have several arrays of objects, of which no name shows which one has the rows.
    case rows
    /// A parameter that selects rows even if it is not sent, and how.
    case preset(parameter: String, value: String)
    /// A header that this list requires, and most others do not.
    case header(String)

    /// What must be corrected, as a part of a sentence.
    ///
    /// - Parameter lists: the names of the lists.
    func words(_ lists: String) -> String {
        switch self {
        case .firstPage(taken: 0):
            "the first number in NAME.next of \(lists), which the document does not state: counting from 0 loses no "
                + "page, but if pages count from 1, page PARAM saves a request"
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
        case .rows: "NAME.rows of \(lists), which is a guess among several arrays of objects"
        case .preset(let parameter, let value):
            "NAME.path of \(lists), because \(DraftWords.shown(parameter)) is \(DraftWords.shown(value)) if it is "
                + "not set, which may leave out rows"
        case .header(let header):
            "the missing header \(DraftWords.shown(header)), which the document requires for \(lists)"
        }
    }
}

extension DraftWriter {
    /// What the summary has to name about the address and the rows of a list.
    func doubts(of group: DraftGroup) -> [DraftDoubt] {
        let first = group.samples[0]
        let headers = first.headers.filter { !commonHeaders.contains($0.name) }
        return (group.areRowsGuess ? [.rows] : [])
            + first.presets.map { .preset(parameter: $0.parameter, value: $0.value) }
            + headers.map { name, value in .header(name + (value.map { " = \($0)" } ?? "")) }
    }
}
