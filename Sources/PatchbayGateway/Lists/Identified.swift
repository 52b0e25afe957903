import PatchbayCore
import PatchbayDomain

/// The rows of one answer that have keys of their own. The first row with a key stays; a later one with other values is
/// left out, because it would overwrite a row that is not the same.
///
/// The same row twice with the same values is normal, and counts once.
struct Identified {
    private(set) var items: [Item]
    /// The keys of all rows of the answer, in its order.
    private(set) var keys: [KeyText]
    /// The number of rows that were left out.
    private(set) var clashes = 0
    /// The first row that was left out, with the one that has its key.
    private var example: (first: Item, other: Item)?
    private let count: Int
    private let resource: Resource

    init(_ items: [Item], of resource: Resource) {
        self.items = items
        self.resource = resource
        keys = items.map { KeyText($0.key) }
        count = items.count
        guard Set(keys).count < count else { return }
        var first: [KeyText: Item] = [:]
        self.items = zip(keys, items).compactMap { key, item in
            guard let known = first.updateValue(first[key] ?? item, forKey: key) else { return item }
            if known != item {
                clashes += 1
                example = example ?? (known, item)
            }
            return nil
        }
    }

    /// Why rows are missing; nil when no two rows with one key differ.
    var shortfall: Shortfall? {
        example.map { Shortfall.clash(clashes, of: count, $0.first, $0.other, resource) }
    }
}

extension Shortfall {
    /// The shortfall of rows that were left out because other rows have their keys.
    ///
    /// - Parameter isOfAnotherList: whether the first row is in the list of another parent or argument.
    static func clash(
        _ clashes: Int, of count: Int, _ first: Item, _ other: Item, _ resource: Resource,
        isOfAnotherList: Bool = false
    ) -> Shortfall {
        let noun = resource.name.withHyphens
        let key = resource.declaration.key.map(\.withHyphens).joined(separator: " ")
        let field = resource.fields.first { first[$0] != other[$0] }
        let values = [first, other].map { item in
            Quotation.quoted(field.flatMap { item[$0]?.description } ?? "")
        }.joined(separator: ", ")
        let rows = clashes == 1 ? "has" : "have"
        let row = isOfAnotherList ? "another row in another list" : "another row"
        let advice = isOfAnotherList ? resource.declaration.keyDoubt.map { "; \($0)" } : nil
        return Shortfall(
            .keys,
            "\(clashes) of \(count) rows \(rows) the key of \(row); \(noun).key = \(key) does not identify them "
                + "(\(field?.name.withHyphens ?? "") \(values) under key \(Quotation.quoted(first.keyText)))"
                + (advice ?? "")
        ).located(in: resource.declaration)
    }
}
