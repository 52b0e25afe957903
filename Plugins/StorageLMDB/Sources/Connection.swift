import PatchbayCore
import Synchronization

/// An open environment with the state that reads and writes need.
final class Connection: Sendable {
    let environment: Environment
    let tables: Tables<Table>
    /// The number of indexes of the collection that has the most.
    let indexesMax: Int
    /// All stored collections.
    let schema: Schema
    let opening: Opening
    /// The reason why writes are refused, or nil.
    let refusal: PatchbayError?
    let registration: OpenFolders.Registration
    /// The stored schema that a write checked last.
    private let storedSchema: Mutex<StoredSchema>

    init(
        _ environment: Environment, _ tables: Tables<Table>, _ schema: Schema, _ stored: StoredSchema,
        _ opening: Opening, _ registration: OpenFolders.Registration, refusal: PatchbayError?
    ) {
        self.environment = environment
        self.tables = tables
        self.schema = schema
        indexesMax = schema.collections.map(\.indexes.count).max() ?? 0
        self.opening = opening
        self.refusal = refusal
        self.registration = registration
        storedSchema = Mutex(stored)
    }

    /// Begins a read. When other processes have all reader places, those of ended processes are freed first.
    func beginReading() throws -> ReadTransaction {
        do {
            return ReadTransaction(try Transaction(environment, isWriting: false), tables)
        } catch let error as PatchbayError where error.code == .busy {
            try environment.clearStaleReaders()
            return ReadTransaction(try Transaction(environment, isWriting: false), tables)
        }
    }

    /// Checks in a write transaction that no other process has changed the declarations of the stored rows.
    ///
    /// - Throws: `unsupported` when one has.
    func checkSchema(in transaction: Transaction) throws {
        try storedSchema.withLock { $0 = try $0.checked(for: schema, in: transaction) }
    }
}
