package import Patchbay

/// The rows of a resource as commands print them.
extension ItemRecords {
    /// - Parameter added: the data to print in addition to the rows.
    package func list(_ items: [Item], added: Addition? = nil) -> Listing {
        let records = items.map { item in
            var record = record(item)
            record.fields += added?.fields(of: item) ?? []
            return record
        }
        let columns = ItemColumns(declaration).columns, state = ItemColumns.sourceState
        switch added {
        case nil: return Listing(records, names, .columns(columns + [state]))
        case .favourites:
            var column = TableColumn(Addition.favourite) {
                $0[Addition.favourite] == .bool(true) ? "yes" : ""
            }
            column.role = { _ in .notable }
            return Listing(records, names + [Addition.favourite], .columns(columns + [column, state]))
        case .children(let children):
            // The newest child replaces the last column.
            return Listing(
                records, names + NewestChildren.names(children.declaration),
                .columns(columns.dropLast() + [children.column, state]))
        }
    }

    /// Returns the results of a search.
    package func list(_ items: [Item], foundBy origin: SearchWindow<Item>.Origin) -> Listing {
        let found = OutputValue.text(origin == .local ? "local" : "source")
        let records = items.map { item in
            var record = record(item)
            record.fields.append((Self.foundBy, found))
            return record
        }
        let columns = ItemColumns(declaration).columns + [ItemColumns.sourceState]
        return Listing(records, foundNames, .columns(columns))
    }

    package var foundNames: FieldNames { names + [Self.foundBy] }

    private static let foundBy = "found_by"

    /// Returns a change of watched rows as a record.
    package func record(_ change: ItemChange) -> OutputRecord {
        let word =
            switch change {
            case .inserted: "insert"
            case .updated: "update"
            case .deleted: "delete"
            }
        return OutputRecord([("change", .text(word))] + record(change.item).fields)
    }

    package func show(_ item: Item, added: Addition? = nil) -> Listing {
        var record = record(item)
        let additions = added?.fields(of: item) ?? []
        record.fields += additions
        let extra = additions.map(\.name)
        let isFavourite = extra == [Addition.favourite]
        let hidden = isFavourite ? [] : extra
        return Listing(
            [record], names + extra, .fields { shownFields(of: $0).filter { !hidden.contains($0.name) } })
    }

    /// Returns the fields to show of a row, one per line.
    func shownFields(of item: Item) -> [(name: String, value: String)] { shownFields(of: record(item)) }

    /// Returns the badges, then the fields that have a value, without those that are only for programs, then the times
    /// and reasons of the state at the source. An edit follows the source's value, which is shown even if it is empty.
    private func shownFields(of record: OutputRecord) -> [(name: String, value: String)] {
        let edited = declaration.editable.filter { record[ItemRecords.override($0)] != .null }
        let hidden = Set(
            declaration.hidden + declaration.editable.map(ItemRecords.override)
                + declaration.fields.filter(\.isOfParent).map(\.name)
                + [ItemRecords.hasDetail, ItemRecords.sourceState])
        let badges = ItemColumns(declaration).badges { record[$0] == .bool(true) }
        var shown: [(name: String, value: String)] = badges.map { ("", $0) }
        for field in record.fields + record.more where !hidden.contains(field.name) {
            let isEdited = edited.contains(field.name)
            if field.value != .null || isEdited { shown.append((field.name, field.value.description)) }
            if isEdited {
                let name = ItemRecords.override(field.name)
                shown.append((name, record[name].description))
            }
        }
        return shown
    }
}

/// Data to print in addition to the fields of rows.
package enum Addition: Sendable {
    /// The keys of the rows that are favourites.
    case favourites(Set<Key>)
    case children(NewestChildren)

    package func fields(of item: Item) -> [(name: String, value: OutputValue)] {
        switch self {
        case .favourites(let keys): [(Addition.favourite, .bool(keys.contains(item.key)))]
        case .children(let children): children.fields(of: item)
        }
    }

    package static let favourite = "favourite"
}
