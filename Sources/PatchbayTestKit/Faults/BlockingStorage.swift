import Dispatch
package import PatchbayCore
import Synchronization

/// A storage whose transactions block their thread, like those of a server that is frozen, until they are released or
/// their limit is reached.
package final class BlockingStorage: StorageWrapper {
    package let inner: any Storage
    private let limit: DispatchTimeInterval
    private let gate = Mutex<DispatchGroup?>(nil)
    private let waiting = Mutex(0)

    /// - Parameter limitMilliseconds: the longest wait, after which a transaction throws `busy`.
    package init(_ inner: any Storage, limitMilliseconds: Int) {
        self.inner = inner
        limit = .milliseconds(limitMilliseconds)
    }

    /// Those of the inner storage; a server has other clients, too.
    package var features: StorageFeatures { inner.features.union(.sharedBetweenProcesses) }

    /// The number of transactions that are blocked.
    package var blockedCount: Int { waiting.withLock { $0 } }

    /// Blocks the transactions that begin from now on.
    package func block() {
        gate.withLock { gate in
            guard gate == nil else { return }
            gate = DispatchGroup()
            gate?.enter()
        }
    }

    /// Releases all transactions.
    package func release() {
        gate.withLock { gate in
            gate?.leave()
            gate = nil
        }
    }

    private func pass() throws {
        guard let gate = gate.withLock({ $0 }) else { return }
        waiting.withLock { $0 += 1 }
        defer { waiting.withLock { $0 -= 1 } }
        guard gate.wait(timeout: .now() + limit) == .timedOut else { return }
        throw PatchbayError(.busy, "the storage has not answered within its limit")
    }

    package func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        try pass()
        return try await inner.read(body)
    }

    package func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try pass()
        return try await inner.write(body)
    }

    package func revision() async throws -> UInt64 {
        try pass()
        return try await inner.revision()
    }
}
