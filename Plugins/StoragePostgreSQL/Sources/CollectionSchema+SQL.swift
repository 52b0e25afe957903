import PatchbayCore

/// The SQL that a collection needs. Its tables have the collection's fields as columns and nothing else; an index is
/// one over an expression that gives the entry's bytes (``PatchbayCore/KeyEncoding``), so that a walk is a stretch of
/// bytes whatever the types, nulls and foldings, and rows that another program writes are found like our own.
extension CollectionSchema {
    /// The entry of an index, or of the primary key, of a row; the same bytes that Core encodes.
    func entry(_ index: Index) -> String {
        let isKey = index == primaryKey
        let parts = isKey ? index.parts : index.parts + primaryKey.parts
        return "(" + parts.map(entryPart).joined(separator: " || ") + ")"
    }

    private func entryPart(_ part: Index.Part) -> String {
        let field = fields[part.position], name = field.name.quotedForSQL
        let value: String
        switch field.type {
        case .integer: value = "int8send(\(name) # '-9223372036854775808'::bigint)"
        default:
            // In the collation C only A to Z have small letters.
            let text = part.isCaseFolded ? "lower(\(name) COLLATE \"C\")" : name
            value = "decode(replace(\(text), E'\\\\', E'\\\\\\\\'), 'escape') || E'\\\\000'::bytea"
        }
        return field.isOptional ? "coalesce(E'\\\\001'::bytea || \(value), E'\\\\000'::bytea)" : value
    }

    /// Whether walks along the primary key need an index of their own: one over an integer is its own entry.
    var hasKeyIndex: Bool { !hasIntegerKey }

    /// The indexes over entries, with the names they have in the schema.
    var entryIndexes: [(name: String, index: Index)] {
        (hasKeyIndex ? [primaryKey] : []).map { (indexName($0), $0) }
            + indexes.map { (indexName($0), $0) }
    }

    /// The tables and indexes that the collection has in the schema.
    var objectNames: [String] { [name, constraintName] + entryIndexes.map(\.name) }

    /// PostgreSQL cuts names after 63 bytes, so a longer one ends in a number that distinguishes it.
    func indexName(_ index: Index) -> String { CollectionSchema.short("\(name)_\(index.name)") }

    private var constraintName: String { CollectionSchema.short("\(name)_pkey") }

    private static func short(_ name: String) -> String {
        guard name.utf8.count > 63 else { return name }
        let hash = name.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return name.prefix(46) + "_" + String(hash, radix: 16)
    }

    func createTable(_ options: ConnectionOptions) -> String {
        let columns = fields.indices.map { columnDefinition($0) }
        let key = primaryKey.parts.map { fields[$0.position].name.quotedForSQL }.joined(separator: ", ")
        let all = columns + ["CONSTRAINT \(constraintName.quotedForSQL) PRIMARY KEY (\(key))"]
        return "CREATE TABLE \(options.qualified(name)) (\(all.joined(separator: ", ")))"
    }

    func createIndex(_ index: Index, _ options: ConnectionOptions) -> String {
        "CREATE INDEX \(indexName(index).quotedForSQL) ON \(options.qualified(name)) (\(entry(index)))"
    }

    func addColumn(_ field: Int, _ options: ConnectionOptions) -> String {
        "ALTER TABLE \(options.qualified(name)) ADD COLUMN \(columnDefinition(field))"
    }

    private func columnDefinition(_ position: Int) -> String {
        let field = fields[position]
        let isKey = primaryKey.parts.contains { $0.position == position }
        // A key must not depend on a language whose rules may change.
        let collation = isKey && field.type == .text ? " COLLATE \"C\"" : ""
        return "\(field.name.quotedForSQL) \(field.type.sqlName)\(collation)"
            + (field.isOptional ? "" : " NOT NULL")
    }

    func columns(_ fields: FieldSet) -> String {
        fields.positions.map { self.fields[$0].name.quotedForSQL }.joined(separator: ", ")
    }

    /// The condition on a row with one primary key, whose values are the first parameters.
    var keyCondition: String {
        primaryKey.parts.enumerated().map { place, part in
            "\(fields[part.position].name.quotedForSQL) = $\(place + 1)"
        }.joined(separator: " AND ")
    }

    var keyTypes: [UInt32] { primaryKey.parts.map { fields[$0.position].type.serverType } }
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

extension FieldSet {
    /// The positions in the set, ascending.
    var positions: [Int] { (0..<Limits.fields).filter { contains(position: $0) } }
}
