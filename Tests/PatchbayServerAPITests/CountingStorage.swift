import PatchbayCore
import Synchronization

/// A memory storage that counts read transactions.
final class CountingStorage: StorageWrapper {
    let inner: any Storage = MemoryStorage()
    private let count = Mutex(0)

    var reads: Int { count.withLock { $0 } }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        count.withLock { $0 += 1 }
        return try await inner.read(body)
    }
}
