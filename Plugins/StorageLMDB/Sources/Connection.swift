import PatchbayCore

/// An open environment and the state that reads and writes need.
struct Connection: Sendable {
    let environment: Environment
    let tables: Tables<Table>
    /// All stored collections.
    let schema: Schema
    let storedSchema: StoredSchema
    let opening: Opening
    let openFolder: OpenFolder
    /// The reason why writes are refused, or nil.
    let refusal: PatchbayError?

    /// The identity of data.mdb, because another file may take its place in the same folder.
    let identity: StorageIdentity

    /// Begins a read. When other processes have all reader places, those of ended processes are freed first.
    func beginReading() throws -> ReadTransaction {
        do {
            return ReadTransaction(try Transaction(environment, isWriting: false), tables)
        } catch let error as PatchbayError where error.code == .busy {
            try environment.clearStaleReaders()
            return ReadTransaction(try Transaction(environment, isWriting: false), tables)
        }
    }
}
