// snippet: storage
import PatchbayCore

/// Passes everything to another storage and reports how long each write took.
struct TimedStorage: Storage {
    let base: any Storage
    let report: @Sendable (Duration) -> Void

    var features: StorageFeatures { base.features }

    func open(_ opening: StorageOpening) async throws -> Schema { try await base.open(opening) }

    func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try await base.read(body)
    }

    func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        let start = ContinuousClock.now
        defer { report(.now - start) }
        return try await base.write(body)
    }

    func revision() async throws -> UInt64 { try await base.revision() }

    func describe() async throws -> StorageDescription { try await base.describe() }

    func verifyFiles(progress: WorkProgress.Handler) async throws -> [StorageFault] {
        try await base.verifyFiles(progress: progress)
    }

    func compact(progress: WorkProgress.Handler) async throws { try await base.compact(progress: progress) }

    func backup(to path: String, progress: WorkProgress.Handler) async throws {
        try await base.backup(to: path, progress: progress)
    }

    func erase() async throws { try await base.erase() }

    func close() async throws { try await base.close() }
}

extension Plugin where Product == any Storage {
    static var timed: Plugin<any Storage> {
        Plugin("timed", "Keeps everything in memory and times each write.") { _ in
            TimedStorage(base: MemoryStorage()) { print("a write took \($0)") }
        }
    }
}
// end
// snippet: conformance
import PatchbayTestKit
import Testing

@Suite("The timed storage keeps the promises of a storage")
struct TimedStorageTests {
    @Test(arguments: StorageConformance.promises)
    func keeps(_ promise: Promise) async throws {
        try await StorageConformance { _ in
            TimedStorage(base: MemoryStorage()) { _ in }
        }.check(promise)
    }
}
// end
