public import PatchbayCore

/// Which API the rows of a storage come from; the only row of its collection.
///
/// It is saved with the first row that a source tells. Ids of different APIs clash, so another API's source is refused
/// then.
public struct StoredSource: Hashable, Sendable {
    /// The row's key.
    public static let key: Key = 1

    /// ``Source/api``.
    public var api: String

    public init(api: String) { self.api = api }
}

extension StoredSource: Record {
    static let id = Column<Int64>(0, "id")
    static let api = Column<String>(1, "api")

    public static let collection = Collection("sources", key: id.position, fields: [id.field, api.field])

    public init(_ row: borrowing Row) { self.init(api: row[Self.api]) }

    public func write(to row: inout RowBuilder) {
        row[Self.id] = 1
        row[Self.api] = api
    }
}
