import PatchbayCore
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

/// The first request of a list, if paging begins with a value: `cursor=*`, `startIndex=1`.
extension DraftPaging {
    /// The request for the first page, and its parameters that paging sets later. The list's address keeps those, since
    /// without them many servers send no cursor, or fail.
    ///
    /// A request without such parameters is the first one. A value that may be in the middle of the list is not kept.
    var start: (sample: DraftSample, kept: Set<String>) {
        if isDescribed { return requiredStart }
        func ofPaging(_ sample: DraftSample) -> [(name: String, value: String)] {
            sample.parameters.filter { parameters.contains($0.name) }
        }
        if let first = samples.first(where: { ofPaging($0).isEmpty }) { return (first, []) }
        guard next?.hasPrefix("page") != true,
            let first = samples.first(where: { ofPaging($0).allSatisfy { DraftPaging.isStart($0.value) } })
        else { return (samples[0], []) }
        // Rows are counted from 0 unless the address says otherwise.
        return (first, Set(ofPaging(first).filter { !isOffset || $0.value != "0" }.map(\.name)))
    }

    /// A document's request, with the numbers that it requires even for the first page.
    private var requiredStart: (sample: DraftSample, kept: Set<String>) {
        var first = samples[0]
        let kept = parameters.intersection(first.required).filter { isPageNumber($0) || isOffset($0) }
        let words = next?.split(separator: " ").map(String.init) ?? []
        for place in first.parameters.indices
        where words.starts(with: ["page", first.parameters[place].name]) {
            first.parameters[place].value = words.count > 2 ? words[2] : "1"
        }
        return (first, kept)
    }

    /// The parameters with another value in the address of the next page: a request in the middle of the list has them,
    /// but the first one need not.
    func moved(_ next: (DraftSample) -> String?) -> [String] {
        samples.filter { !$0.isDescribed }.flatMap { sample in
            let address = next(sample).flatMap { sample.address?.resolving($0) }
            let items = address.map { PercentEncoding.items(ofQuery: $0.query) } ?? []
            return items.filter { item in !sample.parameters.contains { $0 == item } }.map(\.name)
        }
    }

    private var isOffset: Bool { next?.hasPrefix("offset") == true }

    /// Whether a value of a parameter stands for the beginning of a list, rather than for a place in it.
    private static func isStart(_ value: String) -> Bool {
        ["", "*", "0", "-1", "1", "first", "start", "initial", "null"].contains(value.lowercased())
    }

    /// The parameter in which a request sent such a value in place of a cursor.
    var sentCursor: String? {
        samples.lazy.flatMap(\.parameters).first { name, value in
            let folded = DraftWords.folded(name)
            return DraftPaging.isStart(value) && DraftPaging.isWord(name) && !DraftPaging.isCounter(name)
                && (folded.hasPrefix("cursor") || Self.cursorParameters.contains(folded))
        }?.name
    }
}
