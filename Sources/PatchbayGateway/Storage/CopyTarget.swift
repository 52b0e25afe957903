import Dispatch
import PatchbayCore
import Synchronization

/// The target of a copy, opened as each step needs it.
struct CopyTarget: Sendable {
    private let schema: Schema
    private let make: @Sendable () async throws -> any Storage
    private let batchRowsMax: Int
    private let progress: WorkProgress.Handler

    init(
        _ schema: Schema, _ make: @escaping @Sendable () async throws -> any Storage, _ batchRowsMax: Int,
        _ progress: @escaping WorkProgress.Handler
    ) {
        self.schema = schema
        self.make = make
        self.batchRowsMax = batchRowsMax
        self.progress = progress
    }

    // MARK: Openings

    /// Opens the target with its stored schema. The whole schema would make an unfinished copy build its indexes.
    func asStored<Result: Sendable>(
        _ body: (any Storage, Schema) async throws -> Result
    ) async throws -> Result {
        try await open(StorageOpening(nil, .writing, progress: progress), body)
    }

    func withoutIndexes<Result: Sendable>(
        _ body: (any Storage) async throws -> Result
    ) async throws -> Result {
        try await open(StorageOpening(schema.withoutIndexes.withCopyMark, progress: progress)) { target, _ in
            try await body(target)
        }
    }

    /// Opens the target with the schema of the source, which builds missing indexes.
    func whole<Result: Sendable>(
        _ body: (any Storage, Schema) async throws -> Result
    ) async throws -> Result {
        try await open(StorageOpening(schema.withCopyMark, .writing, progress: progress), body)
    }

    private func open<Result: Sendable>(
        _ opening: StorageOpening, _ body: (any Storage, Schema) async throws -> Result
    ) async throws -> Result {
        let target = try await make()
        guard target.features.contains(.durable) else {
            throw PatchbayError(
                .unsupported,
                "the target is not durable: it loses its rows when it is closed; copy to another storage")
        }
        let held = try await target.open(opening)
        return try await target.closing { try await body(target, held) }
    }

    // MARK: Steps

    /// The mark in the target; nil when the target is new or empty. Changes nothing.
    ///
    /// - Throws: `conflict` when the target contains rows and no mark.
    func mark() async throws -> CopyMark? {
        do {
            return try await asStored { target, held in
                if let mark = try await CopyMark.read(target, held) { return mark }
                for collection in held.collections {
                    let count = try await target.read { try $0.count(Query(collection, limit: 1)) }
                    guard count == 0 else { throw CopyTarget.occupied(collection) }
                }
                return nil
            }
        } catch let error as PatchbayError where error.code == .notFound {
            return nil
        }
    }

    private static func occupied(_ collection: CollectionSchema) -> PatchbayError {
        PatchbayError(
            .conflict,
            "the target contains rows of \(collection.name) that were not copied there; copy to another path, or "
                + "remove the target")
    }

    /// Marks the target as a copy and deletes all its rows.
    func begin(_ mark: CopyMark, _ target: any Storage) async throws {
        try await target.write { writer in
            for collection in schema.collections { try writer.deleteAll(in: collection.withoutIndexes) }
            try mark.save(writer)
        }
    }

    /// The key of the last row of each collection, by the collection's name.
    func ends(_ target: any Storage) async throws -> [String: Key] {
        var ends: [String: Key] = [:]
        for collection in schema.collections {
            let last = try await target.batch(
                Query(collection.withoutIndexes, order: .descending, limit: 1))
            if !last.isEmpty { ends[collection.name] = collection.key(of: last.row(0)) }
        }
        return ends
    }

    /// Writes the source's rows after `ends` while the next ones are read.
    ///
    /// - Returns: the digest of all rows of each collection of the source.
    func fill(
        _ target: any Storage, from source: SourceReading, after ends: [String: Key]
    ) async throws -> [ContentDigest] {
        let lean = schema.withoutIndexes.collections, channel = RowChannel()
        let totals = Mutex<[String: Int]>([:])
        var done: [String: Int] = [:]
        for collection in lean where ends[collection.name] != nil {
            done[collection.name] = try await target.read { try $0.count(Query(collection)) }
        }
        async let digests = source.send(to: channel, after: ends, batchRowsMax: batchRowsMax) { name, total in
            totals.withLock { $0[name] = total }
        }
        do {
            for await batch in channel.batches {
                channel.makeRoom()
                let collection = lean.first { $0.name == batch.collection.name }!, name = collection.name
                try await target.write { writer in
                    for position in 0..<batch.count { try writer.put(batch.row(position), in: collection) }
                }
                done[name, default: 0] += batch.count
                let total = totals.withLock { $0[name] }
                progress(WorkProgress("copying \(name)", done: done[name]!, of: total))
            }
        } catch {
            channel.close()
            // The sender stops because the channel is closed; the first error is the one to report.
            _ = try? await digests
            throw error
        }
        channel.close()
        return try await digests
    }

    /// The content of each collection of the target, while it has no indexes.
    func contents(_ target: any Storage) async throws -> [CollectionContent] {
        var contents: [CollectionContent] = []
        for collection in schema.withoutIndexes.collections {
            contents.append(
                CollectionContent(collection, try await target.digest(of: collection, progress: progress)))
        }
        return contents
    }

    /// Compares the target with the copied contents.
    ///
    /// - Parameter isVerified: whether digests are compared, besides the numbers of rows.
    /// - Throws: `conflict` when the target differs.
    func compare(
        _ target: any Storage, _ contents: [CollectionContent], _ collections: [CollectionSchema],
        _ isVerified: Bool
    ) async throws -> [CopyStorage.Copied] {
        for content in contents where !collections.contains(where: { $0.name == content.name }) {
            throw changed("the collection \(content.name) is missing")
        }
        var copied: [CopyStorage.Copied] = []
        for collection in collections {
            let content = contents.first { $0.name == collection.name }
            let rows = try await target.read { try $0.count(Query(collection)) }
            guard rows == content?.rows ?? 0 else {
                throw changed(
                    "\(content?.rows ?? 0) rows of \(collection.name) were copied, but it has \(rows)")
            }
            guard let content else { continue }
            let digest = isVerified ? try await target.digest(of: collection, progress: progress) : nil
            if let digest, digest.description != content.digest {
                throw changed("its rows of \(collection.name) differ from those that were copied")
            }
            copied.append(CopyStorage.Copied(collection: collection, rows: rows, digest: digest))
        }
        return copied
    }

    private func changed(_ difference: String) -> PatchbayError {
        PatchbayError(
            .conflict,
            "the target has changed since it was copied: \(difference); to copy again, remove the target or "
                + "copy to another path")
    }
}

/// Passes batches of rows from a read transaction, which cannot suspend, to the task that writes them.
final class RowChannel: Sendable {
    /// The time after which a write is considered stuck.
    private static let waitSecondsMax = 600.0

    /// The batches in the order in which they were sent, for one receiver.
    let batches: AsyncStream<RowBatch>
    private let sending: AsyncStream<RowBatch>.Continuation
    /// One batch waits while another is written and a third is read.
    private let room = DispatchSemaphore(value: 1)

    init() { (batches, sending) = AsyncStream.makeStream() }

    /// Blocks the caller's thread until the receiver has taken the previous batch, then sends this one.
    ///
    /// - Throws: `busy` when that takes ten minutes; `CancellationError` when the channel is closed.
    func send(_ batch: RowBatch) throws {
        guard room.wait(timeout: .now() + Self.waitSecondsMax) == .success else {
            throw PatchbayError(.busy, "the target of the copy has taken no rows for ten minutes")
        }
        if case .enqueued = sending.yield(batch) { return }
        throw CancellationError()
    }

    /// Reports that the receiver has taken a batch, so that the next one may be sent.
    func makeRoom() { room.signal() }

    /// Ends the channel from either side; a sender that waits stops.
    func close() {
        sending.finish()
        room.signal()
    }
}
