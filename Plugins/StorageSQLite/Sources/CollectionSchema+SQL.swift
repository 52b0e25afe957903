import PatchbayCore

/// The SQL for a collection. Names contain only `a-z`, `0-9` and `_`, so they need quotes but no escaping.
extension CollectionSchema {
    /// The name of the table. SQLite reserves names that start with `sqlite_`, so `sqlite_users` is `$sqlite_users`,
    /// which no other collection has.
    private var table: String { name.hasPrefix("sqlite_") ? "$" + name : name }

    var sqlName: String { quoted(table) }

    func sqlName(of index: Index) -> String { quoted("\(table)_\(index.name)") }

    /// The names of the collection's table and indexes in the file.
    var objectNames: [String] { [table] + indexes.map { "\(table)_\($0.name)" } }

    var createTable: String {
        let columns = fields.indices.map { position in
            let isRowID = hasIntegerKey && primaryKey.parts[0].position == position
            return columnDefinition(fields[position]) + (isRowID ? " PRIMARY KEY" : "")
        }
        if hasIntegerKey { return "CREATE TABLE \(sqlName) (\(columns.joined(separator: ", "))) STRICT" }
        let all = columns + ["PRIMARY KEY (\(keyNames.joined(separator: ", ")))"]
        return "CREATE TABLE \(sqlName) (\(all.joined(separator: ", "))) STRICT, WITHOUT ROWID"
    }

    func createIndex(_ index: Index) -> String {
        let parts = index.parts.map { quoted(fields[$0.position].name) + collation($0) }.joined(
            separator: ", ")
        return "CREATE \(index.isUnique ? "UNIQUE " : "")INDEX \(sqlName(of: index)) ON \(sqlName) (\(parts))"
    }

    func addColumn(_ field: Field) -> String {
        "ALTER TABLE \(sqlName) ADD COLUMN \(columnDefinition(field))"
    }

    /// The text of a statement whose parameters are the values of a segment, the fields of a row, or a key.
    func statement(_ shape: StatementShape) -> String {
        switch shape.kind {
        case .rows:
            let columns = shape.fields.positions.map(column).joined(separator: ", ")
            return "SELECT \(columns) FROM \(source(shape))\(order(shape))"
        case .count: return "SELECT count(*) FROM \(source(shape))"
        case .countUpToLimit: return "SELECT count(*) FROM (SELECT 1 FROM \(source(shape)) LIMIT ?)"
        case .put: return put
        case .delete:
            return "DELETE FROM \(sqlName) WHERE "
                + primaryKey.parts.map { term($0) + " = ?" }.joined(separator: " AND ")
        case .deleteAll: return "DELETE FROM \(sqlName)"
        }
    }

    /// Inserts a row or overwrites the one with the same key. It does not use REPLACE, which would also delete a
    /// row that has the same values in a unique index.
    private var put: String {
        let names = fields.map { quoted($0.name) }
        let values = fields.map { _ in "?" }.joined(separator: ", ")
        let others = names.filter { !keyNames.contains($0) }.map { "\($0) = excluded.\($0)" }
        let action = others.isEmpty ? "NOTHING" : "UPDATE SET " + others.joined(separator: ", ")
        return "INSERT INTO \(sqlName) (\(names.joined(separator: ", "))) VALUES (\(values)) "
            + "ON CONFLICT (\(keyNames.joined(separator: ", "))) DO \(action)"
    }

    private func source(_ shape: StatementShape) -> String {
        // The index is named because the planner has no statistics and might choose another index and sort.
        let index = shape.index.map { " INDEXED BY \(sqlName(of: indexes[$0]))" } ?? ""
        let conditions = conditions(shape)
        return sqlName + index + (conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND "))
    }

    private func conditions(_ shape: StatementShape) -> [String] {
        let parts = parts(shape)
        var conditions = parts.prefix(shape.equalCount).map { part in
            term(part) + (fields[part.position].isOptional ? " IS ?" : " = ?")
        }
        if shape.lower != .none {
            conditions.append(term(parts[shape.equalCount]) + (shape.lower == .inclusive ? " >= ?" : " > ?"))
        }
        if shape.upper != .none {
            conditions.append(term(parts[shape.equalCount]) + (shape.upper == .inclusive ? " <= ?" : " < ?"))
        }
        return conditions
    }

    /// Orders by the parts that vary. A part that is fixed, or repeated as part of the key, would make the
    /// planner sort.
    private func order(_ shape: StatementShape) -> String {
        let terms = parts(shape).map(term)
        let varying = terms.indices.filter { $0 >= shape.equalCount && !terms[..<$0].contains(terms[$0]) }
        if varying.isEmpty { return "" }
        return " ORDER BY "
            + varying.map { terms[$0] + (shape.isDescending ? " DESC" : "") }.joined(separator: ", ")
    }

    private func parts(_ shape: StatementShape) -> [Index.Part] {
        shape.index.map { indexes[$0].parts + primaryKey.parts } ?? primaryKey.parts
    }

    private func term(_ part: Index.Part) -> String {
        column(part.position) + collation(part)
    }

    private func collation(_ part: Index.Part) -> String { part.isCaseFolded ? " COLLATE NOCASE" : "" }

    /// A column in an expression. It is quoted in backticks because SQLite reads a name in double quotes as text
    /// when there is no such column, so a dropped column would yield its own name.
    private func column(_ position: Int) -> String { "`\(fields[position].name)`" }

    private var keyNames: [String] { primaryKey.parts.map { quoted(fields[$0.position].name) } }

    private func columnDefinition(_ field: Field) -> String {
        "\(quoted(field.name)) \(field.type.sqlName)" + (field.isOptional ? "" : " NOT NULL")
    }

    private func quoted(_ name: String) -> String { "\"\(name)\"" }
}

extension FieldType {
    fileprivate var sqlName: String {
        switch self {
        case .integer: "INTEGER"
        case .real: "REAL"
        case .text: "TEXT"
        case .bytes: "BLOB"
        }
    }
}

extension SchemaChange {
    /// The statements that make the change.
    var statements: [String] {
        switch self {
        case .create(let collection):
            [collection.createTable] + collection.indexes.map(collection.createIndex)
                + [collection.recordDefinition]
        case .dropIndex(let index, let collection): ["DROP INDEX \(collection.sqlName(of: index))"]
        case .addField(let field, let collection): [collection.addColumn(field)]
        case .buildIndex(let index, let collection): [collection.createIndex(index)]
        case .declare(let collection): [collection.recordDefinition]
        case .setVersion(let version): ["PRAGMA user_version = \(version)"]
        }
    }
}

extension CollectionSchema {
    /// The definition contains no quotes (see ``PatchbayCore/CollectionSchema/definition``).
    fileprivate var recordDefinition: String {
        "INSERT INTO patchbay_schema (name, definition) VALUES ('\(name)', '\(definition)') "
            + "ON CONFLICT (name) DO UPDATE SET definition = excluded.definition"
    }
}
