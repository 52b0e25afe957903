import PatchbayCore
import PatchbayDomain

extension SQLTables {
    /// The tables as `CREATE TABLE` statements with comments, for people and for programs that write SQL.
    public var schema: String {
        let declared = names.compactMap { tables[$0] }
        let listed = declared.filter { !$0.isAll }
        let all = Dictionary(
            uniqueKeysWithValues: declared.filter(\.isAll).map { ($0.resource, SQLName.plain($0.name)) })
        let found = listed.filter { TextFields($0.resource) != nil }.map { SQLName.plain($0.name) }
        return
            (listed.map { $0.text(all: all[$0.resource]) } + (found.isEmpty ? [] : [FindTable.text(found)]))
            .joined(separator: "\n")
    }
}

extension QueryTable {
    /// The declaration for people.
    ///
    /// - Parameter all: the name of the table that also has rows that are no longer listed.
    fileprivate func text(all: String?) -> String {
        let shown = columns.filter { !$0.isHidden }
        let key = resource.key.map { SQLName.plain($0.name) }
        var lines = shown.map { column in
            (code: "\(SQLName.plain(column.name)) \(column.type.affinity)", note: column.note)
        }
        lines.append(("PRIMARY KEY (\(key.joined(separator: ", ")))", nil))
        let other = all.map { "; \($0) also has those that are no longer listed" } ?? ""
        var text = "-- \(resource.plural)\(other)\n"
        text += "CREATE TABLE \(SQLName.plain(name)) (\n"
        for (place, line) in lines.enumerated() {
            text += "    \(line.code)\(place + 1 < lines.count ? "," : "")"
            text += line.note.map { "  -- \($0)\n" } ?? "\n"
        }
        text += ");\n"
        let hidden = columns.filter(\.isHidden).map { SQLName.plain($0.name) }
        text += "-- columns that * leaves out: \(hidden.joined(separator: ", "))\n"
        for order in orders where order.index != nil {
            let words = order.parts.prefix(order.ownCount).map { part in
                columnsOfPositions[part.position].map {
                    columns[$0].name + (part.isCaseFolded ? " NOCASE" : "")
                }
            }
            // An index of folded titles serves searches, not statements.
            if words.contains(nil) { continue }
            text += "-- index: \(words.compactMap(\.self).joined(separator: ", "))\n"
        }
        return text
    }
}

extension QueryColumn {
    fileprivate var note: String? {
        switch type {
        case .boolean: "0 or 1"
        case .time: "a time in UTC: 2026-11-28T13:20:00Z"
        case .json: "JSON"
        case .text where content.isEdited: "with local edits; upstream_\(name) without"
        case .text, .integer, .real: nil
        }
    }
}

extension QueryColumn.Content {
    fileprivate var isEdited: Bool { if case .edited = self { true } else { false } }
}
