package import PatchbayCore

/// A storage that runs the body of each write twice, like one that loses the connection to its server: the first run is
/// rolled back, the second is committed. Use it to test that the body of a write has no side effects.
package struct RepeatingStorage: StorageWrapper {
    package let inner: any Storage

    /// Wraps a storage; all operations but writes go to it unchanged.
    package init(_ inner: any Storage) { self.inner = inner }

    package func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        do {
            try await inner.write { writer in
                _ = try body(writer)
                throw LostConnection()
            }
        } catch is LostConnection {
            // Rolled back, like a transaction whose server fails before the commit.
        }
        return try await inner.write(body)
    }
}

/// Ends the first run.
private struct LostConnection: Error {}
