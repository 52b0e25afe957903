/// A request to the process that measures a subject.
enum BenchRequest: Sendable, Hashable, Codable {
    /// Sets up the subject; the first request.
    case setUp(BenchSetup)
    /// Opens an empty storage for a dataset with a number of rows.
    case begin(Dataset, rows: Int)
    /// Starts a workload.
    case prepare(workload: String)
    case beginRound
    /// Runs a turn of the workload. The number of the turn determines its operations.
    case turn(number: Int)
    case endRound
    /// Ends the workload and returns the digest of its collections.
    case finish
    /// Returns the digests of the parts of some answers; none after the last collection.
    case digests(of: Answers)
    /// Returns the rows of one of these parts, with their query.
    case rows(of: Answers, part: Int)
    /// The last request: removes the files.
    case end

    /// Answers that are compared with those of another subject.
    enum Answers: Sendable, Hashable, Codable {
        /// The answers of the last turn; a part is an operation.
        case lastTurn
        /// The rows of a collection that the workload has written.
        case collection(Int)
    }
}
