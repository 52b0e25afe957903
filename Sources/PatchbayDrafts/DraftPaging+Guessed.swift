import PatchbayCore
import PatchbayDomain
import PatchbayJSON

/// Guesses how pages follow from names.
extension DraftPaging {
    mutating func guessedCursor() -> Bool {
        let object = samples.lazy.compactMap { $0.body["continue"] }.first { $0.parameters().count > 1 }
        if let object {
            return set(
                "cursor * continue", sending: object.parameters().map(\.name),
                "the members of continue look like parameters of the next page; this is a guess",
                doubt: .guess)
        }
        let found = members.first { path, value in
            DraftPaging.isCursor(path) && (value.word != nil || value.isNull)
                && DraftPaging.spelled(path) != nil
        }?.path
        if let found, let path = DraftPaging.spelled(found) {
            let sent = sentCursor, parameter = sent ?? DraftPaging.guessedParameter(found.last ?? "")
            return set(
                "cursor \(parameter) \(path)", sending: [parameter],
                "the member \(path) looks like a cursor; "
                    + (sent.map { "\(DraftWords.shown($0)) was sent, perhaps for one" }
                        ?? "the parameter \(parameter) is a guess"),
                doubt: .guess)
        }
        let address = samples.flatMap { DraftPaging.members(of: $0.body, withObjects: isDescribed) }
            .first { path, value in
                guard DraftPaging.isNext(path) else { return false }
                // A document may leave open what an object with the address has.
                if value.isObject { return value.members.isEmpty && DraftPaging.isAddress(path) }
                return value.isNull || isDescribed && value.word.map { Timestamp($0) == nil } ?? false
            }
        guard let address,
            let path = DraftPaging.spelled(address.path + (address.value.isObject ? ["href"] : []))
        else { return false }
        let verb = isDescribed ? "may" : "is null here and may"
        return set("url \(path)", "the member \(path) \(verb) be an address; this is a guess", doubt: .guess)
    }

    mutating func guessedNumber() -> Bool {
        func number(_ names: Set<String>) -> String? {
            member(names) { $1.word.flatMap { Int64($0) } != nil }?.last
        }
        if let name = number(["page", "currentpage", "pagenumber", "totalpages", "pagecount", "nextpage"]) {
            return set(
                "page page",
                "the member \(DraftWords.shown(name)) suggests numbered pages; the parameter's name is a guess",
                doubt: .guess)
        }
        guard let name = number(["offset", "skip", "start"]) else { return false }
        return set(
            "offset \(DraftPaging.isWord(name) ? name : "offset")",
            "the member \(DraftWords.shown(name)) suggests offsets; the parameter's name is a guess",
            doubt: .guess)
    }

    mutating func guessedLast() -> Bool {
        guard let key, more != nil else { return false }
        return set(
            "last starting_after \(key.field)", sending: ["starting_after"],
            "the answer shows whether there is more, but not how to request it; this is a guess",
            doubt: .guess)
    }

    /// Guesses from the name of the page's size when the answer reports more rows than it has.
    mutating func guessedSize() -> Bool {
        guard let total else { return false }
        let names = samples[0].parameters.map(\.name) + members.compactMap(\.path.last)
        let size = names.first { $0 != total && ResourceDeclaration.isPageSize($0) }
        guard let size else { return false }
        let isNumbered = DraftWords.folded(size).contains("page")
        return set(
            isNumbered ? "page page" : "offset offset",
            "the value of \(DraftWords.shown(total)) is more than the number of rows here, and "
                + "\(DraftWords.shown(size)) suggests \(isNumbered ? "numbered pages" : "offsets"); "
                + "the parameter's name is a guess", doubt: .guess)
    }
}
