import PatchbayCore

/// The prepared statements and precomputed properties that one connection keeps for one collection.
final class Table {
    let collection: CollectionSchema
    /// Trivial values, so that binding a row needs no reference counting.
    let types: [FieldType]
    let hasIntegerKey: Bool
    private let keyFields: FieldSet
    private let allFields: FieldSet
    // The following are made when they are first used, because a connection often uses few of its collections.
    /// The fields of each declared index.
    private lazy var indexFields = collection.indexes.map { FieldSet(positions: $0.parts.map(\.position)) }
    /// The parts of an entry of each declared index: its own, followed by those of the primary key.
    private lazy var indexParts = collection.indexes.map { $0.parts + collection.primaryKey.parts }
    private(set) lazy var keyLengths = KeyLengths(collection)
    /// Whether the last count took as long as a long walk.
    var isCountedLong = false
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
        self.allFields = collection.allFields
    }

    /// Returns the fields to select for a walk: the requested ones, and those that determine a row's place in the walk.
    func selected(_ fields: FieldSet, index: Int?) -> FieldSet {
        fields.intersection(allFields).union(keyFields).union(index.map { indexFields[$0] } ?? [])
    }

    /// Returns the parts of an entry of an index or of the primary key.
    func parts(index: Int?) -> [Index.Part] { index.map { indexParts[$0] } ?? collection.primaryKey.parts }

    /// Returns a statement for exclusive use; ``release(_:_:)`` must follow.
    func take(_ shape: StatementShape) throws -> Statement {
        if let place = idle.lastIndex(where: { $0.shape == shape }) {
            return idle.remove(at: place).statement
        }
        let columns = shape.kind == .rows ? RowColumns(collection, shape.fields) { $0.storageClass } : nil
        return try connection.prepare(collection.statement(shape), columns)
    }

    func release(_ statement: Statement, _ shape: StatementShape) {
        statement.reset()
        if idle.count == Table.idleMax { idle.removeFirst() }
        idle.append((shape, statement))
    }
}

/// The properties that distinguish statements on one collection; equal shapes share a prepared statement.
struct StatementShape: Equatable {
    enum Kind: Equatable { case rows, count, countUpToLimit, put, delete, deleteAll }

    /// How a segment limits the part after its equal ones.
    enum Comparison: Equatable { case none, exclusive, inclusive }

    var kind: Kind
    /// The position of the index in the collection's declaration; nil for the primary key.
    var index: Int?
    var isDescending = false
    var equalCount = 0
    var lower = Comparison.none
    var upper = Comparison.none
    /// The selected fields.
    var fields = FieldSet()

    init(_ kind: Kind) { self.kind = kind }

    /// Creates the shape of a statement for the row with a given primary key.
    init(_ kind: Kind, keyCount: Int, fields: FieldSet) {
        self.kind = kind
        self.equalCount = keyCount
        self.fields = fields
    }

    init(
        _ kind: Kind, _ segment: Segment, index: Int?, isDescending: Bool = false,
        fields: FieldSet = FieldSet()
    ) {
        self.kind = kind
        self.index = index
        self.isDescending = isDescending
        self.equalCount = segment.equal.count
        self.lower = Comparison(segment.lower)
        self.upper = Comparison(segment.upper)
        self.fields = fields
    }
}

extension StatementShape.Comparison {
    fileprivate init(_ limit: Segment.Limit?) {
        guard let limit else {
            self = .none
            return
        }
        self = limit.isInclusive ? .inclusive : .exclusive
    }
}
