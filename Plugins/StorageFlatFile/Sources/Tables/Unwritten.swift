/// Lines of an open transaction that are not in the file yet.
final class Unwritten {
    /// The offset of the first byte in the file.
    var start: Int
    let bytes = ByteBuffer()

    init(start: Int) { self.start = start }

    var end: Int { start + bytes.count }
}
