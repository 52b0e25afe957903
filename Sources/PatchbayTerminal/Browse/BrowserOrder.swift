import Patchbay

/// An order in which a browser shows stored rows: along an index, or against it.
package struct BrowserOrder: Hashable, Sendable {
    let index: Index
    let direction: Query.Order
    /// The fields and an arrow, as on the page: `login ↑`.
    let words: String
    /// The field whose value all rows of the list share; nil for a list of all rows.
    let within: ResourceField?

    /// Returns the part of the index that contains the rows of the list; nil if it is unknown.
    ///
    /// - Parameter item: any row of the list.
    func bounds(with item: Item?) -> Bounds? {
        guard let within else { return .all }
        return switch item?[within] {
        case .integer(let number): .equal(.integer(number))
        case .text(let text): .equal(.text(text))
        default: nil
        }
    }
}

extension Resource {
    /// The orders in which stored rows can be walked, without that of the source's list.
    ///
    /// - Parameter isWhole: whether the list contains all rows; if not, only indexes that begin with the field that
    ///   its rows share can be walked.
    func orders(isWhole: Bool) -> [BrowserOrder] {
        let within = isWhole ? nil : declaration.within.flatMap(field(named:))
        guard isWhole || within != nil else { return [] }
        return namedIndexes.filter { isWhole || $0.parts[0].field == within?.name }.flatMap { index in
            let fields = index.parts.map(\.field).dropFirst(isWhole ? 0 : 1)
            let names = fields.isEmpty ? key.map(\.name)[...] : fields
            let words = names.joined(separator: ", ").withSpaces
            let isOfSource = isWhole && Array(names) == order.map { [$0.name] }
            return ([(.ascending, "↑"), (.descending, "↓")] as [(Query.Order, String)])
                .dropFirst(isOfSource ? 1 : 0)
                .map {
                    BrowserOrder(index: index.index, direction: $0, words: "\(words) \($1)", within: within)
                }
        }
    }
}

extension NamedQuestion {
    /// The orders of the list; none if it is unknown which stored rows it contains.
    package var orders: [BrowserOrder] {
        list == nil ? resource.orders(isWhole: parent == nil && arguments.isEmpty) : []
    }
}
