import PatchbayCore

extension Reading {
    func clearings() throws -> [UInt8] {
        try get(ServerState.self, .text(ServerState.clearingsName))?.value ?? []
    }
}

extension Writing {
    borrowing func keys(_ query: Query) throws -> [Key] {
        var keys: [Key] = []
        try reading.scan(query) { row in
            keys.append(StoredAnswer.collection.key(of: row, in: StoredAnswer.collection.primaryKey))
            return .next
        }
        return keys
    }

    /// Deletes the oldest answers of an address above the limits for a partition and for all partitions of a client;
    /// returns their size in bytes.
    mutating func thin(_ place: AnswerPlace) throws -> Int {
        let names: [RowColumn<String>] = [StoredAnswer.path, StoredAnswer.address, StoredAnswer.variant]
        let fields = FieldSet(
            positions: names.map(\.position) + [
                StoredAnswer.partition.position, StoredAnswer.receivedAt.position,
                StoredAnswer.bytes.position,
            ])
        let bounds = Bounds.equal(
            .compound([.text(place.path.hexadecimal), .text(place.address.hexadecimal)]))
        var partitions: [String: [(key: Key, receivedAt: Timestamp, bytes: Int)]] = [:]
        try reading.scan(Query(StoredAnswer.collection, bounds, fields: fields)) { row in
            let key = StoredAnswer.collection.key(of: row, in: StoredAnswer.collection.primaryKey)
            partitions[row[StoredAnswer.partition], default: []].append(
                (key, row[StoredAnswer.receivedAt], StoredAnswer.byteCount(of: row)))
            return .next
        }
        let sorted = partitions.values.map { $0.sorted { $0.receivedAt > $1.receivedAt } }
            .sorted { $0[0].receivedAt > $1[0].receivedAt }
        let excess =
            sorted.prefix(AnswerCache.partitionsMax).flatMap { $0.dropFirst(AnswerCache.variantsMax) }
            + sorted.dropFirst(AnswerCache.partitionsMax).joined()
        for answer in excess { try delete(StoredAnswer.self, answer.key) }
        return excess.reduce(0) { $0 + $1.bytes }
    }

    borrowing func bytes(of key: Key) throws -> Int {
        var bytes = 0
        _ = try reading.get(key, in: StoredAnswer.collection) { bytes = StoredAnswer.byteCount(of: $0) }
        return bytes
    }

    borrowing func storedBytes() throws -> Int {
        var bytes = 0
        let query = Query(
            StoredAnswer.collection, fields: FieldSet(positions: [StoredAnswer.bytes.position]))
        try reading.scan(query) { row in
            bytes += StoredAnswer.byteCount(of: row)
            return .next
        }
        return bytes
    }

    /// Deletes the least recently used answers until a tenth of the limit is free; returns the remaining bytes.
    mutating func makeRoom(_ bytes: Int, _ bytesMax: Int) throws -> Int {
        var left = bytes, keys: [Key] = []
        try reading.scan(Query(StoredAnswer.collection, by: StoredAnswer.byUse)) { row in
            guard left > bytesMax / 10 * 9 else { return .stop }
            left -= StoredAnswer.byteCount(of: row)
            keys.append(StoredAnswer.collection.key(of: row, in: StoredAnswer.collection.primaryKey))
            return .next
        }
        for key in keys { try delete(StoredAnswer.self, key) }
        return left
    }
}

/// The stored state of a server besides its answers: the secret of digests and the counter of clearings.
struct ServerState: ColumnRecord {
    static let secretName = "digest_secret"
    static let clearingsName = "clearings"

    var name = ""
    var value: [UInt8] = []

    static let name = RecordColumn(0, "name", \Self.name)
    static let value = RecordColumn(1, "value", \Self.value)
    static let columns = [name, value]

    static let collection = CollectionSchema("server_state", key: name.position, fields: fields)
}
