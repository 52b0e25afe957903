package import PatchbayCore
import Synchronization

/// A memory storage that counts its transactions.
package final class CountingStorage: StorageWrapper {
    package let inner: any Storage = MemoryStorage()
    private let counts = Mutex((reads: 0, writes: 0))

    /// The number of read transactions so far.
    package var reads: Int { counts.withLock(\.reads) }
    /// The number of write transactions so far.
    package var writes: Int { counts.withLock(\.writes) }

    package init() {}

    package func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        counts.withLock { $0.reads += 1 }
        return try await inner.read(body)
    }

    package func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        counts.withLock { $0.writes += 1 }
        return try await inner.write(body)
    }
}
