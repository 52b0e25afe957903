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
            let sign = (signs.more ?? signs.laterThanFirst).map({ "\"\($0.path)\" is \($0.value)" })
                ?? signs.next.first.map({ "it names a next page at \"\($0.path)\"" })
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
        guard declaration.paging != .none, !declaration.hasNoTotal else { return nil }
        return signs.total.flatMap { Int64(json: $0.value) }
    }
}
