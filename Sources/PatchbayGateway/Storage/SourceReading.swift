import PatchbayCore

/// Reads the source of a copy in one transaction, on its own thread, because the transaction blocks while it waits for
/// the target.
actor SourceReading {
    private let executor = BlockingExecutor(label: "patchbay.copy")
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private let source: any Storage
    private let collections: [CollectionSchema]

    init(_ source: any Storage, _ collections: [CollectionSchema]) {
        self.source = source
        self.collections = collections
    }

    /// Computes the digest of each collection.
    func digests(_ progress: @escaping WorkProgress.Handler) async throws -> [ContentDigest] {
        let collections = collections
        return try await source.read { reader in
            try collections.map { try reader.digest(of: $0, progress) }
        }
    }

    /// Sends all rows after `ends`, and computes the digest of each collection.
    ///
    /// - Parameters:
    ///   - ends: the key of the last row not to be sent, by the collection's name.
    ///   - totals: called with the name and the number of rows of each collection before its first batch.
    func send(
        to channel: RowChannel, after ends: [String: Key], batchRowsMax: Int,
        totals: @escaping @Sendable (_ name: String, Int) -> Void
    ) async throws -> [ContentDigest] {
        let collections = collections
        defer { channel.close() }
        return try await source.read { reader in
            try collections.map { collection in
                totals(collection.name, try reader.count(Query(collection)))
                let end = ends[collection.name]
                let sent = try reader.send(
                    Query(collection, after: end), to: channel, batchRowsMax: batchRowsMax)
                return end == nil ? sent : try reader.digest(of: collection)
            }
        }
    }
}

extension StorageReader {
    /// Sends the rows of a query in batches, and computes their digest.
    fileprivate func send(
        _ query: Query, to channel: RowChannel, batchRowsMax: Int
    ) throws -> ContentDigest {
        var digest = ContentDigest(of: query.collection)
        var batch = RowBatch(of: query.collection, rowsMax: batchRowsMax)
        try scan(query) { row in
            digest.combine(row)
            batch.append(transferred: row)
            if batch.isFull {
                try channel.send(batch)
                batch = RowBatch(of: query.collection, rowsMax: batchRowsMax)
            }
            return .next
        }
        if !batch.isEmpty { try channel.send(batch) }
        return digest
    }

    fileprivate func digest(
        of collection: CollectionSchema, _ progress: WorkProgress.Handler = { _ in }
    ) throws -> ContentDigest {
        var digest = ContentDigest(of: collection)
        try scan(Query(collection)) { row in
            digest.combine(row)
            if digest.rows % RowBatch.rowsMax == 0 {
                try Task.checkCancellation()
                progress(WorkProgress("computing the digest of \(collection.name)", done: digest.rows))
            }
            return .next
        }
        return digest
    }
}
