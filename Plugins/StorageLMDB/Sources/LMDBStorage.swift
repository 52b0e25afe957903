public import PatchbayCore
import Synchronization

/// Keeps collections in an LMDB environment, a folder with data.mdb and lock.mdb.
///
/// Reads run on the caller's thread, on rows in place in a memory map; they never wait for a write. Writes
/// run one at a time on a thread of their own. Several processes may share the folder; within one process
/// it can be open once.
public final class LMDBStorage: Storage {
    /// The largest size that data.mdb may be allowed, in MiB: 1 TiB.
    public static let sizeMiBMax = 1 << 20
    /// The size that data.mdb may reach when nothing else is said, in MiB: 128 GiB. Twice as much address
    /// space is reserved; a process has 128 TiB, so several hundred storages can be open at once.
    public static let sizeMiBUsual = 128 << 10

    private let path: String
    private let durability: Durability
    private let bytesMax: Int
    private let writer = Writer()
    private let connection = Mutex<Connection?>(nil)

    /// Touches nothing yet; ``open(_:)`` does.
    ///
    /// - Parameters:
    ///   - path: the folder. Its parent must be there; it itself is created.
    ///   - sizeMiBMax: how large data.mdb may grow. A write beyond it throws `storageFull`.
    public init(path: String, durability: Durability = .full, sizeMiBMax: Int = LMDBStorage.sizeMiBUsual) {
        precondition((1...LMDBStorage.sizeMiBMax).contains(sizeMiBMax), "a size is 1 MiB to 1 TiB")
        self.path = path
        self.durability = durability
        self.bytesMax = sizeMiBMax << 20
    }

    deinit {
        // Nobody reads or writes any more, for they hold the storage.
        connection.withLock { $0 }?.closeAtOnce()
    }

    public var features: StorageFeatures { [.durable, .sharedBetweenProcesses, .readsDuringWrite] }

    public func describe() async throws -> StorageDescription { StorageDescription(engine: "LMDB") }

    public func open(_ schema: Schema, progress: @escaping Progress.Handler) async throws {
        guard connection.withLock({ $0 == nil }) else {
            throw PatchbayError(.busy, "the storage \"\(path)\" is open already; close it first")
        }
        let opened = try await writer.open(path, durability, bytesMax, schema)
        connection.withLock { $0 = opened }
    }

    public func read<Result: Sendable>(
        _ body: @Sendable (any StorageReader) throws -> Result
    ) async throws -> Result {
        let readers = try current().readers
        let reader: ReadTransaction
        if let idle = try readers.takeIdle() { reader = idle } else { reader = try await readers.take() }
        defer { readers.giveBack(reader) }
        return try body(reader)
    }

    public func write<Result: Sendable>(
        _ body: @Sendable (any StorageWriter) throws -> Result
    ) async throws -> Result {
        try await writer.write(try current(), body)
    }

    public func revision() async throws -> UInt64 { try current().readers.lastTransaction() }

    public func close() async throws {
        let closing = connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
        guard let closing else { return }
        await writer.finish(closing)
        await closing.readers.drain()
        await writer.close(closing)
    }

    private func current() throws -> Connection {
        guard let connection = connection.withLock({ $0 }) else { throw LMDBStorage.notOpen(path) }
        return connection
    }

    static func notOpen(_ path: String) -> PatchbayError {
        PatchbayError(.internalError, "the storage \"\(path)\" is not open; open it first")
    }
}
