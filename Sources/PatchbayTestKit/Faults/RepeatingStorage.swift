public import PatchbayCore

/// A storage that runs the body of each write twice, as one does that loses its server in the middle: the first run is
/// rolled back, the second counts. For testing that what stands above a storage writes nothing twice.
public struct RepeatingStorage: StorageWrapper {
    /// What keeps the rows.
    public let inner: any Storage

    public init(_ inner: any Storage) { self.inner = inner }

    public func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        do {
            try await inner.write { writer in
                _ = try body(writer)
                throw LostConnection()
            }
        } catch is LostConnection {
            // What a server does that goes away before the commit.
        }
        return try await inner.write(body)
    }
}

/// What ends the first run.
private struct LostConnection: Error {}
