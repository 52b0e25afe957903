package import PatchbayCore

extension CollectionSchema {
    /// Whether its rows are those of a resource, which have change numbers.
    package var isOfResource: Bool { fields.starts(with: ItemState.fields) }

    /// The columns of edits in the collection of a resource, with the names of the edited fields.
    package var edits: [(field: String, position: Int)] {
        fields.enumerated().compactMap { position, field in
            field.name.hasSuffix(ResourceLayout.overrideSuffix)
                ? (String(field.name.dropLast(ResourceLayout.overrideSuffix.count)), position) : nil
        }
    }

    /// The columns of folded titles in the collection of a resource.
    package var foldedTitles: [FoldedTitle] {
        let places = Dictionary(
            uniqueKeysWithValues: fields.enumerated().map { ($0.element.name, $0.offset) })
        return fields.enumerated().compactMap { position, field in
            guard field.name.hasSuffix(ResourceLayout.foldedSuffix) else { return nil }
            let name = String(field.name.dropLast(ResourceLayout.foldedSuffix.count))
            let source = places[name].flatMap { fields[$0].type == .text ? $0 : nil }
            return FoldedTitle(
                position: position, source: source, edit: places[name + ResourceLayout.overrideSuffix])
        }
    }
}

/// The column of a folded title, and those that it depends on.
package struct FoldedTitle: Sendable {
    package let position: Int
    /// The column of the source's title; nil if it is not a text, whose form its declaration decides.
    private let source: Int?
    private let edit: Int?

    fileprivate init(position: Int, source: Int?, edit: Int?) {
        self.position = position
        self.source = source
        self.edit = edit
    }

    /// The folded title of a row; nil if it depends on the declaration of the resource.
    ///
    /// - Parameter edits: edits that the row does not have, by their columns.
    package func text(of row: borrowing RowView, with edits: [Int: String]) -> String? {
        if let edit {
            if let text = edits[edit] { return FoldedTitle.folded(text) }
            if !row.isNull(edit) { return FoldedTitle.folded(row.text(edit)) }
        }
        return source.map { row.isNull($0) ? "" : FoldedTitle.folded(row.text($0)) }
    }

    /// The beginning of a shown value, case-folded.
    static func folded(_ shown: String) -> String {
        shown.caseFolded.beginning(bytesMax: Resource.foldedBytesMax)
    }
}
