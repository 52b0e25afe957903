internal import Synchronization

/// A table on the terminal that a newer one may replace.
///
/// It is replaced in its place when it and the newer one fit on the screen, the screen has kept its size, and nothing
/// else was written or typed below it; else the newer one follows it.
struct DrawnTable {
    private let bytes: [UInt8]
    private let size: ScreenSize?
    private let messages: Int

    /// Whether the output is a table that somebody watches.
    static func isPossible(_ format: OutputFormat) -> Bool { format == .table && Terminal.output.isTerminal }

    /// Prints the table.
    init(_ bytes: [UInt8], to output: inout RowOutput) throws {
        self.bytes = bytes
        size = POSIX.size(StandardStream.output.descriptor)
        messages = Message.count
        try output.write(bytes)
        try output.show()
    }

    /// Prints a newer table in its place, or below it; nothing when both are the same.
    func replace(with newer: [UInt8], in output: inout RowOutput) throws {
        guard newer != bytes else { return }
        let words = "the source says something else:"
        if Pager.isRunning { return try output.write(Array("\n\(words)\n".utf8) + newer) }
        guard let rows = rowsToReplace(with: newer) else {
            Message.note(words)
            return try output.write(newer)
        }
        try StandardStream.output.write(Array("\r\u{1B}[\(rows)A\u{1B}[J".utf8) + newer)
    }

    private func rowsToReplace(with newer: [UInt8]) -> Int? {
        let size = POSIX.size(StandardStream.output.descriptor)
        guard Terminal.output.allowsRedrawing, let size, size == self.size, messages == Message.count,
            POSIX.typedBytes(0) == 0
        else { return nil }
        let rows = DrawnTable.rows(of: bytes, columns: size.columns)
        // The cursor stands in the row below the table.
        guard rows > 0, max(rows, DrawnTable.rows(of: newer, columns: size.columns)) < size.rows else {
            return nil
        }
        return rows
    }

    /// How many rows of the terminal whole lines take.
    static func rows(of bytes: [UInt8], columns: Int) -> Int {
        Paint.removed(from: String(decoding: bytes, as: UTF8.self))
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().reduce(0) {
                $0 + max(1, (TerminalText.width(of: String($1)) + columns - 1) / columns)
            }
    }
}
