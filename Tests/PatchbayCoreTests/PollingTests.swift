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

/// A clock whose sleepers wake on the test's command.
private final class Ticks: Sendable {
    private let (ticks, tick) = AsyncStream.makeStream(of: Void.self)
    let asked = Mutex<[Duration]>([])

    var polling: Polling {
        Polling { [self] duration in
            asked.withLock { $0.append(duration) }
            var iterator = ticks.makeAsyncIterator()
            _ = await iterator.next(isolation: #isolation)
        }
    }

    /// Allows the next check.
    func pass() { tick.yield() }
}

@Suite("polling for other processes", .timeLimit(.minutes(5))) struct PollingTests {
    private let storage = SharedStorage()
    private let clock = Ticks()

    private func store() async throws -> Store {
        try await Store(storage, schema: Sample.schema, polling: clock.polling)
    }

    private let everything: Set<String> = ["people", "pages", "issues"]

    @Test("another process's commit notifies of every collection, and without commits there is no notice")
    func other() async throws {
        let store = try await store()
        var notices = store.changes.stream().makeAsyncIterator()
        #expect(await notices.next() == everything)
        for number in 0..<3 {
            try await storage.inner.put([Sample.page("\(number)")], in: Sample.pages)
            clock.pass()
            #expect(await notices.next() == everything)
        }
        // Three checks without changes, then one commit of this process: only that is reported.
        for _ in 0..<3 { clock.pass() }
        while clock.asked.withLock({ $0.count }) < 7 {
            try Task.checkCancellation()
            await Task.yield()
        }
        store.changes.send(["pages"])
        #expect(await notices.next() == ["pages"])
        #expect(clock.asked.withLock { $0.allSatisfy { $0 == .milliseconds(50) } })
    }

    @Test("polling starts with the first observer and stops with the last")
    func onlyWhileObserved() async throws {
        let store = try await store()
        #expect(!store.changes.isPolling)
        do {
            var first = store.changes.stream().makeAsyncIterator(),
                second = store.changes.stream().makeAsyncIterator()
            _ = await (first.next(), second.next())
            #expect(store.changes.isPolling)
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
        let store = try await Store(MemoryStorage(), schema: Sample.schema, polling: clock.polling)
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
        clock.pass()
        #expect(await notices.next() == everything)
        for _ in 0..<3 { clock.pass() }
        while clock.asked.withLock({ $0.count }) < 5 {
            try Task.checkCancellation()
            await Task.yield()
        }
        store.changes.send(["pages"])
        #expect(await notices.next() == ["pages"])
        storage.fails.withLock { $0 = false }
        clock.pass()
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
