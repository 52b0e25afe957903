/// The place of a line in its file, which an index entry leads to.
struct Place: Sendable, Equatable {
    var offset: Int
    /// With the newline; 0 in the entry of a deleted key.
    var length: Int

    static let deleted = Place(offset: 0, length: 0)

    var isDeleted: Bool { length == 0 }

    var end: Int { offset + length }

    /// Whether a line can be here, so that arithmetic with the offset never overflows.
    var isPossible: Bool { (0..<(1 << 56)).contains(offset) && length <= Line.byteCountMax }
}
