import PatchbayCore
import Synchronization

/// Memory that counts its read transactions.
final class ReadCountingStorage: Storage {
    private let storage = MemoryStorage()
    private let count = Mutex(0)

    var reads: Int { count.withLock { $0 } }
    var features: StorageFeatures { storage.features }

    func open(_ schema: Schema, progress: @escaping WorkProgress.Handler) async throws {
        try await storage.open(schema, progress: progress)
    }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        count.withLock { $0 += 1 }
        return try await storage.read(body)
    }

    func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await storage.write(body)
    }

    func revision() async throws -> UInt64 { try await storage.revision() }
    func describe() async throws -> StorageDescription { try await storage.describe() }
    func close() async throws { try await storage.close() }
}
