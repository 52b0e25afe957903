import PatchbayCore
import Synchronization

/// An open environment with what reads and writes need of it.
final class Connection: Sendable {
    /// What a read or write throws that comes after the connection was closed; a compaction has put another
    /// in its place then.
    struct Closed: Error {}

    let environment: Environment
    let tables: Tables
    /// All collections that are stored.
    let schema: Schema
    /// Why nothing can be written; nil when it can.
    let refusal: PatchbayError?
    let readers: ReaderPool
    /// The schema record as it was when a write checked it last.
    private let schemaRecord: Mutex<[UInt8]>
    let registration: OpenFolders.Registration
    private let isFinished = Atomic(false)
    private let isClosed = Atomic(false)

    init(
        _ environment: Environment, _ tables: Tables, _ schema: Schema, schemaRecord: [UInt8],
        _ registration: OpenFolders.Registration, refusal: PatchbayError?
    ) {
        self.environment = environment
        self.tables = tables
        self.schema = schema
        self.refusal = refusal
        self.readers = ReaderPool(environment, tables)
        self.schemaRecord = Mutex(schemaRecord)
        self.registration = registration
    }

    /// Refuses writes from now on.
    func finish() { isFinished.store(true, ordering: .releasing) }

    func checkTakesWrites() throws {
        if let refusal { throw refusal }
        if isFinished.load(ordering: .acquiring) { throw Closed() }
    }

    /// Checks in a writing transaction that no other process has changed what the stored rows look like.
    ///
    /// - Throws: `unsupported`.
    func checkSchema(in transaction: Transaction) throws {
        let known = schemaRecord.withLock { $0 }
        let record = try StoredSchema.checked(known, schema, in: transaction)
        if record != known { schemaRecord.withLock { $0 = record } }
    }

    /// Whether data.mdb was removed, or another file has its name.
    var hasGone: Bool {
        let file = environment.map.file
        guard let opened = try? environment.map.identity else { return false }
        // What cannot be looked at has not gone: reading it tells what is wrong.
        guard let now = try? FileStatus(path: file) else { return (try? StoragePlace(at: file)) == .nothing }
        return now.identity != opened
    }

    /// Closes the environment and gives the folder free.
    func closeAtOnce() {
        if closeEnvironment() { registration.end() }
    }

    /// Closes the environment, while the folder stays this process's. Only when no transaction runs; a second
    /// call does nothing and returns false.
    @discardableResult
    func closeEnvironment() -> Bool {
        guard isClosed.exchange(true, ordering: .acquiringAndReleasing) == false else { return false }
        readers.abortIdle()
        environment.close()
        return true
    }
}
