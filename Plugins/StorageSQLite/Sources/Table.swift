import PatchbayCore

/// The prepared statements and precomputed properties that one connection keeps for one collection.
final class Table {
    let collection: CollectionSchema
    /// Trivial values, so that binding a row needs no reference counting.
    let types: [FieldType]
    let hasIntegerKey: Bool
    private let keyFields: FieldSet
    /// The fields of each declared index.
    private let indexFields: [FieldSet]
    /// The parts of an entry of each declared index: its own, followed by those of the primary key.
    private let indexParts: [[Index.Part]]
    private let allFields: FieldSet
    private let keyLengths: [KeyLength]
    private unowned let connection: Connection
    /// Unused statements. A statement in use is removed from the list, so that a nested walk gets its own.
    private var idle: [(shape: StatementShape, statement: Statement)] = []
    private static let idleMax = 48

    init(_ collection: CollectionSchema, _ connection: Connection) {
        self.collection = collection
        self.connection = connection
        self.types = collection.fields.map(\.type)
        self.hasIntegerKey = collection.hasIntegerKey
        self.keyFields = FieldSet(positions: collection.primaryKey.parts.map(\.position))
        self.indexFields = collection.indexes.map { FieldSet(positions: $0.parts.map(\.position)) }
        self.indexParts = collection.indexes.map { $0.parts + collection.primaryKey.parts }
        self.allFields = collection.allFields
        self.keyLengths = ([collection.primaryKey] + collection.indexes).compactMap {
            KeyLength($0, collection)
        }
    }

    /// Returns the fields to select for a walk: the requested ones, and those that determine a row's place in the walk.
    func selected(_ fields: FieldSet, index: Int?) -> FieldSet {
        fields.intersection(allFields).union(keyFields).union(index.map { indexFields[$0] } ?? [])
    }

    /// Returns the position of a query's index among the declared ones, or nil for the primary key.
    func place(of query: Query) -> Int? {
        if query.walksPrimaryKey { return nil }
        guard let place = collection.indexes.firstIndex(of: query.index) else {
            preconditionFailure("\(collection.name) has no index \(query.index.name)")
        }
        return place
    }

    /// Returns the parts of an entry of an index or of the primary key.
    func parts(index: Int?) -> [Index.Part] { index.map { indexParts[$0] } ?? collection.primaryKey.parts }

    /// Throws `invalidValue` when a key or an index entry of the row is too long.
    func checkKeyLengths(_ row: borrowing RowView) throws {
        for place in keyLengths.indices where keyLengths[place].mayExceedLimit(row) {
            var entry: [UInt8] = []
            try collection.appendEntry(of: row, in: keyLengths[place].index, to: &entry)
        }
    }

    /// Returns a statement for exclusive use; ``giveBack(_:_:)`` must follow.
    func take(_ shape: StatementShape) throws -> Statement {
        if let place = idle.lastIndex(where: { $0.shape == shape }) {
            return idle.remove(at: place).statement
        }
        let columns = shape.kind == .rows ? RowColumns(collection, shape.fields) : nil
        return try connection.prepare(collection.statement(shape), columns)
    }

    func giveBack(_ statement: Statement, _ shape: StatementShape) {
        statement.reset()
        if idle.count == Table.idleMax { idle.removeFirst() }
        idle.append((shape, statement))
    }
}

/// The largest possible size of a row's entry in one index, computed without encoding it.
private struct KeyLength {
    let index: Index
    private let fixedBytes: Int
    private let textPositions: [Int]

    /// Returns nil for an index whose entries are never too long.
    init?(_ index: Index, _ collection: CollectionSchema) {
        self.index = index
        let parts = index == collection.primaryKey ? index.parts : index.parts + collection.primaryKey.parts
        let texts = parts.filter { collection.fields[$0.position].type == .text }
        // One marker byte per value, which may be null; 8 bytes per integer; a zero byte after text.
        fixedBytes = parts.count + 8 * (parts.count - texts.count) + texts.count
        textPositions = texts.map(\.position)
        if texts.isEmpty, fixedBytes <= Limits.keyBytes { return nil }
    }

    func mayExceedLimit(_ row: borrowing RowView) -> Bool {
        var count = fixedBytes
        for position in textPositions { count += row.bytes(position).byteCount }
        return count > Limits.keyBytes
    }
}
