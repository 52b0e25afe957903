/// Where rows go: the standard output, and on a terminal a pager once they are longer than the screen.
struct RowOutput {
    private var isPaged: Bool
    /// What may be shown without a pager, if nothing follows it.
    private var held: [UInt8] = []

    /// - Parameter isPaged: whether a pager is wanted where there is a terminal.
    init(isPaged: Bool) { self.isPaged = isPaged && Terminal.output.isTerminal }

    /// Prints the bytes, or holds them back while they fit on the screen.
    ///
    /// - Throws: ``BrokenPipe`` when somebody has left the pager, too.
    mutating func write(_ bytes: [UInt8]) throws {
        if Pager.isRunning { return try Pager.write(bytes) }
        guard isPaged, let size = POSIX.size(StandardStream.output.descriptor) else {
            return try StandardStream.output.write(bytes)
        }
        held += bytes
        guard DrawnTable.rows(of: held, columns: size.columns) >= size.rows else { return }
        isPaged = Pager.start()
        try show()
    }

    /// Prints what is held back.
    mutating func show() throws {
        defer { held = [] }
        if Pager.isRunning { return try Pager.write(held) }
        try StandardStream.output.write(held)
    }

    /// Ends the rows, and waits for the pager: what follows is written below it.
    mutating func finish() throws {
        try show()
        Pager.finish()
    }
}
