import HTTPTypes
import PatchbayCore
import PatchbayDomain

/// Compares the end of a list, by the rules of its definition, with what the last answer says about more rows.
struct ListEndCheck {
    let list: ListRequest
    let answer: RESTAnswer

    private var resource: ResourceDeclaration { list.resource.declaration }
    private var noun: String { list.resource.name.withHyphens }

    /// The number of rows of the whole list: at the definition's place, or else at a place where APIs usually have it.
    /// Nil when the definition states that there is none, that the list has only one page, or what else marks its end.
    var total: Int64? {
        if let path = resource.total {
            guard case .number(let text) = BodyValue(at: path, in: answer.body) else { return nil }
            return Int64(json: text)
        }
        guard list.paging != .none, !resource.hasNoTotal, list.end.unless == nil else { return nil }
        return EndSigns(answer.body).total.flatMap { Int64(json: $0.value) }
    }

    /// Why the answer contradicts the end of the list; nil when it does not, or when the definition has settled it.
    ///
    /// - Parameter count: the number of rows of the last page. An empty one is always the end.
    func shortfall(afterRows count: Int) -> Shortfall? {
        guard list.paging != .none, count > 0, !isMarkedAsEnd else { return nil }
        if list.paging != .link, Link.target("next", in: answer.fields[.link]) != nil {
            return contradiction(
                "the answer has a Link header with a next page", "\(noun).next = link follows it")
        }
        let signs = EndSigns(answer.body)
        if let more = signs.more {
            return contradiction(
                "\"\(more.path)\" is \(more.value)", "\(noun).next states where the next page is")
        }
        if let next = signs.next.first(where: { $0.path != readPath }) {
            return contradiction(
                "the answer names a next page at \"\(next.path)\"",
                "\(noun).next = url \(next.path), or cursor PARAM \(next.path), follows it")
        }
        guard !resource.isPagingDeclared, let rows = list.address.pageRows, count >= rows else { return nil }
        return contradiction(
            "the last page is full (\(count) rows) and the definition has no \(noun).next",
            "\(noun).next = link states that a Link header names every next page")
    }

    private func contradiction(_ sign: String, _ advice: String) -> Shortfall {
        Shortfall(
            .end,
            "the list may continue, because \(sign); \(advice), and \(noun).next = none that there is only one page"
        )
    }

    /// Whether the definition's own rule marks the end, so that other members do not count.
    private var isMarkedAsEnd: Bool {
        list.end.unless.map { BodyValue(at: $0, in: answer.body)?.isEmpty != false } ?? false
    }

    /// The place of the next page that the definition reads.
    private var readPath: String? {
        switch list.paging {
        case .url(let path), .cursor(_, let path, _): path.description
        case .link, .none, .last, .page, .offset, .header: nil
        }
    }
}
