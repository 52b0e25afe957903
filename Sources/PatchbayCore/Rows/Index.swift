/// An order in which a collection can be traversed.
///
/// Rows are ordered by the index's parts, and rows with equal parts by the primary key. Null comes before every value.
/// A unique index refuses a second row with the same parts, unless one of them is null.
public struct Index: Sendable, Hashable {
    /// One field of an index.
    public struct Part: Sendable, Hashable {
        /// The position of the field in the collection.
        public let position: Int
        /// Whether A to Z compare as a to z (ASCII only; other letters compare by their bytes).
        public let isCaseFolded: Bool

        /// Returns a part that compares text by its bytes.
        public static func exact(_ position: Int) -> Part { Part(position: position, isCaseFolded: false) }
        /// Returns a part that compares A to Z as a to z, for a text field.
        public static func caseFolded(_ position: Int) -> Part {
            Part(position: position, isCaseFolded: true)
        }
    }

    /// The name, unique in the collection; follows the same rules as the name of a ``Field``.
    public let name: String
    /// The parts, the most significant first; never empty.
    public let parts: [Part]
    /// Whether two rows must not have the same parts, unless one of them is null.
    public let isUnique: Bool
    /// Whether this is the order of a collection's primary key, which the entries of other indexes include.
    let isPrimaryKey: Bool

    /// Creates an index. At least one part is required.
    public init(_ name: String, _ parts: Part..., unique: Bool = false) {
        self.init(name, parts: parts, unique: unique, isPrimaryKey: false)
    }

    /// Creates an index whose parts are known only at run time.
    public init(_ name: String, parts: [Part], unique: Bool = false) {
        self.init(name, parts: parts, unique: unique, isPrimaryKey: false)
    }

    init(_ name: String, parts: [Part], unique: Bool, isPrimaryKey: Bool) {
        precondition(Field.isName(name), "\"\(name)\" is not a name: use a-z, 0-9 and _")
        precondition(!parts.isEmpty, "index \(name) has no parts")
        self.name = name
        self.parts = parts
        self.isUnique = unique
        self.isPrimaryKey = isPrimaryKey
    }
}
