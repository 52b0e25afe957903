public import Patchbay

/// Keeps all rows in memory, and every committed change in one file that only grows.
///
/// A write appends one frame to the file (``Frame``); opening reads the file from its start and applies each frame.
/// Limits:
///
/// - All rows must fit in memory, twice while the storage opens.
/// - The file has at most 1 GiB; a write that would exceed that fails with `storageFull`. Replaced and deleted rows
///   stay in the file; copy the storage to remove them.
/// - Only one process can use the storage at a time; another one gets `busy`.
public final class AppendOnlyStorage: Storage {
    private let journal: Journal
    private let memory = MemoryStorage()

    /// - Parameter path: a file, created when it does not exist; its folder must exist.
    public init(path: String, durability: Durability = .full) {
        journal = Journal(path: path, durability: durability)
    }

    /// A committed write survives the end of the process, and reads run during a write.
    public var features: StorageFeatures { [.durable, .readsDuringWrite] }

    /// Reads the journal into memory.
    @discardableResult
    public func open(_ opening: StorageOpening) async throws -> Schema {
        try await journal.open(opening, into: memory)
    }

    /// Runs `body` in a read transaction.
    public func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await memory.read(body)
    }

    /// Runs `body` in a write transaction and appends its changes to the journal.
    public func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await journal.write(memory, body)
    }

    /// Returns a number that increases with every commit.
    public func revision() async throws -> UInt64 { try await memory.revision() }

    /// Returns the size and the path of the journal.
    public func describe() async throws -> StorageDescription { try await journal.describe() }

    /// Closes the journal.
    public func close() async throws {
        await journal.close()
        try await memory.close()
    }
}
