import PatchbayCore

/// Reads on one connection, within a snapshot that is already open.
class ReadTransaction: StorageReader {
    let connection: Connection
    private var tables: Tables<Table>
    /// When the file is read through its memory map.
    var mapUse: MapUse

    init(_ collections: [CollectionSchema], _ connection: Connection, canMap: Bool = false) {
        self.connection = connection
        self.mapUse = MapUse(connection, canMap: canMap)
        self.tables = Tables(collections) { Table($0, connection) }
    }

    func get(
        _ key: Key, in collection: CollectionSchema, fields: FieldSet,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Bool {
        mapUse.lookUp()
        let table = try tables[collection]
        let keyCount = collection.primaryKey.parts.count
        let shape = StatementShape(.rows, keyCount: keyCount, fields: table.selected(fields, index: nil))
        let statement = try table.take(shape)
        defer { table.release(statement, shape) }
        if case .integer(let value) = key, table.hasIntegerKey {
            statement.bind(value, 1)
        } else {
            guard let values = try collection.keyValues(key) else { return false }
            statement.bind(values)
        }
        guard try statement.step() else { return false }
        try statement.visitRow(visit)
        return true
    }

    func scan(_ query: Query, _ visit: (borrowing RowView) throws -> Step) throws {
        let table = try tables[query.collection]
        let index = query.indexPlace
        let fields = table.selected(query.fields, index: index)
        var left = query.limit
        if index == nil { mapUse.walk() } else { mapUse.lookUp() }
        defer { mapUse.add(query.limit - left, inOrder: index == nil) }
        for segment in try query.segments(along: table.parts(index: index)) where left > 0 {
            let shape = StatementShape(
                .rows, segment, index: index, isDescending: query.order == .descending, fields: fields)
            let statement = try table.take(shape)
            defer { table.release(statement, shape) }
            statement.bind(segment)
            while left > 0, try statement.step() {
                left -= 1
                if try statement.visitRow(visit) == .stop { return }
            }
        }
    }

    func count(_ query: Query) throws -> Int {
        let table = try tables[query.collection]
        let index = query.indexPlace
        var count = 0
        if query.limit == .max, table.isCountedLong { mapUse.walk(isLong: true) }
        for segment in try query.segments(along: table.parts(index: index)) where count < query.limit {
            let isLimited = query.limit != .max
            let shape = StatementShape(isLimited ? .countUpToLimit : .count, segment, index: index)
            let statement = try table.take(shape)
            defer { table.release(statement, shape) }
            let next = statement.bind(segment)
            if isLimited { statement.bind(Int64(query.limit - count), next) }
            if try statement.step() { count += Int(statement.integer(0)) }
        }
        mapUse.add(count, inOrder: false)
        table.isCountedLong = count >= MapUse.longWalk
        return count
    }

    /// Returns the table of a collection, for ``WriteTransaction``.
    func table(of collection: CollectionSchema) throws -> Table { try tables[collection] }
}

extension CollectionSchema {
    /// Returns the values of a primary key, or nil when the key names only its first parts and thus matches no row.
    ///
    /// - Throws: `invalidValue` for a key that is too long.
    func keyValues(_ key: Key) throws -> [PartValue]? {
        if case .integer(let value) = key, hasIntegerKey { return [.integer(value)] }
        // Throws the same error as the other storages for a key that none of them accepts.
        var encoded: [UInt8] = []
        try appendKey(key, in: primaryKey, to: &encoded)
        let values = key.values
        guard values.count == primaryKey.parts.count else { return nil }
        return values.map { PartValue($0, isCaseFolded: false) }
    }
}
