import PatchbayCore

/// The SQL for a collection. A table has the collection's fields as columns and nothing else. Its indexes are on an
/// expression that yields the entry's bytes (``PatchbayCore/KeyEncoding``). A walk is therefore a range of bytes
/// whatever the types, nulls and case folding, and rows written by other programs are found like Patchbay's own.
extension CollectionSchema {
    /// The expression for a row's entry in an index or the primary key; it yields the same bytes as Core's encoding.
    func entry(_ index: Index) -> String {
        let isKey = index == primaryKey
        let parts = isKey ? index.parts : index.parts + primaryKey.parts
        return "(" + parts.map(entryPart).joined(separator: " || ") + ")"
    }

    private func entryPart(_ part: Index.Part) -> String {
        let field = fields[part.position], name = field.column.quotedForSQL
        let value: String
        switch field.type {
        case .integer: value = "int8send(\(name) # '-9223372036854775808'::bigint)"
        default:
            // In the collation C, only A to Z have lower case letters.
            let text = part.isCaseFolded ? "lower(\(name) COLLATE \"C\")" : name
            value = "decode(replace(\(text), E'\\\\', E'\\\\\\\\'), 'escape') || E'\\\\000'::bytea"
        }
        return field.isOptional ? "coalesce(E'\\\\001'::bytea || \(value), E'\\\\000'::bytea)" : value
    }

    /// The indexes on entries, with their names in the schema. For an integer key, PostgreSQL's own index has the right
    /// order.
    var entryIndexes: [(name: String, index: Index)] {
        ((hasIntegerKey ? [] : [primaryKey]) + indexes).map { (indexName($0), $0) }
    }

    /// The names of the collection's table and indexes in the schema.
    var objectNames: [String] { [name, constraintName] + entryIndexes.map(\.name) }

    /// Returns an index's name. PostgreSQL truncates names to 63 bytes, so a longer one ends in a hash that keeps it
    /// unique.
    func indexName(_ index: Index) -> String { CollectionSchema.short("\(name)_\(index.name)") }

    private var constraintName: String { CollectionSchema.short("\(name)_pkey") }

    private static func short(_ name: String) -> String {
        guard name.utf8.count > 63 else { return name }
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return name.prefix(46) + "_" + String(hash, radix: 16)
    }

    func createTable(_ options: ConnectionOptions) -> String {
        let columns = fields.map(columnDefinition)
        let key = primaryKey.parts.map { fields[$0.position].column.quotedForSQL }.joined(separator: ", ")
        let all = columns + ["CONSTRAINT \(constraintName.quotedForSQL) PRIMARY KEY (\(key))"]
        return "CREATE TABLE \(options.qualified(name)) (\(all.joined(separator: ", ")))"
    }

    func createIndex(_ index: Index, _ options: ConnectionOptions) -> String {
        "CREATE INDEX \(indexName(index).quotedForSQL) ON \(options.qualified(name)) (\(entry(index)))"
    }

    func addColumn(_ field: Field, _ options: ConnectionOptions) -> String {
        "ALTER TABLE \(options.qualified(name)) ADD COLUMN \(columnDefinition(field))"
    }

    private func columnDefinition(_ field: Field) -> String {
        let isKey = primaryKey.parts.contains { fields[$0.position] == field }
        // A key must not depend on the rules of a language, which may change.
        let collation = isKey && field.type == .text ? " COLLATE \"C\"" : ""
        return "\(field.column.quotedForSQL) \(field.type.sqlName)\(collation)"
            + (field.isOptional ? "" : " NOT NULL")
    }

    func columns(_ fields: FieldSet) -> String {
        fields.positions.map { self.fields[$0].column.quotedForSQL }.joined(separator: ", ")
    }

    /// The condition that selects one row by its primary key, whose values are the first parameters.
    var keyCondition: String {
        primaryKey.parts.enumerated().map { place, part in
            "\(fields[part.position].column.quotedForSQL) = $\(place + 1)"
        }.joined(separator: " AND ")
    }

    var keyTypes: [UInt32] { primaryKey.parts.map { fields[$0.position].type.serverType } }
}

extension Field {
    /// The name of the field's column. PostgreSQL reserves the names of its system columns, so `xmin` is `xmin$`, which
    /// no other field has.
    var column: String { Self.systemColumns.contains(name) ? name + "$" : name }

    private static let systemColumns: Set<String> = ["tableoid", "xmin", "cmin", "xmax", "cmax", "ctid"]
}

extension FieldType {
    var sqlName: String {
        switch self {
        case .integer: "bigint"
        case .real: "double precision"
        case .text: "text"
        case .bytes: "bytea"
        }
    }

    var serverType: UInt32 {
        switch self {
        case .integer: ServerType.integer
        case .real: ServerType.real
        case .text: ServerType.text
        case .bytes: ServerType.bytes
        }
    }

    var arrayType: UInt32 {
        switch self {
        case .integer: ServerType.integers
        case .real: ServerType.reals
        case .text: ServerType.texts
        case .bytes: ServerType.manyBytes
        }
    }
}

extension SchemaChange {
    /// Returns the statements that make the change.
    func statements(_ options: ConnectionOptions) -> [String] {
        switch self {
        case .create(let collection):
            [collection.createTable(options)]
                + collection.entryIndexes.map { collection.createIndex($0.index, options) }
                + [collection.recordDefinition(options)]
        case .dropIndex(let index, let collection):
            ["DROP INDEX \(options.qualified(collection.indexName(index)))"]
        case .addField(let field, let collection): [collection.addColumn(field, options)]
        case .buildIndex(let index, let collection): [collection.createIndex(index, options)]
        case .declare(let collection): [collection.recordDefinition(options)]
        case .setVersion(let version):
            ["UPDATE \(options.qualified(StoreTables.store)) SET version = \(version)"]
        }
    }
}

extension CollectionSchema {
    /// The definition contains no quotes (see ``PatchbayCore/CollectionSchema/definition``).
    fileprivate func recordDefinition(_ options: ConnectionOptions) -> String {
        "INSERT INTO \(options.qualified(StoreTables.schema)) (name, definition) "
            + "VALUES ('\(name)', '\(definition)') "
            + "ON CONFLICT (name) DO UPDATE SET definition = excluded.definition"
    }
}
