import PatchbaySystem

/// A table on the terminal that a newer one may replace.
///
/// The newer table is drawn over the old one if both fit on the screen, the screen has kept its size, and nothing else
/// was written or typed below the old one. Otherwise the newer table follows it.
package struct DrawnTable {
    private let bytes: [UInt8]
    private let size: ScreenSize?
    private let messages: Int

    /// Returns whether the output is a table on a terminal.
    package static func isPossible(_ format: OutputFormat) -> Bool {
        format == .table && Terminal.output.isTerminal
    }

    /// Prints the table.
    package init(_ bytes: [UInt8], to output: inout RowOutput) throws {
        self.bytes = bytes
        size = ScreenSize(of: StandardStream.output.descriptor)
        messages = Message.count
        try output.write(bytes)
        try output.show()
    }

    /// Prints a newer table in place of this one or below it; prints nothing if both are the same.
    package func replace(with newer: [UInt8], in output: inout RowOutput) throws {
        guard newer != bytes else { return }
        let words = "the source returned something else:"
        if Pager.isRunning { return try output.write(Array("\n\(words)\n".utf8) + newer) }
        guard let rows = rowsToReplace(with: newer) else {
            Message.note(words)
            return try output.write(newer)
        }
        try StandardStream.output.write(Array("\r\u{1B}[\(rows)A\u{1B}[J".utf8) + newer)
    }

    private func rowsToReplace(with newer: [UInt8]) -> Int? {
        let size = ScreenSize(of: StandardStream.output.descriptor)
        guard Terminal.output.allowsRedrawing, let size, size == self.size, messages == Message.count,
            Descriptor.typedBytes(0) == 0
        else { return nil }
        let rows = DrawnTable.rows(of: bytes, columns: size.columns)
        // The cursor is in the row below the table.
        guard rows > 0, max(rows, DrawnTable.rows(of: newer, columns: size.columns)) < size.rows else {
            return nil
        }
        return rows
    }

    /// Returns the number of terminal rows that complete lines occupy.
    package static func rows(of bytes: [UInt8], columns: Int) -> Int {
        Paint.removed(from: String(decoding: bytes, as: UTF8.self))
            .split(separator: "\n", omittingEmptySubsequences: false).dropLast().reduce(0) {
                $0 + max(1, (TerminalText.width(of: String($1)) + columns - 1) / columns)
            }
    }
}
