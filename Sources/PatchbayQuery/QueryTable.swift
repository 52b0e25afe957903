import CSQLite
import PatchbayCore
import PatchbayDomain

/// A table of SQL: the rows of a resource.
final class QueryTable: Sendable {
    /// The name that messages use: the shortest one.
    let name: String
    let resource: Resource
    /// Whether rows that are no longer listed are among the rows.
    let isAll: Bool
    let columns: [QueryColumn]
    /// For each position in the collection, the column that shows exactly the stored value; nil when none does.
    let columnsOfPositions: [Int?]
    /// The orders in which rows can be walked: that of the key, then those of the indexes.
    let orders: [Order]
    /// The fields that every walk reads: those of the key, and the mark of rows that are no longer listed.
    let usualFields: FieldSet
    /// The fields that are texts.
    let texts: FieldSet
    /// The fields of each column.
    private let columnFields: [FieldSet]

    /// An order, with the parts that decide between rows with the same values.
    struct Order: Sendable {
        /// Nil for the order of the key.
        let index: Index?
        /// The parts of the index, then those of the key.
        let parts: [Index.Part]
        /// The number of parts of the index itself.
        let ownCount: Int
        /// The fields of the parts.
        let fields: FieldSet

        init(_ index: Index?, _ parts: [Index.Part], ownCount: Int) {
            self.index = index
            self.parts = parts
            self.ownCount = ownCount
            fields = FieldSet(positions: parts.map(\.position))
        }
    }

    init(_ name: String, _ resource: Resource, isAll: Bool) {
        self.name = name
        self.resource = resource
        self.isAll = isAll
        columns = QueryColumn.all(of: resource)
        let collection = resource.collection
        var places = [Int?](repeating: nil, count: collection.fields.count)
        for (place, column) in columns.enumerated() {
            if case .stored(let position) = column.content, places[position] == nil {
                places[position] = place
            }
        }
        columnsOfPositions = places
        let key = collection.primaryKey.parts
        orders =
            [Order(nil, key, ownCount: key.count)]
            + resource.indexes.map { Order($0, $0.parts + key, ownCount: $0.parts.count) }
        usualFields = FieldSet(positions: key.map(\.position) + (isAll ? [] : [ItemState.goneAtPosition]))
        texts = FieldSet(
            positions: collection.fields.indices.filter {
                [.text, .bytes].contains(collection.fields[$0].type)
            })
        columnFields = columns.map(\.fields)
    }

    /// The fields of the columns in a mask of SQLite, whose last bit is for all columns from the 64th on.
    func fields(of mask: UInt64) -> FieldSet {
        var fields = usualFields
        for (place, own) in columnFields.enumerated() where mask & (1 << UInt64(min(place, 63))) != 0 {
            fields.formUnion(own)
        }
        return fields
    }

    /// Whether the key is one integer, which is the only text that is equal to it.
    var hasIntegerKey: Bool {
        let collection = resource.collection, parts = collection.primaryKey.parts
        return parts.count == 1 && collection.fields[parts[0].position].type == .integer
    }

    func numbers(in column: Int) -> NumberColumn { NumberColumn(table: name, column: columns[column].name) }

    /// The declaration that SQLite is given.
    ///
    /// The table has no rowid, because keys may be texts or several values; `_key` identifies a row.
    var declaration: String {
        let columns = columns.map { column in
            // SQLite 3.40 loses the collation of a hidden column when it removes the word from its type.
            let isCollated = column.type == .time && !column.isHidden
            let collation = isCollated ? " COLLATE " + TimeText.collation : ""
            return "\(SQLName.quoted(column.name)) \(column.type.affinity)"
                + (column.isHidden ? " HIDDEN" : "") + collation
                + (column.content == .key ? " NOT NULL PRIMARY KEY" : "")
        }
        return "CREATE TABLE x(\(columns.joined(separator: ", "))) WITHOUT ROWID"
    }
}

/// A column of SQL.
struct QueryColumn: Sendable {
    /// Where the value of a column comes from.
    enum Content: Equatable {
        /// The position of a field that is shown unchanged.
        case stored(Int)
        /// The positions of a text and of its local edit. An empty edit shows null.
        case edited(Int, edit: Int)
        /// ``KeyText``.
        case key
        /// The seconds since the row was fetched.
        case age
    }

    let name: String
    let content: Content
    let type: ValueType
    /// Whether `SELECT *` leaves the column out.
    let isHidden: Bool

    /// The columns of a resource's tables: its fields, then hidden ones.
    static func all(of resource: Resource) -> [QueryColumn] {
        let fields = resource.fields.map { field in
            let content = field.overridePosition.map { Content.edited(field.position, edit: $0) }
            return QueryColumn(
                name: field.name, content: content ?? .stored(field.position), type: field.type,
                isHidden: false)
        }
        let upstream = resource.fields.filter { $0.overridePosition != nil }.map {
            hidden("upstream_" + $0.name, .stored($0.position), $0.type)
        }
        let names = Set(fields.map(\.name))
        let notes = [
            hidden("_key", .key, .text),
            hidden("_fetched_at", .stored(ItemState.fetchedAtPosition), .time),
            hidden("_age", .age, .integer),
            hidden("_changed", .stored(resource.changeNumberPosition), .integer),
            hidden("_gone_at", .stored(ItemState.goneAtPosition), .time),
            hidden("_missing_since", .stored(resource.missingSincePosition), .time),
        ]
        // The number of a change would show changes of other fields.
        return fields + upstream.filter { !names.contains($0.name) }
            + notes.filter { !resource.isView || $0.name != "_changed" }
    }

    private static func hidden(_ name: String, _ content: Content, _ type: ValueType) -> QueryColumn {
        QueryColumn(name: name, content: content, type: type, isHidden: true)
    }

    /// The fields that the value is made of.
    var fields: FieldSet {
        switch content {
        case .stored(let position): FieldSet(positions: [position])
        case .edited(let position, let edit): FieldSet(positions: [position, edit])
        case .key: []
        case .age: FieldSet(positions: [ItemState.fetchedAtPosition])
        }
    }
}

extension ValueType {
    /// Whether values are any texts, and not times, none of which is a number.
    var isText: Bool { self == .text || self == .json }

    /// The type of a column in SQL.
    var affinity: String {
        switch self {
        case .text, .json, .time: "TEXT"
        case .integer, .boolean: "INTEGER"
        case .real: "REAL"
        }
    }
}

/// Names in SQL.
enum SQLName {
    /// The name as people write it: in quotation marks only if it is a keyword.
    static func plain(_ name: String) -> String {
        unsafe sqlite3_keyword_check(name, Int32(name.utf8.count)) != 0 ? quoted(name) : name
    }

    /// The name in quotation marks, so that it may be a keyword.
    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
}

/// A column of texts that IN compares with numbers.
///
/// Thrown when a plan meets such a number. While SQLite walks along the values of `IN (SELECT ...)`, it compares each
/// with the column as a text, whereas the statement compares them as numbers: 5 is the text 05 as well. So the
/// statement begins again with plans that do not use this condition, and SQLite compares as it should.
struct NumberColumn: Error, Hashable {
    let table: String
    let column: String

    /// The error for a statement whose first rows have been passed on.
    var error: PatchbayError {
        PatchbayError(
            .invalidValue,
            "IN compares the texts of \(table).\(column) with numbers; write IN (SELECT CAST(... AS TEXT) ...)"
        )
    }
}
