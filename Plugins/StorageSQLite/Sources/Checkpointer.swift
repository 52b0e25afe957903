import PatchbayCore

/// Moves the log into the database beside the writer, on a thread of its own, so that no commit waits for it.
///
/// Under constant writing new pages come meanwhile. What is left in the end, a few pages, the writer moves
/// between two transactions: a log that is moved as a whole begins anew, and writing over it is faster than
/// adding to it.
actor Checkpointer {
    /// After so many new pages in the log, 32 MiB, the checkpointer is asked. A commit that flushes the log
    /// while the checkpointer flushes the database waits for both, so that should be rare.
    static let logPages = 8_000
    /// With so many pages, 64 MiB, the writer moves them after each commit.
    static let logPagesMax = 16_384
    private static let pagesLeftMax = 100
    private static let turnsMax = 3

    private let executor = BlockingExecutor(label: "patchbay.sqlite.checkpoint")
    private let options: ConnectionOptions
    /// Opened when there is something to do.
    private var connection: Connection?
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(_ options: ConnectionOptions) { self.options = options }

    /// Returns at once. When the work is done the writer finishes it.
    nonisolated func request(by writer: Writer) {
        Task {
            await run()
            await writer.checkpoint()
        }
    }

    private func run() {
        guard !isClosed else { return }
        do {
            let connection = try connection ?? options.connectForWriting()
            self.connection = connection
            var turns = 0
            while try connection.checkpoint() > Checkpointer.pagesLeftMax, turns < Checkpointer.turnsMax {
                turns += 1
            }
        } catch {
            // What cannot be moved stays in the log, and later commits ask again; the writer's `close`
            // tells the error.
        }
    }

    func close() {
        isClosed = true
        connection = nil
    }
}
