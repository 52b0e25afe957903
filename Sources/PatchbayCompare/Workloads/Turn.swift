import PatchbayCore

/// A few operations of a workload, done by one subject before the next one has its turn.
///
/// The operations are made before the clock runs, and what they answer is looked at when it has stopped: what is
/// measured is the gateway and the storage.
final class Turn {
    /// What the operations follow from, with the seed and the workload's name.
    let number: Int
    /// The same for every subject.
    var draws: Draws
    let threads: Int
    private(set) var timing = Timing()
    private(set) var answers = AnswerLog()
    /// Whether the workload has come to its end, as loading does.
    var isLast = false
    private var query: (Int) -> String = { _ in "" }

    init(_ workload: String, number: Int, seed: UInt64, threads: Int) {
        self.number = number
        self.threads = threads
        draws = Draws(seed: seed, workload: workload, turn: number)
    }

    /// What the operation asked, for people.
    func query(ofOperation number: Int) -> String { query(number) }

    /// Does operations one after another.
    ///
    /// - Parameters:
    ///   - query: says what an operation asks.
    ///   - before: runs before each operation, outside its time.
    ///   - log: takes what an operation answered.
    func run<Operation, Answer>(
        _ operations: [Operation], query: @escaping (Operation) -> String,
        before: (() async throws -> Void)? = nil, _ perform: (Operation) async throws -> Answer,
        log: (Answer, inout AnswerLog) throws -> Void
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

    /// Takes what several readers measured at the same time, in their order.
    func take(
        _ readers: [(timing: Timing, answers: AnswerLog)], processorNanoseconds: UInt64,
        query: @escaping (Int) -> String
    ) {
        self.query = query
        for reader in readers {
            timing.latencies += reader.timing.latencies
            timing.nanoseconds += reader.timing.nanoseconds / Double(readers.count)
            answers.append(reader.answers)
        }
        timing.processorNanoseconds = processorNanoseconds
    }
}
