package import Patchbay

/// The columns of a resource's table.
package struct ItemColumns {
    private let declaration: ResourceDeclaration

    package init(_ declaration: ResourceDeclaration) { self.declaration = declaration }

    /// The number of columns in a table when the definition names none.
    private static let countMax = 6

    /// The declared columns, else the handle or the key, the titles and the first other fields.
    package var declared: [ColumnDeclaration] {
        guard declaration.columns.isEmpty else { return declaration.columns }
        let first = (declaration.handle.map { [$0.field] } ?? declaration.key) + declaration.title
        let others = declaration.fields.filter {
            $0.type != .json && !$0.isDetail && !$0.isOfParent && !declaration.hidden.contains($0.name)
        }.map(\.name)
        return (first + others).distinct.prefix(max(first.count, Self.countMax)).map {
            ColumnDeclaration([$0])
        }
    }

    package var columns: [TableColumn] {
        let declared = declared
        let elastic = elastic(declared)
        return declared.enumerated().map { place, column in
            let isNumber = column.fields.allSatisfy { type($0) == .integer || type($0) == .real }
            var shown = TableColumn(
                column.title, alignment: isNumber ? .right : .left, isElastic: elastic.contains(place),
                value: value(of: column))
            if column.fields.allSatisfy({ type($0) == .boolean }) { shown.role = { _ in .notable } }
            return shown
        }
    }

    /// Returns the places of the columns that may be cut to fit a terminal: texts other than key and handle, or only
    /// the last text if there are no others.
    private func elastic(_ declared: [ColumnDeclaration]) -> [Int] {
        let identifying = declaration.key + (declaration.handle.map { [$0.field] } ?? [])
        let texts = declared.indices.filter { declared[$0].fields.allSatisfy { type($0) == .text } }
        let others = texts.filter { !declared[$0].fields.contains(where: identifying.contains) }
        return others.isEmpty ? texts.suffix(1) : others
    }

    /// Returns the upper-case titles of the columns that show a single boolean whose value is true.
    func badges(_ isTrue: (_ field: String) -> Bool) -> [String] {
        declared.filter {
            $0.fields.count == 1 && type($0.fields[0]) == .boolean && isTrue($0.fields[0])
        }.map { $0.title.uppercased() }
    }

    package func type(_ name: String) -> ValueType? {
        declaration.fields.first { $0.name == name }?.type
    }

    private func value(of column: ColumnDeclaration) -> @Sendable (OutputRecord) -> String {
        let names = column.fields, editable = declaration.editable
        if names.allSatisfy({ type($0) == .boolean }) {
            return { record in
                let marks = names.filter { record[$0] == .bool(true) }
                if names.count == 1 { return marks.isEmpty ? "" : "yes" }
                return marks.map { $0.uppercased() }.joined(separator: " ")
            }
        }
        let count = column.charactersMax ?? .max
        return { record in
            let values = names.flatMap { name in
                (editable.contains(name) ? [record[ItemRecords.override(name)]] : []) + [record[name]]
            }
            guard let value = values.first(where: { $0 != .null }) else { return "" }
            return String(value.description.prefix { !$0.isNewline }.prefix(count))
        }
    }

    /// The last column, which has no title: the state at the source of the rows that have one, such as "(gone)".
    static var sourceState: TableColumn {
        var column = TableColumn("") { record in
            record[ItemRecords.sourceState] == .null ? "" : "(\(record[ItemRecords.sourceState].description))"
        }
        column.role = { _ in .notable }
        return column
    }

    /// The fields that are shown of a favourite: those that the definition names, else the key, handle and titles.
    package var favouriteFields: [String] {
        declaration.favourite.isEmpty ? naming.distinct : declaration.favourite
    }

    /// The fields that identify a row to people: its key, handle and titles.
    private var naming: [String] {
        declaration.key + (declaration.handle.map { [$0.field] } ?? []) + declaration.title
    }

    package var favouriteColumns: [TableColumn] {
        let names = naming.distinct.filter(favouriteFields.contains)
        return names.map { name in
            let isNumber = type(name) == .integer
            return TableColumn(
                name.withSpaces, alignment: isNumber ? .right : .left,
                isElastic: declaration.title.contains(name) && name != declaration.handle?.field, field: name)
        }
    }
}

/// The fields that a local search compares, in words.
package struct SearchWords {
    private let resource: ResourceDeclaration

    package init(_ resource: ResourceDeclaration) { self.resource = resource }

    private var fields: [String] {
        let names = (resource.handle.map { [$0.field] } ?? resource.key) + resource.title
        return names.distinct.map(\.withSpaces)
    }

    /// The fields of one row, one of which must begin with the text: `login or name`.
    package var beginnings: String { fields.joined(separator: " or ") }

    /// The fields of several rows: `logins and names`.
    package var plural: String { fields.map { $0 + "s" }.joined(separator: " and ") }
}
