public import PatchbayCore

extension AnswerCache {
    /// What a storage keeps of a proxy.
    public struct Content: Hashable, Sendable {
        public var answers = 0
        public var bytes = 0
        /// When the answer that was used least recently was last given, or a little earlier; nil without answers.
        public var leastRecentUse: Timestamp?
        public var latestUse: Timestamp?
    }

    /// Reads what a storage keeps.
    public static func content(of store: Store) async throws -> Content {
        try await store.read { reading in
            var content = Content()
            let fields = FieldSet(positions: [StoredAnswer.bytes.position, StoredAnswer.usedAt.position])
            try reading.scan(Query(StoredAnswer.collection, by: StoredAnswer.byUse, fields: fields)) { row in
                content.answers += 1
                content.bytes += Int(row[StoredAnswer.bytes])
                content.leastRecentUse = content.leastRecentUse ?? row[StoredAnswer.usedAt]
                content.latestUse = row[StoredAnswer.usedAt]
                return .next
            }
            return content
        }
    }

    /// Deletes all answers; a server that runs forgets them within a second.
    ///
    /// - Returns: how many there were.
    public static func clear(_ store: Store) async throws -> Int {
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
