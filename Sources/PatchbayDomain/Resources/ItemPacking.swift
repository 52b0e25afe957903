package import PatchbayCore

/// Combines an answer about a row with the stored row: local edits stay, and fields that the answer leaves out are
/// taken from the stored row.
package struct ItemPacking: Sendable {
    /// The item from the source, or a stored item whose notes or edits change.
    package var item: Item
    /// The stored row; nil when the row is new.
    package var stored: Item?
    /// The notes to store with the row. They replace the stored ones.
    package var state: ItemState
    /// The change number to store; nil for null.
    package var changeNumber: Int64?
    /// ``ItemState/LaterColumn/listedNumber``; nil for null.
    package var listedNumber: Int64?
    /// The edits by field name. Stored edits stay unless they are named here; nil removes one.
    package var edits: [String: String?] = [:]

    /// Creates a packing that keeps all stored edits.
    package init(_ item: Item, over stored: Item?, state: ItemState) {
        self.item = item
        self.stored = stored
        self.state = state
    }

    /// Whether the stored details are of another row, so that only what the answer has is stored.
    private var dropsDetails: Bool {
        guard state.detailFetchedAt == nil, let stored else { return false }
        return stored.withRow { !$0.isNull(ItemState.detailFetchedAt.position) }
    }

    /// Whether the row is new, or differs from the stored one in more than the time of its answer.
    package var isChange: Bool {
        guard let stored else { return true }
        let position = item.resource.missingSincePosition
        return !edits.isEmpty || dropsDetails || !item.hasKnownValues(of: stored)
            || stored.withRow { state.isChange(from: $0, missingSince: position) }
    }

    /// Whether a list shows the change: an edit does not change what the source has, details are in no list, and the
    /// row's own address may refuse a row that is listed.
    package var isListedChange: Bool {
        guard let stored else { return true }
        let position = item.resource.missingSincePosition
        return !item.hasKnownValues(of: stored, ignoringPlace: true, ignoringDetails: true)
            || stored.withRow { state.isListedChange(from: $0, missingSince: position) }
    }

    package func write(to builder: inout RowBuilder) {
        let resource = item.resource
        builder.begin(resource.collection)
        state.write(to: &builder, missingSince: resource.missingSincePosition)
        if let changeNumber, changeNumber != 0 { builder.set(resource.changeNumberPosition, changeNumber) }
        if let listedNumber, listedNumber != changeNumber {
            builder.set(resource.listedNumberPosition, listedNumber)
        }
        item.withRow { row in
            if let stored {
                stored.withRow { write(row, over: $0, resource, to: &builder) }
            } else {
                write(row, over: row, resource, to: &builder)
            }
        }
    }

    private func write(
        _ row: borrowing RowView, over stored: borrowing RowView, _ resource: Resource,
        to builder: inout RowBuilder
    ) {
        let keepsRest = !dropsDetails
        for field in resource.fields {
            if item.known.contains(position: field.place) {
                builder.copy(field.position, field.type.fieldType, from: row)
            } else if keepsRest {
                builder.copy(field.position, field.type.fieldType, from: stored)
            }
        }
        if keepsRest {
            for (position, type) in resource.undeclared { builder.copy(position, type, from: stored) }
        }
        for (field, position) in resource.edits {
            if let edit = edits[field] {
                if let edit { builder.set(position, edit) }
            } else {
                builder.copy(position, .text, from: stored)
            }
        }
        for field in resource.title {
            if let position = field.foldedPosition {
                builder.set(position, folded(field, row, over: stored))
            }
        }
    }

    /// The beginning of the shown value, case-folded; empty when there is none.
    private func folded(_ field: ResourceField, _ row: borrowing RowView, over stored: borrowing RowView)
        -> String
    {
        FoldedTitle.folded(shown(field, row, over: stored) ?? "")
    }

    private func shown(_ field: ResourceField, _ row: borrowing RowView, over stored: borrowing RowView)
        -> String?
    {
        if let edit = edits[field.name] {
            if let edit { return edit }
        } else if let position = field.overridePosition, !stored.isNull(position) {
            return stored.text(position)
        }
        let isKnown = dropsDetails || item.known.contains(position: field.place)
        return
            (isKnown
            ? ItemValue(row, at: field.position, field.type)
            : ItemValue(stored, at: field.position, field.type))?.description
    }
}

extension RowBuilder {
    /// Copies a field from a row of the same collection.
    package mutating func copy(_ position: Int, _ type: FieldType, from row: borrowing RowView) {
        if row.isNull(position) { return }
        switch type {
        case .integer: set(position, row.integer(position))
        case .real: set(position, row.real(position))
        case .text: set(position, utf8: row.bytes(position))
        case .bytes: set(position, bytes: row.bytes(position))
        }
    }
}
