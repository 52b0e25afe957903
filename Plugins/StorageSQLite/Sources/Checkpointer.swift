import PatchbayCore

/// Moves the log into the database beside the writer, on a thread of its own, so that no commit waits for it.
actor Checkpointer {
    /// After so many new pages in the log the checkpointer is asked.
    static let logPages = 1_000
    /// Under constant writing the checkpointer never reaches the log's end. With so many pages, 64 MiB, the
    /// writer itself does, between two transactions.
    static let logPagesMax = 16_384

    private let executor = BlockingExecutor(label: "patchbay.sqlite.checkpoint")
    private let options: ConnectionOptions
    /// Opened when there is something to do.
    private var connection: Connection?
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ options: ConnectionOptions) { self.options = options }

    /// Returns at once.
    nonisolated func request() { Task { await run() } }

    private func run() {
        guard !isClosed else { return }
        do {
            let connection = try connection ?? options.connectForWriting()
            self.connection = connection
            try connection.checkpoint()
        } catch {
            // What cannot be moved stays in the log, and later commits ask again; the writer's `close` tells the
            // error.
        }
    }

    func close() {
        isClosed = true
        connection = nil
    }
}
