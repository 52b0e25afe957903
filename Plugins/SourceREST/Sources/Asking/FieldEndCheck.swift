import PatchbayCore
import PatchbayDomain

/// Compares the rows in a field of another row with what the field's value says about further ones.
struct FieldEndCheck {
    let resource: Resource
    /// The row whose field has the rows.
    let parent: Item
    let field: String
    /// The JSON of the field.
    let value: [UInt8]
    /// The number of rows.
    let count: Int

    /// Why the field does not have the whole list; nil when nothing says so, or when the definition has settled it.
    var shortfall: Shortfall? {
        let declaration = resource.declaration, noun = resource.name.withHyphens
        let signs = EndSigns(value, beside: declaration.rows)
        let place =
            "the field \(field.withHyphens) of the \(parent.resource.singular) \(Quotation.quoted(parent.handle))"
        let advice = "\(noun).path in place of \(noun).from requests them"
        if let total = total(signs), total > count {
            return Shortfall(
                .end,
                "\(place) has \(count) of \(total) \(resource.plural); \(advice), and \(noun).total = none states that "
                    + "the number is another one")
        }
        guard declaration.paging != .none,
            let sign = signs.more.flatMap({ $0.isOfList ? "\"\($0.path)\" is \($0.value)" : nil })
                ?? signs.next.first(where: \.isOfList).map({ "it names a next page at \"\($0.path)\"" })
        else { return nil }
        return Shortfall(
            .end,
            "\(place) may lack some of the \(resource.plural), because \(sign); \(advice), and \(noun).next = none "
                + "states that none are missing")
    }

    /// The number of rows of the whole list: at the definition's place, or else where APIs usually have it.
    private func total(_ signs: EndSigns) -> Int64? {
        let declaration = resource.declaration
        if let path = declaration.total {
            return BodyValue(at: path, in: value)?.word.flatMap { Int64(json: $0) }
        }
        guard declaration.paging != .none, !declaration.hasNoTotal, let total = signs.total,
            !total.path.contains("/"), EndSigns.folded(total.path) != "total" || isPage(signs)
        else { return nil }
        return Int64(json: total.value)
    }

    /// Whether the value looks like a page of a list, so that a total in it is not an amount.
    private func isPage(_ signs: EndSigns) -> Bool {
        if signs.more ?? signs.noMore != nil || !signs.next.isEmpty { return true }
        let members = BodyValue(at: JSONPath.whole, in: value)?.members ?? []
        return members.contains { Self.pageMembers.contains(EndSigns.folded($0.name)) }
    }

    private static let pageMembers: Set = [
        "limit", "offset", "startat", "maxresults", "perpage", "pagesize", "page", "skip", "start", "count",
    ]
}

extension EndSigns.Sign {
    /// Whether the name is that of a list. `done`, `truncated` or `next` may be what a thing is about.
    fileprivate var isOfList: Bool {
        let name = EndSigns.folded(path)
        return name.contains("more") || name.contains("next") && name != "next"
    }
}
