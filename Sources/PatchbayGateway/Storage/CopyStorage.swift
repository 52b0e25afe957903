public import PatchbayCore

/// Copies all rows of one storage into another, of whatever kind.
///
/// The target is filled without indexes, in the order of the primary keys, a batch a transaction; then it builds its
/// indexes at once. A copy that was interrupted, at whatever moment, goes on where it was when it is run again. Each
/// batch is read in a transaction of its own, so a source that changes meanwhile is found out at the end, by counts
/// and, when asked for, digests.
///
///     let copied = try await CopyStorage(.patchbay, from: "users.sqlite", source) { LMDBStorage(path: path) }
///         .run(isVerified: true)
public struct CopyStorage: Sendable {
    /// A collection that was copied.
    public struct Copied: Sendable {
        public var collection: Collection
        public var rows: Int
        /// The digest that source and target have; nil when it was not asked for.
        public var digest: ContentDigest?
    }

    private let schema: Schema
    private let source: any Storage
    private let sourceName: String
    private let makeTarget: @Sendable () async throws -> any Storage
    /// Fewer in tests.
    var batchRowsMax = RowBatch.rowsMax

    /// - Parameters:
    ///   - sourceName: what an interrupted copy must name again to go on, such as a path.
    ///   - source: not opened yet. It is opened with the whole schema, and no row of it is written.
    ///   - makeTarget: makes the target, not opened yet; called several times, when the one before was closed.
    public init(
        _ schema: Schema, from sourceName: String, _ source: any Storage,
        to makeTarget: @escaping @Sendable () async throws -> any Storage
    ) {
        self.schema = schema
        self.sourceName = sourceName
        self.source = source
        self.makeTarget = makeTarget
    }

    /// Copies, or goes on copying.
    ///
    /// Memory does not grow with the number of rows.
    /// - Throws: `conflict` when the target holds rows that are not an unfinished copy of this source, or when the
    ///   source has changed meanwhile; `unsupported` when the target forgets when it is closed.
    public func run(
        isVerified: Bool = false, progress: @escaping WorkProgress.Handler = { _ in }
    ) async throws -> [Copied] {
        try await source.open(schema, progress: progress)
        return try await source.closing {
            if try await !beginning(progress).hasAllRows { try await fill(progress) }
            return try await finish(isVerified, progress)
        }
    }

    /// Looks at the target and marks it when it is empty.
    private func beginning(_ progress: @escaping WorkProgress.Handler) async throws -> CopyMark {
        // Only the mark's collection is opened first: with the others, an unfinished copy would build its indexes.
        let known = try await target(Schema(version: schema.version, []).withCopyMark, progress) { target in
            guard target.features.contains(.durable) else {
                throw PatchbayError(
                    .unsupported, "the target forgets everything when it is closed; copy to another")
            }
            return try await CopyMark.read(target)
        }
        if let known { return try resuming(known) }
        return try await target(schema.withCopyMark, progress) { target in
            for collection in schema.collections {
                let count = try await target.read { try $0.count(Query(collection, limit: 1)) }
                if count > 0 {
                    throw PatchbayError(
                        .conflict,
                        "the target holds rows of \(collection.name) already; copy to another path, or remove it"
                    )
                }
            }
            let mark = CopyMark(source: sourceName, hasAllRows: false)
            try await mark.save(target)
            return mark
        }
    }

    private func resuming(_ mark: CopyMark) throws -> CopyMark {
        if mark.source == sourceName { return mark }
        throw PatchbayError(
            .conflict,
            "the target holds an unfinished copy of \"\(mark.source)\", not of \"\(sourceName)\"; "
                + "finish that one, or remove the target")
    }

    private func fill(_ progress: @escaping WorkProgress.Handler) async throws {
        try await target(schema.withoutIndexes.withCopyMark, progress) { target in
            for collection in schema.collections { try await fill(target, collection, progress) }
            try await CopyMark(source: sourceName, hasAllRows: true).save(target)
        }
    }

    /// Copies what comes after the last row of the target, reading a batch while the one before is written.
    private func fill(
        _ target: any Storage, _ collection: Collection, _ progress: @escaping WorkProgress.Handler
    ) async throws {
        let total = try await source.read { try $0.count(Query(collection)) }
        let lean = collection.withoutIndexes
        var done = try await target.read { try $0.count(Query(lean)) }
        let end = try await target.batch(Query(lean, order: .descending, limit: 1))
        let start = Query(collection, after: end.isEmpty ? nil : collection.key(of: end.row(0)))
        var batch = try await source.batch(start, rowsMax: batchRowsMax)
        while !batch.isEmpty {
            let read = batch
            async let next = rows(behind: read, start)
            try await target.write { writer in
                for position in 0..<read.count { try writer.put(read.row(position), in: lean) }
            }
            done += read.count
            progress(WorkProgress("copying \(collection.name)", done: done, of: total))
            batch = try await next
        }
    }

    /// The next batch of the source; empty at the end.
    private func rows(behind batch: RowBatch, _ query: Query) async throws -> RowBatch {
        guard let rest = batch.rest(of: query) else { return RowBatch(of: query.collection) }
        return try await source.batch(rest, rowsMax: batchRowsMax)
    }

    /// Builds the indexes, compares and takes the mark away.
    private func finish(
        _ isVerified: Bool, _ progress: @escaping WorkProgress.Handler
    ) async throws -> [Copied] {
        try await target(schema.withCopyMark, progress) { target in
            var copied: [Copied] = []
            for collection in schema.collections {
                let rows = try await target.read { try $0.count(Query(collection)) }
                let sourceRows = try await source.read { try $0.count(Query(collection)) }
                guard rows == sourceRows else {
                    throw changed("\(collection.name) has \(sourceRows) rows there and \(rows) in the copy")
                }
                copied.append(Copied(collection: collection, rows: rows))
            }
            if isVerified { try await compare(&copied, target, progress) }
            try await CopyMark.remove(target)
            return copied
        }
    }

    private func compare(
        _ copied: inout [Copied], _ target: any Storage, _ progress: @escaping WorkProgress.Handler
    ) async throws {
        for position in copied.indices {
            let source = source, collection = copied[position].collection
            async let there = source.digest(of: collection)
            let here = try await target.digest(of: collection, progress: progress)
            guard try await there == here else {
                throw changed("the rows of \(collection.name) differ from the copy's")
            }
            copied[position].digest = here
        }
    }

    private func changed(_ difference: String) -> PatchbayError {
        PatchbayError(
            .conflict,
            "the source has changed since the copy was begun: \(difference); end what writes to the source, "
                + "remove the target and copy again")
    }

    /// Opens the target, hands it to `body` and closes it.
    private func target<Result: Sendable>(
        _ schema: Schema, _ progress: @escaping WorkProgress.Handler,
        _ body: (any Storage) async throws -> Result
    ) async throws -> Result {
        let target = try await makeTarget()
        try await target.open(schema, progress: progress)
        return try await target.closing { try await body(target) }
    }
}

extension Storage {
    /// Runs `body`, then closes the storage whatever happens.
    fileprivate func closing<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        do {
            let result = try await body()
            try await close()
            return result
        } catch {
            // The first error is the one to tell.
            try? await close()
            throw error
        }
    }
}
