@testable import PatchbayCore
@testable import PatchbayTestKit
import Synchronization
import Testing

/// A storage in memory that claims to be shared by processes; the test acts as the others.
private final class SharedStorage: StorageWrapper {
    let inner: any Storage = MemoryStorage()
    let fails = Mutex(false)

    var features: StorageFeatures { [.sharedBetweenProcesses, .readsDuringWrite] }
    func revision() async throws -> UInt64 {
        if fails.withLock({ $0 }) { throw PatchbayError(.busy, "held by the test") }
        return try await inner.revision()
    }
}

@Suite("polling for other processes", .timeLimit(.minutes(5))) struct PollingTests {
    private let storage = SharedStorage()
    private let clock = ManualClock()

    private var polling: Polling { Polling(sleep: clock.layerClock.sleep) }

    private func store() async throws -> Store {
        try await Store(storage, schema: Sample.schema, polling: polling)
    }

    /// Allows the next check, once the previous ones have been made.
    private func pass(_ checks: Int) async {
        await clock.hasBegun(sleeps: checks)
        clock.advance(by: .milliseconds(50))
    }

    private let everything: Set<String> = ["people", "pages", "issues"]

    @Test("another process's commit notifies of every collection, and without commits there is no notice")
    func other() async throws {
        let store = try await store()
        var notices = store.changes.stream().makeAsyncIterator()
        #expect(await notices.next() == everything)
        for checks in 1...3 {
            try await storage.inner.put([Sample.page("\(checks)")], in: Sample.pages)
            await pass(checks)
            #expect(await notices.next() == everything)
        }
        // Three checks without changes, then one commit of this process: only that is reported.
        for checks in 4...6 { await pass(checks) }
        await clock.hasBegun(sleeps: 7)
        store.changes.send(["pages"])
        #expect(await notices.next() == ["pages"])
        #expect(clock.sleeps.allSatisfy { $0 == .milliseconds(50) })
    }

    @Test("polling starts with the first observer and stops with the last")
    func onlyWhileObserved() async throws {
        let store = try await store()
        #expect(!store.changes.isPolling)
        var observers = [store.changes.stream(), store.changes.stream()]
        while !observers.isEmpty {
            #expect(store.changes.isPolling)
            observers.removeLast()
        }
        #expect(!store.changes.isPolling)
        var again = store.changes.stream().makeAsyncIterator()
        #expect(store.changes.isPolling)
        #expect(await again.next() == everything)
        try await store.close()
        #expect(!store.changes.isPolling)
        #expect(await again.next() == nil)
    }

    @Test("a storage that is not shared is not polled")
    func unshared() async throws {
        let store = try await Store(MemoryStorage(), schema: Sample.schema, polling: polling)
        let stream = store.changes.stream()
        #expect(!store.changes.isPolling)
        _ = stream
    }

    @Test("a storage that fails is reported once, and once more when it recovers")
    func failing() async throws {
        let store = try await store()
        var notices = store.changes.stream().makeAsyncIterator()
        _ = await notices.next()
        storage.fails.withLock { $0 = true }
        await pass(1)
        #expect(await notices.next() == everything)
        for checks in 2...4 { await pass(checks) }
        await clock.hasBegun(sleeps: 5)
        store.changes.send(["pages"])
        #expect(await notices.next() == ["pages"])
        storage.fails.withLock { $0 = false }
        await pass(5)
        #expect(await notices.next() == everything)
    }

    @Test("a stream of a closed store ends immediately")
    func closed() async throws {
        let store = try await store()
        try await store.close()
        var notices = store.changes.stream().makeAsyncIterator()
        #expect(await notices.next() == nil)
    }
}
