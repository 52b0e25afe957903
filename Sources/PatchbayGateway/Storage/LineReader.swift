import PatchbayCore

/// Splits a stream of bytes into lines, with one chunk and one line in memory.
struct LineReader {
    /// The longest line: the largest row with every byte escaped as six bytes.
    static let lineBytesMax = Limits.rowBytes * 6 + chunkBytes
    private static let chunkBytes = 256 << 10

    private let read: (Int) throws -> [UInt8]
    private var chunk: [UInt8] = []
    private var position = 0
    /// The number of the last line read; the first is 1.
    private(set) var number = 0

    /// - Parameter read: returns the next bytes, at most the given number, and none at the end.
    init(_ read: @escaping (Int) throws -> [UInt8]) { self.read = read }

    /// Appends the next line without its line feed. Returns false when there is none.
    mutating func next(to line: inout [UInt8]) throws -> Bool {
        let start = line.count
        while true {
            if position == chunk.count {
                chunk = try read(LineReader.chunkBytes)
                position = 0
                if chunk.isEmpty {
                    let isThere = line.count > start
                    number += isThere ? 1 : 0
                    return isThere
                }
                skipByteOrderMark()
            }
            let end = chunk[position...].firstIndex(of: UInt8(ascii: "\n"))
            line += chunk[position..<(end ?? chunk.count)]
            position = end.map { $0 + 1 } ?? chunk.count
            if end != nil {
                number += 1
                return true
            }
            if line.count > LineReader.lineBytesMax {
                throw LineFault("the line has more than \(LineReader.lineBytesMax) bytes", at: number + 1)
            }
        }
    }

    private var isFirstChunk = true

    /// Programs on Windows may write U+FEFF at the beginning of a UTF-8 file.
    private mutating func skipByteOrderMark() {
        if isFirstChunk, chunk.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        isFirstChunk = false
    }
}

/// The fault of an imported line.
struct LineFault: Error {
    let message: String
    /// The line, if it is not the last one read.
    let line: Int?

    init(_ message: String, at line: Int? = nil) {
        self.message = message
        self.line = line
    }
}
