public import PatchbayCore

/// A former name under which a source still leads to a row: the login of an account or the full name of a repository
/// before it was renamed.
///
/// A row is found by its present name first, so an alias matters only while nothing else has the name.
public struct StoredAlias: Hashable, Sendable {
    /// What kind of row the name leads to.
    public enum Kind: String, Sendable, CaseIterable {
        case user, repository
    }

    public var kind: Kind
    /// The former name, A to Z as a to z.
    public var name: String
    /// The id of the row.
    public var id: Int64
    /// When the source last led from the name to the row.
    public var notedAt: Timestamp

    /// Aliases beyond this number are forgotten, the oldest first.
    public static let countMax = 10_000

    /// Nil for a name that is longer than a login or a full name may be, and than a key can hold.
    public init?(_ kind: Kind, _ name: String, id: Int64, notedAt: Timestamp) {
        guard let folded = Self.folded(name) else { return nil }
        self.kind = kind
        self.name = folded
        self.id = id
        self.notedAt = notedAt
    }

    /// The key of a name; nil where ``init(_:_:id:notedAt:)`` gives nil.
    public static func key(_ kind: Kind, _ name: String) -> Key? {
        folded(name).map { .compound([.text(kind.rawValue), .text($0)]) }
    }

    /// GitHub's longest full name has 39 + 1 + 100 characters.
    private static func folded(_ name: String) -> String? {
        guard name.utf8.count <= 200 else { return nil }
        return String(decoding: name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}

extension StoredAlias: Record {
    static let kind = Column<String>(0, "kind")
    static let name = Column<String>(1, "name")
    static let id = Column<Int64>(2, "row_id")
    static let notedAt = Column<Timestamp>(3, "noted_at_ms")

    public static let byTime = Index("by_time", .exact(notedAt.position))

    public static let collection = Collection(
        "aliases", key: kind.position, name.position, indexes: [byTime],
        fields: [kind.field, name.field, id.field, notedAt.field])

    public init(_ row: borrowing Row) {
        kind = Kind(rawValue: row[Self.kind]) ?? .user
        name = row[Self.name]
        id = row[Self.id]
        notedAt = row[Self.notedAt]
    }

    public func write(to row: inout RowBuilder) {
        row[Self.kind] = kind.rawValue
        row[Self.name] = name
        row[Self.id] = id
        row[Self.notedAt] = notedAt
    }
}
