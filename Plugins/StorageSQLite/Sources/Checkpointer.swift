import PatchbayCore

/// Moves pages from the log into the database on a thread of its own, so that no commit waits for it.
///
/// Under constant writing, new pages keep arriving while it works. The writer moves the few that remain
/// between two transactions: a log that was moved completely starts again at its beginning, and overwriting it
/// is faster than appending to it.
actor Checkpointer {
    /// The number of new pages in the log, 32 MiB, after which the checkpointer runs. This should be rare, because
    /// a commit that flushes the log while the checkpointer flushes the database waits for both.
    static let logPages = 8_000
    /// After this number of commits it runs at 4 MiB already. It is still rare then, and a log that starts again is
    /// overwritten: a flush takes longer when the file has grown.
    static let commitsMin = 500
    static let logPagesMin = 1_000
    /// From this many pages on, 64 MiB, the writer moves them itself after each commit.
    static let logPagesMax = 16_384
    private static let pagesLeftMax = 100
    private static let turnsMax = 3

    private let executor = BlockingExecutor(label: "patchbay.sqlite.checkpoint")
    private let options: ConnectionOptions
    /// Opened for the first checkpoint.
    private var connection: Connection?
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    init(_ options: ConnectionOptions) { self.options = options }

    /// Starts a checkpoint and returns at once. The writer moves the pages that remain afterwards.
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
            // Pages that cannot be moved stay in the log, and later commits try again; the writer's `close`
            // reports the error.
        }
    }

    func close() {
        isClosed = true
        connection = nil
    }
}
