import PatchbayGateway

/// Rows as a command prints them: their fields, and how a table shows them.
struct Listing: Sendable {
    /// How a table shows the records.
    enum Layout: Sendable {
        /// A row for each record.
        case columns([TableColumn])
        /// A row for each field of the only record that the closure chooses.
        case fields(@Sendable (OutputRecord) -> [(name: String, value: String)])
    }

    var records: [OutputRecord]
    /// The names of the fields, also when there are no records.
    var names: FieldNames
    var layout: Layout

    init(_ records: [OutputRecord], _ names: FieldNames, _ layout: Layout) {
        self.records = records
        self.names = names
        self.layout = layout
    }

    /// The listing with these fields alone; all of them are known names.
    func choosing(_ chosen: [String]) -> Listing {
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

    /// A badge has no name.
    private var value: TableColumn {
        var column = TableColumn("value", wraps: true)
        column.role = { $0[0].isEmpty ? .notable : nil }
        return column
    }

    var table: Table {
        switch layout {
        case .columns(let columns): Table(columns, of: records)
        case .fields(let shown):
            Table([TableColumn("field"), value], rows: records.flatMap(shown).map { [$0.name, $0.value] })
        }
    }
}
