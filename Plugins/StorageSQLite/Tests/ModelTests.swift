import CPlatform
import PatchbayCore
import StorageSQLite
import Testing

@Suite("SQLite returns the same results as the model")
struct ModelTests {
    @Test("after each of many random steps")
    func randomSteps() async throws {
        let seed =
            unsafe getenv("PATCHBAY_SEED").flatMap { UInt64(unsafe String(cString: $0)) }
            ?? .random(in: 1...9_999)
        print("PATCHBAY_SEED=\(seed)")
        var random = RandomSource(state: seed)
        let folder = try TestFolder()
        let storage = try await folder.storage()
        let model = MemoryStorage()
        try await model.open(TestCollections.schema)
        for _ in 0..<60 {
            let changes = (0..<20).map { _ in Change(&random) }
            let left = try await storage.write { writer in try changes.map { try $0.apply(to: writer) } }
            let right = try await model.write { writer in try changes.map { try $0.apply(to: writer) } }
            #expect(left == right, "seed \(seed)")
            let queries = (0..<40).map { _ in random.query() }
            let answers = try await storage.read { reader in try queries.map { try answer($0, reader) } }
            let expected = try await model.read { reader in try queries.map { try answer($0, reader) } }
            for ((query, answer), expected) in zip(zip(queries, answers), expected) {
                #expect(answer == expected, "seed \(seed): \(query)")
            }
        }
        try await storage.close()
    }

    /// Returns the keys that a query finds, followed by their number.
    private func answer(_ query: Query, _ reader: any StorageReader) throws -> [Key] {
        try reader.keys(query) + [.integer(Int64(reader.count(query)))]
    }
}

/// One random write.
private struct Change: Sendable {
    let collection: CollectionSchema
    let values: [TestValue]
    let isDeletion: Bool

    init(_ random: inout RandomSource) {
        isDeletion = random.below(4) == 0
        collection = random.below(2) == 0 ? TestCollections.users : TestCollections.orders
        if collection === TestCollections.users {
            values = [
                .integer(random.number()), .text(random.word() + random.word()),
                random.below(3) == 0 ? .null : .text(random.word()),
                random.below(3) == 0 ? .null : .integer(random.number()), .real(0.5), .bytes([0, 1]),
            ]
        } else {
            values = [
                .text(random.word()), .integer(random.number()),
                random.below(3) == 0 ? .null : .text(random.word()),
            ]
        }
    }

    /// Returns the message of a conflict, or whether there was a row to delete.
    func apply(to writer: any StorageWriter) throws -> String {
        do {
            if isDeletion { return "\(try writer.delete(key, in: collection))" }
            try writer.put(values, in: collection)
            return "put"
        } catch let error as PatchbayError where error.code == .conflict {
            return error.message
        }
    }

    private var key: Key {
        let parts = values.prefix(collection.primaryKey.parts.count).map { value -> Key in
            switch value {
            case .integer(let value): .integer(value)
            case .text(let value): .text(value)
            default: .null
            }
        }
        return parts.count == 1 ? parts[0] : .compound(parts)
    }
}

/// A random number generator that a seed makes reproducible (splitmix64).
private struct RandomSource {
    var state: UInt64

    mutating func below(_ count: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((bits ^ (bits >> 31)) % UInt64(count))
    }

    mutating func number() -> Int64 { [-3, 0, 1, 2, 3, 7, .min, .max][below(8)] }

    mutating func word() -> String {
        ["", "a", "A", "@", "[", "b", "B", "ab", "aB", "é", "e\u{301}", "z"][below(12)]
    }

    mutating func query() -> Query {
        let collection = below(2) == 0 ? TestCollections.users : TestCollections.orders
        let indexes = [collection.primaryKey] + collection.indexes
        let index = indexes[below(indexes.count)]
        var query = Query(collection, by: index, bounds(collection, index))
        if below(2) == 0 { query.after = key(collection, index) }
        if below(2) == 0 { query.order = .descending }
        if below(2) == 0 { query.limit = below(12) }
        if below(2) == 0 { query.fields = FieldSet(rawValue: 2) }
        return query
    }

    private mutating func bounds(_ collection: CollectionSchema, _ index: Index) -> Bounds {
        switch below(5) {
        case 0: return .all
        case 1: return .equal(key(collection, index))
        case 2:
            if case .text? = key(collection, index).values.last {
                return .prefix(prefixKey(collection, index))
            }
            return .all
        default:
            return .between(bound(collection, index), bound(collection, index))
        }
    }

    private mutating func bound(_ collection: CollectionSchema, _ index: Index) -> Bounds.Bound? {
        let key = key(collection, index)
        switch below(4) {
        case 0: return nil
        case 1: return .excluding(key)
        default: return .including(key)
        }
    }

    private mutating func prefixKey(_ collection: CollectionSchema, _ index: Index) -> Key {
        while true {
            let key = key(collection, index)
            if case .text? = key.values.last { return key }
        }
    }

    private mutating func key(_ collection: CollectionSchema, _ index: Index) -> Key {
        let isPrimary = index == collection.primaryKey
        let parts = isPrimary ? index.parts : index.parts + collection.primaryKey.parts
        let values = parts.prefix(1 + below(parts.count)).map { part -> Key in
            let field = collection.fields[part.position]
            if field.isOptional, below(4) == 0 { return .null }
            return field.type == .integer ? .integer(number()) : .text(word())
        }
        return values.count == 1 ? values[0] : .compound(Array(values))
    }
}
