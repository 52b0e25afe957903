import PatchbayCore
import PatchbayDomain
import PatchbayGateway
import PatchbaySystem
import SourceSynthetic

/// The durations of a turn's operations.
struct Timing {
    /// The duration of each operation in nanoseconds.
    var latencies: [UInt64] = []
    /// The sum of the durations, without the time that other programs took from this process; with several readers, the
    /// mean of their sums.
    var nanoseconds = 0.0
    /// The processor time used for them.
    var processorNanoseconds: UInt64 = 0
}

/// A few operations of a workload on one subject, before the turn of the next one.
///
/// The operations are prepared before the clock runs and their answers are examined after it has stopped, so that the
/// time is that of the gateway and the storage.
final class Turn {
    /// The number that determines the operations, together with the seed and the workload's name.
    let number: Int
    /// The same for every subject.
    var draws: Draw
    private let bench: Bench
    private(set) var timing = Timing()
    private(set) var answers = AnswerLog()
    /// Whether the workload has ended, as a load does with its last row.
    var isLast = false
    /// The query of an operation, for reports.
    private(set) var query: (_ operation: Int) -> String = { _ in "" }

    init(_ workload: Workload, number: Int, on bench: Bench) {
        self.number = number
        self.bench = bench
        draws = Draw(seed: bench.setup.seed, workload: workload.name, turn: number)
    }

    /// Runs operations one after another.
    ///
    /// - Parameters:
    ///   - query: describes an operation.
    ///   - before: runs before each operation, outside its time.
    func run<Operation>(
        _ operations: [Operation], query: @escaping (Operation) -> String,
        before: (() async throws -> Void)? = nil, _ perform: (Operation) async throws -> Answer
    ) async throws {
        var answers: [Answer] = [], latencies: [UInt64] = []
        answers.reserveCapacity(operations.count)
        latencies.reserveCapacity(operations.count)
        // The turns of all subjects with this number run on the same processor, because those of a shared machine
        // differ: two equal storages differed by a factor of up to 1.6 while each stayed on another one.
        CurrentProcess.chooseProcessor(number)
        defer { CurrentProcess.chooseProcessor(nil) }
        let waitsStart = ProcessorWaits.now(), processorStart = Clock.processor()
        var waitsBefore: UInt64 = 0, processorBefore: UInt64 = 0
        for operation in operations {
            if let before {
                let start = Clock.processor(), waits = ProcessorWaits.now()
                try await before()
                waitsBefore += ProcessorWaits.now().since(waits)
                processorBefore += Clock.processor() - start
            }
            let start = Clock.monotonic()
            answers.append(try await perform(operation))
            latencies.append(Clock.monotonic() - start)
        }
        let processor = Clock.processor() - processorStart - processorBefore
        let waits = ProcessorWaits.now().since(waitsStart)
        try take(answers, [latencies], processorNanoseconds: processor) { query(operations[$0]) }
        // Threads that work beside the operations wait as well, so the wait is at most the time that nothing ran.
        let idle = max(0, timing.nanoseconds - Double(processor))
        timing.nanoseconds -= min(idle, Double(waits > waitsBefore ? waits - waitsBefore : 0))
    }

    /// Takes the answers and durations of readers that ran at the same time, both in the order of the readers.
    func take(
        _ answers: [Answer], _ latencies: [[UInt64]], processorNanoseconds: UInt64,
        query: @escaping (Int) -> String
    ) throws {
        self.query = query
        for answer in answers { try self.answers.append(answer, of: bench) }
        timing.latencies = latencies.flatMap { $0 }
        timing.nanoseconds = Double(timing.latencies.reduce(0, +)) / Double(latencies.count)
        timing.processorNanoseconds = processorNanoseconds
    }
}

// MARK: - Operations that a bare engine can run

extension Turn {
    /// Reads rows by their keys, each in a separate transaction.
    func get<Operation>(
        _ operations: [Operation], query text: @escaping (Operation) -> String,
        before: (() async throws -> Void)? = nil, key: (Operation) -> Key
    ) async throws {
        try await run(operations, query: text, before: before) { operation in
            if before != nil { try await bench.open() }
            let key = key(operation)
            if let bare = bench.bare, case .integer(let number) = key {
                return unsafe .structures(bare.get(number))
            }
            let (store, resource) = (bench.store, bench.resource)
            return .row(try await store.read { try $0.item(key, of: resource) })
        }
    }

    /// Reads the rows of queries, each in a separate transaction.
    func list<Operation>(
        _ operations: [Operation], query text: @escaping (Operation) -> String,
        _ query: (Operation, Resource) -> Query
    ) async throws {
        let resource = bench.population.resource
        try await run(operations, query: text) { operation in
            let query = query(operation, resource)
            if let bare = bench.bare { return unsafe .structures(bare.list(query)) }
            return .rows(try await bench.store.read { try $0.items(query, of: resource) })
        }
    }

    /// Saves the rows of each operation in one transaction. They are packed already, as a bare engine's are.
    func save(_ operations: [[Item]], query text: @escaping ([Item]) -> String) async throws {
        if let bare = bench.bare {
            let operations = unsafe operations.map { rows in
                unsafe (rows: rows, bare: bare.rows(rows.map(\.bytes)))
            }
            defer { unsafe operations.forEach { unsafe bare.free($0.bare) } }
            return try unsafe await run(operations, query: { unsafe text($0.rows) }) { operation in
                unsafe bare.put(operation.bare)
                return .nothing
            }
        }
        let store = bench.store
        try await run(operations, query: text) { rows in
            try await store.write { try $0.put(rows) }
            return .nothing
        }
    }
}
