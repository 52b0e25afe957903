import PatchbayCore
import SourceSynthetic

/// The core workloads of the Yahoo! Cloud Serving Benchmark (Cooper and others, 2010), as defined by its workload
/// files. An update changes one field; a read returns all ten.
extension Workload {
    static let ycsbA = ycsb(
        "a", "read a row (50 %) or change one field", YCSBMix(reads: 0.5, updates: 0.5))
    static let ycsbB = ycsb("b", "read a row (95 %) or change one field", YCSBMix(reads: 0.95, updates: 0.05))
    static let ycsbC = ycsb("c", "read a row", YCSBMix(reads: 1))
    static let ycsbD = ycsb(
        "d", "read a row, preferably a new one (95 %), or insert one",
        YCSBMix(reads: 0.95, inserts: 0.05, wantsLatest: true))
    static let ycsbE = ycsb(
        "e", "read 1 to 100 rows in key order (95 %) or insert one", YCSBMix(scans: 0.95, inserts: 0.05))
    static let ycsbF = ycsb(
        "f", "read a row (50 %) or read it and change one field", YCSBMix(reads: 0.5, changes: 0.5))

    private static func ycsb(_ letter: String, _ summary: String, _ mix: YCSBMix) -> Workload {
        Workload(
            name: "ycsb-\(letter)", summary: summary, dataset: .ycsb, turnsARound: mix.turnsARound,
            writes: !mix.isReading
        ) { bench, turn in
            let operations = (0..<mix.turnOperations).map { _ in mix.operation(bench, &turn.draws) }
            let store = bench.store
            try await turn.run(operations, query: \.query) { operation in
                .copies(try await operation.run(store))
            }
        }
    }
}

/// The operations of a YCSB workload: the share of each kind, and the choice of rows.
private struct YCSBMix: Sendable {
    var reads = 0.0
    var updates = 0.0
    /// Reads of 1 to 100 rows.
    var scans = 0.0
    var inserts = 0.0
    /// Reads of a row that also change it.
    var changes = 0.0
    /// Whether the last inserted rows are the most popular; otherwise popular rows are spread over all.
    var wantsLatest = false

    static let scanRowsMax = 100

    /// The number of operations per turn: fewer when each returns many rows or waits for the disk.
    var turnOperations: Int { scans > 0 ? 64 : isReading ? 2_048 : 256 }

    /// Fewer turns when more operations wait for the disk.
    var turnsARound: Int? { isReading ? nil : updates + changes + inserts < 0.2 ? 16 : 3 }

    var isReading: Bool { updates + inserts + changes == 0 }

    func operation(_ bench: Bench, _ draws: inout Draw) -> YCSBOperation {
        var choice = draws.unit()
        func falls(_ part: Double) -> Bool {
            defer { choice -= part }
            return choice < part
        }
        if falls(inserts) {
            let row = YCSBRow(number: bench.ycsb.items, &draws)
            bench.ycsb.grow(to: bench.ycsb.items + 1)
            return YCSBOperation(query: "insert usertable \"\(row.key)\"") { store in
                try await store.write { try $0.put(row) }
                return []
            }
        }
        let number =
            wantsLatest
            ? bench.ycsb.items - 1 - bench.ycsb.draw(&draws)
            : Zipfian.scrambled(&draws, below: bench.ycsb.items)
        let key = YCSBRow.key(number)
        if falls(reads) {
            return YCSBOperation(query: "get usertable \"\(key)\"") { store in
                try await store.read { try $0.copy(key) }
            }
        }
        if falls(scans) {
            let rows = 1 + draws.below(YCSBMix.scanRowsMax)
            return YCSBOperation(query: "list usertable from \"\(key)\" limit \(rows)") { store in
                try await store.read { try $0.copy(rows, from: key) }
            }
        }
        let field = draws.below(YCSBRow.fieldCount), text = draws.text(bytes: YCSBRow.fieldBytes)
        let isRead = !falls(updates), verb = isRead ? "read and update" : "update"
        return YCSBOperation(query: "\(verb) usertable \"\(key)\" field\(field)") { store in
            try await store.write { writing in
                let rows = isRead ? try writing.reading.copy(key) : []
                try writing.set(key, field, text)
                return rows
            }
        }
    }
}

/// One operation of a YCSB workload.
private struct YCSBOperation: Sendable {
    let query: String
    /// Returns copies of the rows that it read.
    let run: @Sendable (Store) async throws -> [[UInt8]]
}

extension Reading {
    /// A copy of the row with a key; empty when there is none.
    fileprivate func copy(_ key: String) throws -> [[UInt8]] {
        var rows: [[UInt8]] = []
        _ = try get(.text(key), in: YCSBRow.collection) { rows.append($0.copyBytes()) }
        return rows
    }

    /// Copies of the rows from a key on.
    fileprivate func copy(_ count: Int, from key: String) throws -> [[UInt8]] {
        let query = Query(YCSBRow.collection, .between(.including(.text(key)), nil), limit: count)
        var rows: [[UInt8]] = []
        rows.reserveCapacity(count)
        try scan(query) { row in
            rows.append(row.copyBytes())
            return .next
        }
        return rows
    }
}

extension Writing {
    /// Changes one field of the row with a key.
    fileprivate mutating func set(_ key: String, _ field: Int, _ text: String) throws {
        guard var row = try reading.get(YCSBRow.self, .text(key)) else {
            throw PatchbayError(.corrupted, "the stored row \"\(key)\" of usertable is missing")
        }
        row.fields[field] = text
        try put(row)
    }
}
