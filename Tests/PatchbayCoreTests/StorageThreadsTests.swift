import Synchronization
import Testing

@testable import PatchbayCore
@testable import PatchbayTestKit

@Suite("Threads that may wait for a storage")
struct StorageThreadsTests {
    /// A storage that notes the use of the threads on which it is called.
    private final class NotingStorage: StorageWrapper {
        let inner: any Storage = MemoryStorage()
        private let uses = Mutex<[ThreadUse?]>([])

        /// Returns the uses since the last call.
        func take() -> [ThreadUse?] {
            uses.withLock { uses in
                defer { uses = [] }
                return uses
            }
        }

        private func note() { uses.withLock { $0.append(ThreadUse.current) } }

        func read<Result: Sendable>(
            _ body: @Sendable (any StorageReader) throws -> Result
        ) async throws -> Result {
            note()
            return try await inner.read(body)
        }

        func write<Result: Sendable>(
            _ body: @Sendable (any StorageWriter) throws -> Result
        ) async throws -> Result {
            note()
            return try await inner.write(body)
        }

        func revision() async throws -> UInt64 {
            note()
            return try await inner.revision()
        }
    }

    private func use(_ store: Store) async throws {
        _ = try await store.read { try $0.count(Query(Sample.people)) }
        try await store.write { try $0.deleteAll(in: Sample.people) }
        _ = try await store.revision()
        _ = try await store.soon { try await $0.revision() }
    }

    @Test("a store that spares its callers uses the storage on other threads, whatever task asks")
    func spared() async throws {
        let storage = NotingStorage()
        let store = try await Store(storage, schema: Sample.schema)
        try await use(store)
        #expect(storage.take().allSatisfy { $0 == nil })
        store.spareCallers()
        try await use(store)
        #expect(storage.take() == [.waiting, .waiting, .waiting, .waiting])
        // As a server starts tasks on its event loops.
        let executor = StorageThread()
        try await Task.immediate(executorPreference: executor) { try await use(store) }.value
        #expect(storage.take() == [.waiting, .waiting, .waiting, .waiting])
        try await Task.immediate { try await use(store) }.value
        #expect(storage.take() == [.waiting, .waiting, .waiting, .waiting])
        try await Task { @MainActor in try await use(store) }.value
        #expect(storage.take() == [.waiting, .waiting, .waiting, .waiting])
        try await store.close()
    }

    @Test("a caller that gets no thread in time is told so")
    func exhausted() async throws {
        let threads = StorageThreads(threadsMax: 1, patience: .milliseconds(20), of: "requests have waited")
        let gate = AsyncStream.makeStream(of: Void.self)
        let first = Task {
            // On a busy machine, the second one may keep it from the thread for too long.
            while await fault({ try await threads.run { for await _ in gate.stream {} } }) != nil {}
        }
        var error: PatchbayError?
        // Until the first one has the thread, the second one may get it.
        while error == nil { error = await fault { try await threads.run {} } }
        #expect(error?.code == .busy)
        gate.continuation.finish()
        await first.value
        try await threads.run {}
    }

    @Test("a client of a server that keeps its threads busy leaves some for others")
    func shared() async throws {
        let threads = StorageThreads(
            threadsMax: 6, patience: .milliseconds(500), of: "queries have been running")
        let gate = AsyncStream.makeStream(of: Void.self)
        func run(_ client: ServingClient?) async throws {
            try await ServingClient.$current.withValue(client) { try await threads.run {} }
        }
        let stranger = ServingClient.address("192.0.2.1")
        for _ in 0..<4 {
            try await ServingClient.$current.withValue(stranger) {
                try await threads.start { for await _ in gate.stream {} }
            }
        }
        let refused = await fault { try await run(stranger) }
        #expect(refused?.code == .busy)
        for _ in 0..<3 {
            try await run(.address("192.0.2.2"))
            try await run(.owner)
            try await run(nil)
        }
        gate.continuation.finish()
        while await fault({ try await run(stranger) }) != nil {}
    }

    @Test("started work runs on a thread, which others get after it")
    func started() async throws {
        let threads = StorageThreads(threadsMax: 1, patience: .seconds(60), of: "requests have waited")
        let (uses, continuation) = AsyncStream.makeStream(of: ThreadUse?.self)
        for _ in 0..<3 {
            try await threads.start {
                await Task.yield()
                continuation.yield(ThreadUse.current)
            }
        }
        try await threads.run { continuation.finish() }
        #expect(await uses.reduce(into: []) { $0.append($1) } == [.waiting, .waiting, .waiting])
    }

    @Test("while work is late, others that can continue without the storage do not ask it")
    func late() async throws {
        let store = try await Store(MemoryStorage(), schema: Sample.schema)
        store.spareCallers()
        let gate = AsyncStream.makeStream(of: Void.self)
        await #expect(throws: StorageDelay.self) {
            try await store.soon { _ in for await _ in gate.stream {} }
        }
        let isAsked = Atomic(false)
        await #expect(throws: StorageDelay.self) {
            try await store.soon { _ in isAsked.store(true, ordering: .relaxed) }
        }
        let wasAsked = isAsked.load(ordering: .relaxed)
        #expect(!wasAsked)
        // A caller without another way asks nevertheless, for a while.
        #expect(try await store.soon(within: .seconds(60)) { _ in 1 } == 1)
        gate.continuation.finish()
        while (try? await store.soon { _ in true }) == nil {}
        try await store.close()
    }
}
