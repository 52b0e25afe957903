import PatchbayCore
import PatchbayDomain

extension Bench {
    /// Repeated reads in one task, each in its own read transaction.
    func reads(_ workload: Workload, _ store: Store) async throws -> Measurement {
        _ = try await reads(
            workload, store, nanoseconds: UInt64(options.seconds * 0.25e9), seed: options.seed + 77)
        ProcessUsage.resetPeak()
        return try await reads(
            workload, store, nanoseconds: UInt64(options.seconds * 1e9), seed: options.seed)
    }

    func reads(_ workload: Workload, _ store: Store, nanoseconds duration: UInt64, seed: UInt64) async throws
        -> Measurement
    {
        var random = RandomNumbers(seed: seed)
        var times = Histogram()
        var found: UInt64 = 0, digest: UInt64 = 0
        let start = nanoseconds()
        var time = start
        while time - start < duration {
            let answer = try await read(workload, store, random.below(options.rows))
            found += answer.rows
            digest &+= answer.digest
            let now = nanoseconds()
            times.add(now - time)
            time = now
        }
        if digest == 0 || found == 0 { throw Fault("\(workload.rawValue) found nothing") }
        return Measurement(
            operations: times.count, rows: found, seconds: Double(time - start) / 1e9, times: times)
    }

    /// The number of rows that a read has found, and the sum of their digests.
    struct Found: Sendable {
        var rows: UInt64 = 0
        var digest: UInt64 = 0

        mutating func add(_ digest: UInt64) {
            rows += 1
            self.digest &+= digest
        }
    }

    private func read(_ workload: Workload, _ store: Store, _ number: UInt64) async throws -> Found {
        switch workload {
        case .getID: try await get(store, .integer(rows.id(number)))
        case .getIDRecord: try await getRecord(store, .integer(rows.id(number)))
        case .getLogin: try await visit(store, byLogin(number))
        case .getLoginRecord: try await list(store, byLogin(number))
        case .page: try await visit(store, page(number, 20, .ascending))
        case .pageRecord: try await list(store, page(number, 20, .ascending))
        case .pageBack: try await visit(store, page(number, 20, .descending))
        case .pageBackRecord: try await list(store, page(number, 20, .descending))
        case .page100: try await visit(store, page(number, 100, .ascending))
        case .page100Record: try await list(store, page(number, 100, .ascending))
        case .prefix: try await visit(store, prefix(number))
        case .prefixRecord: try await list(store, prefix(number))
        default: throw Fault("\(workload.rawValue) is not a read")
        }
    }

    // MARK: Queries

    private func byLogin(_ number: UInt64) -> Query {
        Query(
            BenchRows.resource.collection, by: BenchRows.byLogin, .equal(.text(rows.login(number))), limit: 1)
    }

    private func page(_ number: UInt64, _ limit: Int, _ order: Query.Order) -> Query {
        Query(BenchRows.resource.collection, after: .integer(rows.id(number)), order: order, limit: limit)
    }

    /// The first 20 rows in login order with a given prefix of three letters, which occurs in some login.
    private func prefix(_ number: UInt64) -> Query {
        let letters = String(decoding: rows.login(number).utf8.prefix(3), as: UTF8.self)
        return Query(BenchRows.resource.collection, by: BenchRows.byLogin, .prefix(.text(letters)), limit: 20)
    }

    // MARK: Reading

    func get(_ store: Store, _ key: Key) async throws -> Found {
        try await store.read { reading in
            var found = Found()
            _ = try reading.get(key, in: BenchRows.resource.collection) { found.add(BenchRows.digest($0)) }
            return found
        }
    }

    private func getRecord(_ store: Store, _ key: Key) async throws -> Found {
        let item = try await store.read { try $0.item(key) }
        var found = Found()
        if let item { found.add(BenchRows.digest(item)) }
        return found
    }

    private func visit(_ store: Store, _ query: Query) async throws -> Found {
        try await store.read { reading in
            var found = Found()
            try reading.scan(query) {
                found.add(BenchRows.digest($0))
                return .next
            }
            return found
        }
    }

    private func list(_ store: Store, _ query: Query) async throws -> Found {
        let items = try await store.read { try $0.items(query) }
        var found = Found()
        let span = items.span
        for place in span.indices { found.add(BenchRows.digest(span[place])) }
        return found
    }

    // MARK: All rows

    /// Measures the second of two walks over all rows in id order.
    func scan(_ store: Store) async throws -> Measurement {
        let everything = Query(BenchRows.resource.collection)
        ProcessUsage.resetPeak()
        _ = try await visit(store, everything)
        let start = nanoseconds()
        let found = try await visit(store, everything)
        let seconds = Double(nanoseconds() - start) / 1e9
        guard found.rows == options.rows else {
            throw Fault("the scan found \(found.rows) rows of \(options.rows)")
        }
        return Measurement(operations: 1, rows: found.rows, seconds: seconds)
    }

    /// Compares every row with the generator's.
    func check(_ store: Store) async throws -> Measurement {
        let start = nanoseconds()
        let rows = rows
        let count = try await store.read { reading in
            var number: UInt64 = 0
            try reading.scan(Query(BenchRows.resource.collection)) { row in
                guard Item(row, of: BenchRows.resource) == rows.item(number) else {
                    throw Fault("row \(number) differs from the generated row")
                }
                number += 1
                return .next
            }
            return number
        }
        guard count == options.rows else {
            throw Fault("the store contains \(count) rows, not \(options.rows)")
        }
        return Measurement(operations: 1, rows: count, seconds: Double(nanoseconds() - start) / 1e9)
    }

    /// Repeatedly opens the store and reads one row; closing is not measured.
    func opening() async throws -> Measurement {
        var times = Histogram()
        var random = RandomNumbers(seed: options.seed)
        ProcessUsage.resetPeak()
        while times.count < 50, times.sum < 20_000_000_000 {
            let start = nanoseconds()
            let store = try await open(.indexed)
            let found = try await get(store, .integer(rows.id(random.below(options.rows))))
            times.add(nanoseconds() - start)
            if found.rows != 1 { throw Fault("a row is missing in the opened store") }
            try await store.close()
        }
        return Measurement(
            operations: times.count, rows: times.count, seconds: Double(times.sum) / 1e9, times: times)
    }
}
