import PatchbayDomain
import PatchbayJSON

/// Finds how pages follow from the parameters that a document declares.
extension DraftPaging {
    /// The parameters of a document's lists that may take a cursor.
    var options: [String] { samples.flatMap(\.options).filter(DraftPaging.isWord) }

    /// Finds the parameter of a document's list that has the name of a cursor in its answer.
    mutating func declaredCursor() -> Bool {
        let values = members.filter { path, value in
            value.word != nil && DraftPaging.spelled(path) != nil && !DraftPaging.isAddress(path)
        }
        // A page may have both: the `next` beside a cursor is then an address. A cursor may be a number; the number of
        // the next page is not one.
        let named = values.filter { Self.isCursor($0.path) }
        let texts = values.filter { if case .text = $0.value { true } else { false } }
        let options = options
        for (path, _) in named + texts.filter({ DraftPaging.isNext($0.path) }) {
            let name = path.last ?? "", words = DraftWords.split(name)
            let own = words.filter { $0 != "next" && $0 != "more" }.joined()
            let names = [own, own + "id", words.joined()] + Self.cursorParameters
            let found =
                names.lazy.filter { !$0.isEmpty }.compactMap { name in
                    options.first { DraftWords.folded($0) == name }
                }
                .first ?? options.first(where: Self.takesCursor)
            guard let found, let spelled = DraftPaging.spelled(path) else { continue }
            return set(
                "cursor \(found) \(spelled)", sending: [found],
                "the member \(spelled) looks like the cursor that \(DraftWords.shown(found)) takes")
        }
        return false
    }

    /// Finds a header of the answer that has the cursor for a parameter.
    mutating func declaredHeader() -> Bool {
        guard let (parameter, header) = samples.lazy.compactMap(\.cursorHeader).first,
            DraftPaging.isWord(parameter)
        else { return false }
        return set(
            "header \(parameter) \(header)", sending: [parameter],
            "the header \(header) looks like the cursor that \(DraftWords.shown(parameter)) takes")
    }

    /// Finds a member with the number of the next page, which some answers have in place of an address.
    mutating func declaredNumber() -> Bool {
        let found = members.first { path, value in
            guard case .number = value else { return false }
            return DraftPaging.isNext(path) && DraftPaging.spelled(path) != nil
        }
        guard let found, let path = DraftPaging.spelled(found.path) else { return false }
        let name = DraftPaging.guessedParameter(found.path.last ?? "")
        let known = options.first { DraftWords.folded($0) == DraftWords.folded(name) }
        let parameter = known ?? options.first(where: isPageNumber) ?? (name == "next" ? "page" : name)
        return set(
            "cursor \(parameter) \(path)", sending: [parameter],
            "the member \(path) is the number of the next page; the parameter \(parameter) is a guess",
            doubt: .guess)
    }

    /// Finds links beside the rows, of which one may lead to the next page: `links[rel=next]/href`.
    mutating func declaredLinks() -> Bool {
        for (path, value) in members where JSONPath(members: path) != rows {
            guard let link = value.elements.first,
                let relation = ["rel", "relation"].first(where: { link[$0] != nil }),
                let address = ["href", "url", "uri"].first(where: { link[$0] != nil }),
                let links = DraftPaging.spelled(path)
            else { continue }
            return set(
                "url \(links)[\(relation)=next]/\(address)",
                "one of \(links) may lead to the next page; this is a guess", doubt: .guess)
        }
        return false
    }

    /// Finds a parameter for which other lists of the document have a `Link` header.
    mutating func guessedLink() -> Bool {
        guard let parameter = samples.lazy.compactMap(\.linkParameter).first else { return false }
        return set(
            "link",
            "other lists with the parameter \(DraftWords.shown(parameter)) have a Link header with the next page; that "
                + "this one has it too is a guess",
            doubt: .guess)
    }

    /// Finds a parameter that takes the key of the last row.
    mutating func declaredLast() -> Bool {
        let names = options.map(DraftWords.folded)
        func first(_ wanted: [String]) -> String? {
            options.first { wanted.contains(DraftWords.folded($0)) }
        }
        guard let key else { return false }
        // `after` may be a time; beside `before`, without another place of the next page, it is the id of a row.
        let hasNext = members.contains { Self.isNext($0.path) }
        let isRow = more != nil || names.contains("before") && !hasNext
        let last = first(
            ["startingafter", "afterid", "startafter", "lastid", "startingafterid"] + (isRow ? ["after"] : [])
        )
        // `since_id` selects the rows after one, but a page usually has the newest of them.
        let since = first(["sinceid"])
        guard let found = last ?? since.flatMap({ _ in first(["maxid", "beforeid", "untilid"]) }) else {
            if let since { doubts.append(.filter(since)) }
            return false
        }
        return set(
            "last \(found) \(key.field)", sending: [found],
            "the parameter \(DraftWords.shown(found)) probably takes the last row's \(key.field)",
            doubt: more == nil ? .guess : nil)
    }
}
