import PatchbayCore

/// The properties that distinguish statements that read a collection.
struct StatementShape: Hashable {
    enum Kind: Hashable {
        case get
        /// With the number of rows as a literal in the statement, because the planner must know it.
        case walk(rowsMax: Int)
        case count, countUpToLimit
    }

    var kind: Kind
    /// The position of the index in the collection's declaration; nil for the primary key.
    var index: Int?
    var isDescending = false
    var isBounded = true
    var hasUpper = true
    /// The selected fields.
    var fields = FieldSet()
}

/// The statements and precomputed properties that one connection keeps for one collection.
final class Table {
    let collection: CollectionSchema
    let hasIntegerKey: Bool
    private let options: ConnectionOptions
    private let keyFields: FieldSet
    /// The fields of each declared index.
    private let indexFields: [FieldSet]
    private let allFields: FieldSet
    let keyLengths: KeyLengths
    private var statements: [StatementShape: Statement] = [:]
    private var columns: [FieldSet: RowColumns] = [:]
    /// The most shapes to keep. A program normally has few.
    private static let statementsMax = 64

    lazy var delete = Statement(
        "DELETE FROM \(name) WHERE \(collection.keyCondition)", collection.keyTypes)
    lazy var deleteAll = Statement("DELETE FROM \(name)")
    lazy var putOne = Statement(put("VALUES (\(parameters))"), collection.fields.map(\.type.serverType))
    lazy var putMany = Statement(
        put("SELECT * FROM unnest(\(parameters))"), collection.fields.map(\.type.arrayType))
    lazy var copy = "COPY \(name) (\(collection.columns(allFields))) FROM STDIN (FORMAT binary)"

    init(_ collection: CollectionSchema, _ options: ConnectionOptions) {
        self.collection = collection
        self.options = options
        hasIntegerKey = collection.hasIntegerKey
        keyFields = FieldSet(positions: collection.primaryKey.parts.map(\.position))
        indexFields = collection.indexes.map { FieldSet(positions: $0.parts.map(\.position)) }
        allFields = collection.allFields
        keyLengths = KeyLengths(collection)
    }

    private var name: String { options.qualified(collection.name) }

    /// Returns the fields to select for a walk: the requested ones, and those that determine a row's place in the walk.
    func selected(_ fields: FieldSet, index: Int?) -> FieldSet {
        fields.intersection(allFields).union(keyFields).union(index.map { indexFields[$0] } ?? [])
    }

    func columns(_ fields: FieldSet) -> RowColumns {
        if let known = columns[fields] { return known }
        let new = RowColumns(collection, fields) { Int32(bitPattern: $0.serverType) }
        if columns.count < Self.statementsMax { columns[fields] = new }
        return new
    }

    // MARK: Statements

    func statement(_ shape: StatementShape) -> Statement {
        if let known = statements[shape] { return known }
        let isKept = statements.count < Self.statementsMax
        let new = Statement(sql(shape), types(shape), isKept: isKept)
        if isKept { statements[shape] = new }
        return new
    }

    private func sql(_ shape: StatementShape) -> String {
        let order = isInteger(shape) ? keyName : entry(shape)
        switch shape.kind {
        case .get:
            return "SELECT \(collection.columns(shape.fields)) FROM \(name) WHERE \(collection.keyCondition)"
        case .walk(let rowsMax):
            return "SELECT \(collection.columns(shape.fields)) FROM \(name)\(conditions(shape)) "
                + "ORDER BY \(order)\(shape.isDescending ? " DESC" : "") LIMIT \(rowsMax)"
        case .count: return "SELECT count(*) FROM \(name)\(conditions(shape))"
        case .countUpToLimit:
            // Ordered, so that the planner uses the index instead of scanning the rows.
            let parameter = isInteger(shape) || shape.hasUpper ? 3 : 2
            return "SELECT count(*) FROM (SELECT 1 FROM \(name)\(conditions(shape)) ORDER BY \(order) "
                + "LIMIT $\(parameter)) AS found"
        }
    }

    private func types(_ shape: StatementShape) -> [UInt32] {
        if shape.kind == .get { return collection.keyTypes }
        let type = isInteger(shape) ? ServerType.integer : ServerType.bytes
        let bounds = shape.isBounded ? (isInteger(shape) || shape.hasUpper ? [type, type] : [type]) : []
        return shape.kind == .countUpToLimit ? bounds + [ServerType.integer] : bounds
    }

    private func conditions(_ shape: StatementShape) -> String {
        if !shape.isBounded { return "" }
        if isInteger(shape) { return " WHERE \(keyName) >= $1 AND \(keyName) <= $2" }
        let entry = entry(shape)
        return " WHERE \(entry) >= $1" + (shape.hasUpper ? " AND \(entry) < $2" : "")
    }

    private func isInteger(_ shape: StatementShape) -> Bool { shape.index == nil && hasIntegerKey }

    private func entry(_ shape: StatementShape) -> String {
        collection.entry(shape.index.map { collection.indexes[$0] } ?? collection.primaryKey)
    }

    private var keyName: String {
        collection.fields[collection.primaryKey.parts[0].position].column.quotedForSQL
    }

    private var parameters: String {
        collection.fields.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
    }

    /// Inserts rows or overwrites those with the same keys.
    private func put(_ rows: String) -> String {
        let others = allFields.subtracting(keyFields).positions.map {
            collection.fields[$0].column.quotedForSQL
        }
        let action = others.map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        return "INSERT INTO \(name) (\(collection.columns(allFields))) \(rows) "
            + "ON CONFLICT (\(collection.columns(keyFields))) DO "
            + (others.isEmpty ? "NOTHING" : "UPDATE SET \(action)")
    }
}
