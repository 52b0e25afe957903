import PatchbayCore
import SourceSynthetic

/// The durations of a turn's operations.
struct Timing {
    /// The duration of each operation in nanoseconds.
    var latencies: [UInt64] = []
    /// The sum of the durations; with several readers, the mean of their sums.
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
    let threads: Int
    private(set) var timing = Timing()
    private(set) var answers = AnswerLog()
    /// Whether the workload has ended, as a load does with its last row.
    var isLast = false
    private var query: (Int) -> String = { _ in "" }

    init(_ workload: String, number: Int, seed: UInt64, threads: Int) {
        self.number = number
        self.threads = threads
        draws = Draw(seed: seed, workload: workload, turn: number)
    }

    /// The query of an operation, for reports.
    func query(ofOperation number: Int) -> String { query(number) }

    /// Runs operations one after another.
    ///
    /// - Parameters:
    ///   - query: describes an operation.
    ///   - before: runs before each operation, outside its time.
    ///   - log: appends the answer of an operation; by default nothing, for one that only writes.
    func run<Operation, Answer>(
        _ operations: [Operation], query: @escaping (Operation) -> String,
        before: (() async throws -> Void)? = nil, _ perform: (Operation) async throws -> Answer,
        log: (Answer, inout AnswerLog) throws -> Void = { _, _ in }
    ) async throws {
        self.query = { query(operations[$0]) }
        var answers: [Answer] = []
        answers.reserveCapacity(operations.count)
        timing.latencies.reserveCapacity(operations.count)
        let processorStart = Clock.processor()
        var processorBefore: UInt64 = 0
        for operation in operations {
            if let before {
                let start = Clock.processor()
                try await before()
                processorBefore += Clock.processor() - start
            }
            let start = Clock.monotonic()
            answers.append(try await perform(operation))
            timing.latencies.append(Clock.monotonic() - start)
        }
        timing.processorNanoseconds = Clock.processor() - processorStart - processorBefore
        timing.nanoseconds = Double(timing.latencies.reduce(0, +))
        for answer in answers { try log(answer, &self.answers) }
    }

    /// Takes the answers and times of readers that ran at the same time, both in the order of the readers.
    func take(
        _ answers: AnswerLog, _ readers: [Timing], processorNanoseconds: UInt64,
        query: @escaping (Int) -> String
    ) {
        self.query = query
        self.answers = answers
        for reader in readers {
            timing.latencies += reader.latencies
            timing.nanoseconds += reader.nanoseconds / Double(readers.count)
        }
        timing.processorNanoseconds = processorNanoseconds
    }
}
