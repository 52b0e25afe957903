import PatchbayCore
import PatchbayDomain

/// A stored row as a program reads it: the item and the values of its fields.
struct ReadRow: Sendable {
    let item: Item
    private let values: [ItemValue?]

    init(_ item: Item) {
        self.item = item
        values = item.resource.fields.map { item[$0] }
    }
}

extension Reading {
    func row(_ key: Key, of resource: Resource) throws -> ReadRow? {
        var row: ReadRow?
        _ = try get(key, in: resource.collection) { row = ReadRow(Item($0, of: resource)) }
        return row
    }

    func rows(_ query: Query, of resource: Resource) throws -> [ReadRow] {
        var rows: [ReadRow] = []
        rows.reserveCapacity(min(query.limit, 128))
        try scan(query) { row in
            rows.append(ReadRow(Item(row, of: resource)))
            return .next
        }
        return rows
    }
}

extension Writing {
    mutating func put(_ rows: some Sequence<Item>) throws {
        for row in rows { try row.withRow { try put($0, in: row.resource.collection) } }
    }
}

extension AnswerLog {
    /// Appends the rows that one operation returned.
    mutating func append(_ rows: [ReadRow], of bench: Bench) throws {
        append(rows: rows.map(\.item.bytes), of: try bench.resource.collection)
    }

    /// Appends the row that one operation returned, if there was one.
    mutating func append(_ row: ReadRow?, of bench: Bench) throws {
        try append(row.map { [$0] } ?? [], of: bench)
    }
}

extension Turn {
    /// Reads rows by their keys, each in a separate transaction.
    func get<Operation>(
        _ operations: [Operation], of bench: Bench, query text: @escaping (Operation) -> String,
        before: (() async throws -> Void)? = nil, key: @escaping (Operation) -> Key
    ) async throws {
        guard bench.bare == nil else {
            return try unsafe await runBare(operations, of: bench, query: text, before: before) { operation in
                if before != nil { try await bench.open() }
                guard case .integer(let key) = key(operation), let bare = bench.bare else { return nil }
                return unsafe bare.get(key)
            }
        }
        try await run(operations, query: text, before: before) { operation in
            if before != nil { try await bench.open() }
            let (store, resource, key) = (try bench.store, try bench.resource, key(operation))
            return try await store.read { try $0.row(key, of: resource) }
        } log: { row, log in
            try log.append(row, of: bench)
        }
    }

    /// Reads the rows of queries, each in a separate transaction.
    func list<Operation>(
        _ operations: [Operation], of bench: Bench, query text: @escaping (Operation) -> String,
        _ query: @escaping (Operation, Resource) -> Query
    ) async throws {
        if let bare = bench.bare {
            let users = bench.population.resource
            return try unsafe await runBare(operations, of: bench, query: text) {
                unsafe bare.list(query($0, users))
            }
        }
        let (store, resource) = (try bench.store, try bench.resource)
        try await run(operations, query: text) { operation in
            let query = query(operation, resource)
            return try await store.read { try $0.rows(query, of: resource) }
        } log: { rows, log in
            try log.append(rows, of: bench)
        }
    }

    /// Saves the rows of each operation in one transaction. They are packed already, as a bare engine's are.
    func save(
        _ operations: [[Item]], to bench: Bench, query text: @escaping ([Item]) -> String
    ) async throws {
        if let bare = bench.bare {
            let operations = unsafe operations.map { rows in
                unsafe (rows: rows, bare: bare.rows(rows.map(\.bytes)))
            }
            defer { unsafe operations.forEach { unsafe bare.free($0.bare) } }
            return try unsafe await run(operations, query: { unsafe text($0.rows) }) { operation in
                unsafe bare.put(operation.bare)
            }
        }
        let store = try bench.store
        try await run(operations, query: text) { rows in
            try await store.write { try $0.put(rows) }
        }
    }

    /// Reads rows of a bare engine, which become packed rows after the clock has stopped.
    private func runBare<Operation>(
        _ operations: [Operation], of bench: Bench, query text: @escaping (Operation) -> String,
        before: (() async throws -> Void)? = nil, _ perform: (Operation) async throws -> OpaquePointer?
    ) async throws {
        try unsafe await run(operations, query: text, before: before, perform) { rows, log in
            guard let rows = unsafe rows, let bare = bench.bare else { return }
            unsafe log.append(rows: try bare.take(rows), of: bench.population.resource.collection)
        }
    }
}
