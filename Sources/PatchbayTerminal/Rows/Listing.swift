package import PatchbayGateway

/// Rows to print: their fields, and their layout in a table.
package struct Listing: Sendable {
    /// The layout of the records in a table.
    package enum Layout: Sendable {
        /// A row for each record.
        case columns([TableColumn])
        /// A row for each field of the only record that the closure returns.
        case fields(@Sendable (OutputRecord) -> [(name: String, value: String)])
    }

    package var records: [OutputRecord]
    /// The names of the fields, even if there are no records.
    package var names: FieldNames
    var layout: Layout

    package init(_ records: [OutputRecord], _ names: FieldNames, _ layout: Layout) {
        self.records = records
        self.names = names
        self.layout = layout
    }

    /// Returns the listing with only these fields, whose names must be known.
    package func choosing(_ chosen: [String]) -> Listing {
        let layout: Layout =
            switch layout {
            case .columns: .columns(chosen.map(column))
            case .fields: .fields { $0.fields.map { ($0.name, $0.value.description) } }
            }
        return Listing(records.map { $0.choosing(chosen) }, FieldNames(chosen), layout)
    }

    private func column(_ name: String) -> TableColumn {
        let isNumber = records.contains { if case .integer = $0[name] { true } else { false } }
        return TableColumn(name, alignment: isNumber ? .right : .left, isElastic: !isNumber)
    }

    /// The column of values, in which badges, edits and favourites have colours.
    private var value: TableColumn {
        var column = TableColumn("value", wraps: true)
        column.role = { Self.role(ofField: $0[0]) }
        return column
    }

    /// Returns the role of a field's value; badges have no name.
    package static func role(ofField name: String) -> Paint.Role? {
        if name.isEmpty || name == Addition.favourite { return .notable }
        return name.hasSuffix(ItemRecords.override("")) ? .edited : nil
    }

    package var table: Table {
        switch layout {
        case .columns(let columns): Table(columns, of: records)
        case .fields(let shown):
            Table([TableColumn("field"), value], rows: records.flatMap(shown).map { [$0.name, $0.value] })
        }
    }
}
