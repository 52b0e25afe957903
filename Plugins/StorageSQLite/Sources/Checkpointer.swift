import PatchbayCore

/// Moves the log into the database beside the writer, on a thread of its own, so that no commit waits for it.
actor Checkpointer {
    /// After so many new pages in the log the checkpointer is asked.
    static let logPages = 1_000
    /// Under constant writing the checkpointer never reaches the log's end. With so many pages, 64 MiB, the
    /// writer itself does, between two transactions.
    static let logPagesMax = 16_384

    private let executor = BlockingExecutor(label: "patchbay.sqlite.checkpoint")
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func open(_ options: ConnectionOptions) throws {
        let connection = try options.connect()
        try options.prepareForWriting(connection)
        self.connection = connection
    }

    /// Returns at once.
    nonisolated func request() { Task { await run() } }

    private func run() {
        // What cannot be moved stays in the log, and the next commits ask again; the writer's `close` tells
        // the error.
        try? connection?.checkpoint()
    }

    func close() { connection = nil }
}
