package import PatchbayCore

extension AnswerCache {
    /// The size of a proxy's cache in a storage.
    package struct Content: Hashable, Sendable {
        /// The number of stored answers.
        package var answers = 0
        /// The size of the stored answers, in bytes, as counted against ``ProxyOptions/cacheBytesMax``.
        package var bytes = 0
        /// The last use of the least recently used answer, up to 10 minutes too early; nil without answers.
        package var leastRecentUse: Timestamp?
        /// The last use of the most recently used answer, up to 10 minutes too early; nil without answers.
        package var latestUse: Timestamp?
    }

    /// Returns the size of the cache in a storage.
    package static func content(of store: Store) async throws -> Content {
        try await store.read { reading in
            var content = Content()
            let fields = FieldSet(positions: [StoredAnswer.bytes.position, StoredAnswer.usedAt.position])
            try reading.scan(Query(StoredAnswer.collection, by: StoredAnswer.byUse, fields: fields)) { row in
                content.answers += 1
                content.bytes += StoredAnswer.byteCount(of: row)
                content.leastRecentUse = content.leastRecentUse ?? row[StoredAnswer.usedAt]
                content.latestUse = row[StoredAnswer.usedAt]
                return .next
            }
            return content
        }
    }

    /// Deletes all answers. A running server forgets them within a second.
    ///
    /// - Returns: the number of deleted answers.
    package static func clear(_ store: Store) async throws -> Int {
        try await store.write { writing in
            let count = try writing.reading.count(Query(StoredAnswer.collection))
            try writing.deleteAll(StoredAnswer.self)
            let name = ServerState.clearingsName
            let known = try writing.reading.get(ServerState.self, .text(name))?.value ?? []
            let number = known.reduce(0 as UInt64) { $0 << 8 | UInt64($1) } &+ 1
            let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
            try writing.put(ServerState(name: name, value: bytes))
            return count
        }
    }
}
