public import PatchbayCore

/// What was edited of a user that is not stored any more; it applies again when the user comes back.
///
/// Of a stored user the edit stands in its own row (``User/nameOverride``).
public struct StoredUserEdit: Hashable, Sendable {
    /// The user's id.
    public var id: Int64
    public var name: String

    public init(id: Int64, name: String) {
        self.id = id
        self.name = name
    }
}

extension StoredUserEdit: Record {
    static let id = Column<Int64>(0, "id")
    static let name = Column<String>(1, "name")

    public static let collection = Collection("user_edits", key: id.position, fields: [id.field, name.field])

    /// The fields of a user that an edit is made of.
    public static let userFields = FieldSet(
        positions: [StoredUser.id.position, StoredUser.nameOverride.position])

    public init(_ row: borrowing Row) { self.init(id: row[Self.id], name: row[Self.name]) }

    /// The edit that stands in a user's row; nil when nothing was edited.
    public init?(ofUser row: borrowing Row) {
        guard let name = row[StoredUser.nameOverride] else { return nil }
        self.init(id: row[StoredUser.id], name: name)
    }

    public func write(to row: inout RowBuilder) {
        row[Self.id] = id
        row[Self.name] = name
    }
}
