import PatchbaySystem

/// The destination of rows: standard output, or on a terminal a pager once the rows are longer than the screen.
package struct RowOutput {
    private var isPaged: Bool
    /// Output that is shown without a pager if nothing follows it.
    private var held: [UInt8] = []

    /// - Parameter isPaged: whether to use a pager on a terminal.
    package init(isPaged: Bool) { self.isPaged = isPaged && Terminal.output.isTerminal }

    /// Prints the bytes, or holds them back as long as they fit on the screen.
    ///
    /// - Throws: ``BrokenPipe`` when the output is closed or the user has quit the pager.
    package mutating func write(_ bytes: [UInt8]) throws {
        if Pager.isRunning { return try Pager.write(bytes) }
        guard isPaged, let size = ScreenSize(of: StandardStream.output.descriptor) else {
            return try StandardStream.output.write(bytes)
        }
        held += bytes
        guard DrawnTable.rows(of: held, columns: size.columns) >= size.rows else { return }
        isPaged = Pager.start()
        try show()
    }

    /// Prints the bytes that were held back.
    package mutating func show() throws {
        defer { held = [] }
        if Pager.isRunning { return try Pager.write(held) }
        try StandardStream.output.write(held)
    }

    /// Ends the rows and waits for the pager, so that later output appears below it.
    package mutating func finish() throws {
        try show()
        Pager.finish()
    }
}
