package import PatchbayCore
import Synchronization

/// A memory storage that counts its read transactions.
package final class ReadCountingStorage: StorageWrapper {
    /// The memory storage.
    package let inner: any Storage = MemoryStorage()
    private let count = Mutex(0)

    /// The number of read transactions so far.
    package var reads: Int { count.withLock { $0 } }

    /// Creates an empty storage.
    package init() {}

    /// Reads from the memory storage, and counts the transaction.
    package func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        count.withLock { $0 += 1 }
        return try await inner.read(body)
    }
}
