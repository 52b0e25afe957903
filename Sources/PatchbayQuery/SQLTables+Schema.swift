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

/// The tables of resources by the names that statements may use.
///
/// A resource has its own name, as in other commands, unless several sources have such a resource. Then it has the name
/// with its source, and so has a resource whose name is taken (`json_each`). Every other name with a source is only
/// given if it is not the name of another table: with the resources `teams` and `github-teams` of the source `github`,
/// `github_teams` means the second. If there is a resource `teams-all` as well, no name is left for the rows of teams
/// that are no longer listed.
struct TableNames {
    private(set) var tables: [String: QueryTable] = [:]
    /// The short names that several tables could have, with the names that distinguish these.
    private(set) var ambiguous: [String: [String]] = [:]
    /// One name for each table, those without `_all` first.
    private(set) var names: [String] = []

    static let allSuffix = "_all"
    /// The names of `find`, and of tables that SQLite has itself.
    private static let taken: Set = [
        FindTable.name, "json_each", "json_tree", "sqlite_master", "sqlite_schema", "sqlite_temp_master",
        "sqlite_temp_schema",
    ]

    init(_ resources: [Resource]) {
        let counts = Dictionary(resources.map { ($0.name, 1) }, uniquingKeysWith: +)
        // Names that resources without a short name need. They may take those of others, which then need theirs.
        var needed = Self.taken, count: Int
        func hasShort(_ resource: Resource) -> Bool {
            counts[resource.name] == 1 && !needed.contains(resource.name)
        }
        repeat {
            count = needed.count
            for resource in resources where !hasShort(resource) { needed.insert(resource.collection.name) }
        } while needed.count > count
        let named = resources.map { ($0, hasShort($0) ? $0.name : $0.collection.name) }
        for (resource, name) in named { add(resource, isAll: false, name) }
        let rest = named.filter { !add($0, isAll: true, $1 + Self.allSuffix) }
        for (resource, _) in rest { add(resource, isAll: true, resource.collection.name + Self.allSuffix) }
        for table in names.compactMap({ tables[$0] }) {
            let long = table.resource.collection.name + (table.isAll ? Self.allSuffix : "")
            if !Self.taken.contains(long) { tables[long] = tables[long] ?? table }
        }
    }

    /// Adds a table, unless another one has the name.
    @discardableResult
    private mutating func add(_ resource: Resource, isAll: Bool, _ name: String) -> Bool {
        guard tables[name] == nil else { return false }
        tables[name] = QueryTable(name, resource, isAll: isAll)
        names.append(name)
        let short = resource.name + (isAll ? Self.allSuffix : "")
        if name != short { ambiguous[short, default: []].append(name) }
        return true
    }
}
