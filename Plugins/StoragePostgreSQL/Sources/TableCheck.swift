import PatchbayCore

/// Checks that the tables have the columns and types that the collections need, and that all indexes are valid. The
/// values in the rows are checked elsewhere, by walking every index.
struct TableCheck {
    let connection: Connection
    let schema: Schema

    func faults() throws -> [StorageFault] {
        var faults: [StorageFault] = []
        do {
            guard let stored = try StoredSchema(connection) else {
                throw StoragePlace.removed(connection.options.place)
            }
            try stored.checkObjects()
        } catch let error as PatchbayError where error.code == .corrupted {
            faults.append(StorageFault(error.message))
        }
        let columns = try columns(), indexes = try indexes()
        for collection in schema.collections {
            faults += self.faults(of: collection, columns) + self.faults(of: collection, indexes)
        }
        return Array(faults.prefix(Verification.faultsMax))
    }

    private func faults(of collection: CollectionSchema, _ columns: [String: String]) -> [StorageFault] {
        collection.fields.compactMap { field in
            let name = "\(collection.name).\(field.name)"
            let wanted = field.type.sqlName + (field.isOptional ? "" : " not null")
            guard let type = columns["\(collection.name).\(field.column)"] else {
                return StorageFault(place: name, "the column is missing; it should be \(wanted)")
            }
            if type == wanted { return nil }
            return StorageFault(place: name, "the column is \(type); it should be \(wanted)")
        }
    }

    private func faults(of collection: CollectionSchema, _ indexes: [String: Bool]) -> [StorageFault] {
        collection.entryIndexes.compactMap { name, index in
            switch indexes[name] {
            case nil: StorageFault(place: "\(collection.name).\(index.name)", "the index \(name) is missing")
            case false:
                StorageFault(
                    place: "\(collection.name).\(index.name)",
                    "the index \(name) is incomplete or damaged; REINDEX it")
            default: nil
            }
        }
    }

    /// Returns the type of each column, by `table.column`.
    private func columns() throws -> [String: String] {
        let answer = try connection.query(
            """
            SELECT relname || '.' || attname, format_type(atttypid, atttypmod)
                || CASE WHEN attnotnull THEN ' not null' ELSE '' END
            FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_class ON pg_class.oid = attrelid
            JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = $1 AND relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped
            """, with: connection.options.schema)
        let pairs = (0..<answer.rowCount).map { (answer.text($0, 0), answer.text($0, 1)) }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Returns whether each index can be used, by its name.
    private func indexes() throws -> [String: Bool] {
        let answer = try connection.query(
            """
            SELECT relname::text, indisvalid AND indisready
            FROM pg_catalog.pg_index JOIN pg_catalog.pg_class ON pg_class.oid = indexrelid
            JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace WHERE nspname = $1
            """, with: connection.options.schema)
        let pairs = (0..<answer.rowCount).map { (answer.text($0, 0), answer.boolean($0, 1)) }
        return Dictionary(pairs) { first, _ in first }
    }
}
