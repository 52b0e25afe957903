import PatchbayCore
import Synchronization

/// An open environment with the state that reads and writes need.
final class Connection: Sendable {
    /// Thrown by a read or write that begins after the connection was closed. After a compaction there is a new
    /// connection.
    struct Closed: Error {}

    let environment: Environment
    let tables: Tables
    /// All stored collections.
    let schema: Schema
    /// The reason why writes are refused, or nil.
    let refusal: PatchbayError?
    let readers: ReaderPool
    /// The schema record that a write checked last.
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

    /// Checks in a write transaction that no other process has changed the declarations of the stored rows.
    ///
    /// - Throws: `unsupported` when one has.
    func checkSchema(in transaction: Transaction) throws {
        let known = schemaRecord.withLock { $0 }
        let record = try StoredSchema.checked(known, schema, in: transaction)
        if record != known { schemaRecord.withLock { $0 = record } }
    }

    /// Whether data.mdb was removed, or another file has its name.
    var hasGone: Bool {
        let file = environment.map.file
        guard let opened = try? environment.map.identity else { return false }
        // A file whose status cannot be read is not gone; reading it reports the error.
        guard let now = try? FileStatus(path: file) else { return (try? StoragePlace(at: file)) == .nothing }
        return now.identity != opened
    }

    /// Closes the environment and releases the folder.
    func closeAtOnce() {
        if closeEnvironment() { registration.end() }
    }

    /// Closes the environment but keeps the folder registered. Call it only when no transaction runs; a second call
    /// does nothing and returns false.
    @discardableResult
    func closeEnvironment() -> Bool {
        guard isClosed.exchange(true, ordering: .acquiringAndReleasing) == false else { return false }
        readers.abortIdle()
        environment.close()
        return true
    }
}
