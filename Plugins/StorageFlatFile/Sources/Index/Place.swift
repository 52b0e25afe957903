/// Where a line stands in its file: what an index entry leads to.
struct Place: Sendable, Equatable {
    var offset: Int
    /// With the newline; 0 in an entry that says that its key was deleted.
    var length: Int

    static let deleted = Place(offset: 0, length: 0)

    var isDeleted: Bool { length == 0 }

    var end: Int { offset + length }

    /// Whether a line can stand here, so that counting with it never overflows.
    var isPossible: Bool { (0..<(1 << 56)).contains(offset) && length <= Line.byteCountMax }
}
