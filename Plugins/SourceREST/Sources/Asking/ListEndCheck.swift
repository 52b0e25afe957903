import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// Compares the end of a list, by the rules of its definition, with what the last answer says about more rows.
struct ListEndCheck {
    let list: ListRequest
    let answer: RESTAnswer
    /// The number of rows of the page.
    let count: Int

    private var resource: ResourceDeclaration { list.resource.declaration }
    private var noun: String { list.resource.name.withHyphens }

    /// The number of rows of the whole list: at the definition's place, or else at a place where APIs usually have it.
    /// Nil when the definition states that there is none, that the list has only one page, or what else marks its end.
    var total: Int64? {
        if let path = resource.total {
            guard case .number(let text) = BodyValue(at: path, in: answer.body) else { return nil }
            return Int64(json: text)
        }
        guard list.paging != .none, !resource.hasNoTotal, !list.end.hasMark || absentMark != nil else {
            return nil
        }
        return signs.total.flatMap { Int64(json: $0.value) }
            ?? Self.totals.lazy.compactMap {
                answer.fields[$0].flatMap { Int64($0) }
            }.first
    }

    /// The fields in which APIs count the rows of the whole list.
    private static let totals = ["X-Total-Count", "X-Total", "Total-Count", "X-WP-Total"].compactMap {
        HTTPField.Name($0)
    }
    /// Those in which they state the next page.
    private static let nexts = ["X-Next-Page", "X-Next-Cursor"].compactMap { HTTPField.Name($0) }

    /// What a range of rows, such as `Content-Range: items 0-6/13`, leaves out after it; nil for none. An answer 206 is
    /// a part whatever its range is.
    private var partSign: String? {
        let range = answer.fields[.contentRange] ?? ""
        let words = range.split(whereSeparator: { " -/".contains($0) }).suffix(2).map { Int64($0) }
        if words.count == 2, let last = words[0], let total = words[1] {
            return last + 1 < total ? "it has the rows up to \(last) of \(total) (Content-Range)" : nil
        }
        let isWhole = list.paging == .none || list.paging == .link
        return answer.status == 206 && isWhole ? "it is a part of the list (206)" : nil
    }

    /// Why the answer contradicts the end of the list; nil when it does not, or when the definition has settled it.
    var shortfall: Shortfall? {
        if list.end.isEmptyPage, count == 0 { return nil }
        let signs = signs
        guard !list.end.isMarked(in: answer.body) || absentMark != nil || isMisread(signs) else { return nil }
        if !resource.hasNoTotal, let sign = partSign {
            return Shortfall(
                .end,
                "the answer is not the whole list, because \(sign); \(noun).next states where the rest is, and "
                    + "\(noun).total = none that this does not count")
        }
        guard list.paging != .none else { return nil }
        // What the definition reads has been followed, unless a member that is absent has ended the list.
        let isFollowed = absentMark == nil
        if list.paging != .link || !isFollowed, Link.target("next", in: answer.fields[.link]) != nil {
            return contradiction(
                "the answer has a Link header with a next page", "\(noun).next = link follows it")
        }
        let other = Self.nexts.first { !(isFollowed && isRead($0)) && answer.fields[$0]?.isEmpty == false }
        if let other {
            return contradiction(
                "the answer has the field \(other) with a next page",
                "\(noun).next = header PARAM \(other) follows it")
        }
        if let more = list.end.more(in: answer.body) ?? signs.more ?? laterPage(signs) {
            return contradiction(
                "\"\(more.path)\" is \(more.value)", "\(noun).next states where the next page is")
        }
        let next = signs.next.first {
            $0.path != readPath?.description && isLater($0) && !signs.isSettled($0)
        }
        if let next {
            return contradiction(
                "the answer names a next page at \"\(next.path)\"",
                "\(noun).next = url \(next.path), or cursor PARAM \(next.path), follows it")
        }
        if !isFollowed, list.isFirst, let fullness, let readPath,
            BodyValue(at: readPath, in: answer.body)?.isEnd == false
        {
            return contradiction(
                "\(fullness) and has a next page at \"\(readPath)\"",
                "if it is left out where it is false, \(noun).end = empty follows the list to a page without rows"
            )
        }
        guard !resource.isPagingDeclared, let fullness else { return nil }
        return contradiction(
            "\(fullness) and the definition has no \(noun).next",
            "\(noun).next = link states that a Link header names every next page")
    }

    private var signs: EndSigns { EndSigns(answer.body, beside: list.rows) }

    /// The member that would show that the list continues, if the answer does not have it at all. It may be misspelled,
    /// so that everything else counts.
    private var absentMark: JSONPath? { list.end.absentMark(in: answer.body) }

    /// Whether the member that marks the end states, by its usual meaning, that more rows follow.
    private func isMisread(_ signs: EndSigns) -> Bool {
        let marks = [list.end.unless, list.end.mark].compactMap { $0?.description }
        return signs.more.map { marks.contains($0.path) } ?? false
    }

    /// The member with the number of the last page, if that is not this page.
    private func laterPage(_ signs: EndSigns) -> EndSigns.Sign? {
        guard let (stated, last, sign) = signs.pages else { return nil }
        if list.isFirst { return stated >= 0 && last > max(stated, 1) ? sign : nil }
        let page = max(stated, requested ?? stated)
        if case .page(_, let first) = list.paging { return last > page + (first == 0 ? 1 : 0) ? sign : nil }
        // An API with cursors may not count its pages, or count them from 0.
        return page > 1 && last > page + 1 ? sign : nil
    }

    /// The number of the page, or of the rows before it, that the address of the answer states.
    private var requested: Int64? {
        switch list.paging {
        case .page(let parameter, _), .offset(let parameter): answer.address.queryInteger(parameter)
        default: nil
        }
    }

    /// Whether a member may lead to a page after this one: anything but a number that this page has passed.
    private func isLater(_ sign: EndSigns.Sign) -> Bool {
        Int64(sign.value).map { $0 > requested ?? 0 } ?? true
    }

    /// How many rows a page has that may be full; nil for one that is not.
    private var fullness: String? {
        if let rows = list.address.pageRows, count >= rows {
            return "the last page is full (\(Count.words(count, "row")))"
        }
        guard list.isFirst, Self.usualPageRows.contains(count) else { return nil }
        // One of many periods has a small usual number of rows sooner or later.
        guard resource.since?.window == nil || count >= 100 else { return nil }
        return "\(count) rows are often one page of several"
    }

    /// The usual numbers of rows of a page where the request states none, or more than the source returns.
    private static let usualPageRows: Set = [20, 25, 30, 50, 100, 200, 250, 500, 1_000, 2_000, 5_000, 10_000]

    /// Why an answer that names a next page contradicts the number that is requested next; nil when it does not.
    ///
    /// - Parameter next: the address that is requested next.
    func shortfall(before next: String) -> Shortfall? {
        guard case .page(let parameter, _) = list.paging,
            let number = HTTPAddress(next)?.queryInteger(parameter)
        else { return nil }
        let links = [Link.target("next", in: answer.fields[.link])] + signs.next.map(\.value)
        let named = links.lazy.compactMap { link in
            link.flatMap { answer.address.resolving($0) }?.queryInteger(parameter)
        }.first
        // An API that numbers its pages from 1 returns the first one for 0 as well, then again (``ItemPage/isOne``).
        guard let named, named != number, (number, named) != (1, 2) else { return nil }
        return Shortfall(
            .end,
            "the answer names page \(named) as the next one, but page \(number) follows by \(noun).next; its last "
                + "number is that of the first page, so set \(noun).next = page \(parameter) \(named - 1)")
    }

    /// Why the answer may not have all rows of its page; nil when nothing says so, or with `error = none`.
    var failure: Shortfall? {
        // A search can state itself that its results are incomplete.
        guard answer.rules.mark != ErrorRules.Mark.none, list.search?.incomplete == nil,
            let sign = ErrorSigns(answer.body, rows: list.rows, isErrorDeclared: answer.rules.mark != nil)
                .sign
        else { return nil }
        return Shortfall(
            .end,
            "the answer may be an error, because \(sign); error = PATH states where an error is, and error = none that "
                + "this is none")
    }

    private func contradiction(_ sign: String, _ advice: String) -> Shortfall {
        let advice =
            if let absentMark {
                "\(noun).end names \"\(absentMark)\", which the answer does not have; \(advice)"
            } else if list.end.isMarked(in: answer.body) {
                "\(noun).end takes this for the end; write PATH for a value that ends the list, and not PATH for one "
                    + "that continues it"
            } else {
                (count == 0 ? "\(noun).end = empty states that an empty page is the end" : advice)
                    + ", and \(noun).next = none that there is only one page"
            }
        let problem =
            count == 0 ? "the last page is empty, but \(sign)" : "the list may continue, because \(sign)"
        return Shortfall(.end, "\(problem); \(advice)")
    }

    /// Whether the definition reads the next page from a field.
    private func isRead(_ name: HTTPField.Name) -> Bool {
        if case .header(_, let read) = list.paging { HTTPField.Name(read) == name } else { false }
    }

    /// The place of the next page that the definition reads.
    private var readPath: JSONPath? {
        switch list.paging {
        case .url(let path), .cursor(_, let path, _): path
        case .link, .none, .last, .page, .offset, .header: nil
        }
    }
}

extension ListEnd {
    /// Whether a member of the body can mark the end.
    var hasMark: Bool { unless != nil || mark != nil }

    /// Whether a member of the body marks the end.
    func isMarked(in body: [UInt8]) -> Bool {
        if let unless, BodyValue(at: unless, in: body)?.isEmpty != false { return true }
        return mark.map { BodyValue(at: $0, in: body)?.isEmpty == false } ?? false
    }

    /// The member whose absence marks the end, if the body does not have it, not even as null; nil when another member
    /// marks the end.
    func absentMark(in body: [UInt8]) -> JSONPath? {
        guard let unless, BodyValue(at: unless, in: body) == nil else { return nil }
        return mark.map { BodyValue(at: $0, in: body)?.isEmpty == false } ?? false ? nil : unless
    }

    /// The member that can mark the end, where it states that the list continues; nil when none does.
    func more(in body: [UInt8]) -> EndSigns.Sign? {
        if isMarked(in: body) { return nil }
        if let unless, let value = BodyValue(at: unless, in: body) {
            let shown = if case .text = value { value.type } else { value.shown ?? value.type }
            return EndSigns.Sign(path: unless, shown)
        }
        guard let mark, BodyValue(at: mark, in: body) == .boolean(false) else { return nil }
        return EndSigns.Sign(path: mark, "false")
    }
}
