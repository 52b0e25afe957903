import PatchbayCore
import Synchronization

/// An open environment with what reads and writes need of it.
final class Connection: Sendable {
    let environment: Environment
    let tables: Tables
    let readers: ReaderPool
    /// The schema record as it was when we opened: a write checks that no other process has changed it.
    let schemaRecord: [UInt8]
    private let registration: OpenFolders.Registration
    private let isClosed = Atomic(false)

    init(
        _ environment: Environment, _ tables: Tables, schemaRecord: [UInt8],
        _ registration: OpenFolders.Registration
    ) {
        self.environment = environment
        self.tables = tables
        self.readers = ReaderPool(environment, tables)
        self.schemaRecord = schemaRecord
        self.registration = registration
    }

    /// Closes the environment. Only when no transaction runs; a second call does nothing.
    func closeAtOnce() {
        guard isClosed.exchange(true, ordering: .acquiringAndReleasing) == false else { return }
        readers.abortIdle()
        environment.close()
        registration.end()
    }
}
