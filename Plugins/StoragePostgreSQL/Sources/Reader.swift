import PatchbayCore
import Synchronization

/// A connection for reads. The pool lends it to one task at a time.
///
/// A nearby server answers faster than two threads can switch, so reads run on the caller's thread as long as they are
/// quick. Connecting may take long; the first job of an executor never runs there, and a reader connects only once.
actor Reader: BlockingActor {
    let executor = BlockingExecutor(label: "patchbay.postgres.reader")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let options: ConnectionOptions
    private let collections: [CollectionSchema]
    private var transaction: ReadTransaction?
    nonisolated let state = Atomic(State.new)

    enum State: UInt8, AtomicRepresentable {
        case new, connected
        /// Connecting has failed or the connection was lost. Another reader takes the place of this one.
        case lost
    }

    init(_ options: ConnectionOptions, _ collections: [CollectionSchema]) {
        self.options = options
        self.collections = collections
    }

    /// Runs a read in a transaction.
    ///
    /// - Throws: ``ServerError`` when the body has seen no rows yet, so that it can be run again.
    func read<Result>(_ body: (any StorageReader) throws -> Result) throws -> Result {
        let transaction = try connected()
        transaction.reset()
        defer {
            transaction.end()
            lose(after: transaction.failure)
        }
        do {
            return try body(transaction)
        } catch {
            if let failure = transaction.failure, failure.remedy != .none, !transaction.isAnswered {
                throw failure
            }
            throw error
        }
    }

    /// Runs a query that needs no transaction.
    func run<Result>(_ question: (Connection) throws -> Result) throws -> Result {
        do {
            return try question(connected().connection)
        } catch {
            lose(after: error as? ServerError)
            throw error
        }
    }

    private func lose(after error: ServerError?) {
        if error?.endsConnection == true { state.store(.lost, ordering: .relaxed) }
    }

    private func connected() throws -> ReadTransaction {
        if let transaction { return transaction }
        state.store(.lost, ordering: .relaxed)
        let new = ReadTransaction(collections, try Connection(options, for: .reading))
        state.store(.connected, ordering: .relaxed)
        transaction = new
        return new
    }
}
