import PatchbayCore

/// What one connection keeps for one collection: prepared statements, and what is worked out once.
final class Table {
    let collection: CollectionSchema
    /// Trivial, so that binding a row counts no references.
    let types: [FieldType]
    let hasIntegerKey: Bool
    private let keyFields: FieldSet
    /// For each declared index, its fields.
    private let indexFields: [FieldSet]
    /// For each declared index, the parts of an entry: its own, then the primary key's.
    private let indexParts: [[Index.Part]]
    private let allFields: FieldSet
    private let keyLengths: [KeyLength]
    private unowned let connection: Connection
    /// Statements not in use; one in use is taken out, so that a walk inside a walk gets its own.
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

    /// The fields to select for a walk: those asked for, and what tells the place of a row in the walk.
    func selected(_ fields: FieldSet, index: Int?) -> FieldSet {
        fields.intersection(allFields).union(keyFields).union(index.map { indexFields[$0] } ?? [])
    }

    /// The place of a query's index among the declared ones; nil for the primary key.
    func place(of query: Query) -> Int? {
        if query.walksPrimaryKey { return nil }
        guard let place = collection.indexes.firstIndex(of: query.index) else {
            preconditionFailure("\(collection.name) has no index \(query.index.name)")
        }
        return place
    }

    /// The parts of an entry of an index, or of the primary key.
    func parts(index: Int?) -> [Index.Part] { index.map { indexParts[$0] } ?? collection.primaryKey.parts }

    /// Throws `invalidValue` when a key or an index entry of the row is too long.
    func checkKeyLengths(_ row: borrowing RowView) throws {
        for place in keyLengths.indices where keyLengths[place].mayExceedLimit(row) {
            var entry: [UInt8] = []
            try collection.appendEntry(of: row, in: keyLengths[place].index, to: &entry)
        }
    }

    /// A statement for the caller alone; ``giveBack(_:_:)`` must follow.
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

/// The most bytes that a row's entry in one index takes, found without encoding it.
private struct KeyLength {
    let index: Index
    private let fixedBytes: Int
    private let textPositions: [Int]

    /// Nil for an index that is never too long.
    init?(_ index: Index, _ collection: CollectionSchema) {
        self.index = index
        let parts = index == collection.primaryKey ? index.parts : index.parts + collection.primaryKey.parts
        let texts = parts.filter { collection.fields[$0.position].type == .text }
        // A mark for a value that may be null; 8 bytes for an integer, a zero after text.
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
