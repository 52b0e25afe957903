public import PatchbayCore

/// What was asked of a comparison: with the same settings the same operations run in the same order.
public struct CompareSettings: Sendable, Hashable {
    /// How many users each subject holds; several numbers show growth.
    public var rows: [Int]
    /// The workloads by name, in the order in which they run.
    public var workloads: [String]
    /// How long one round of a workload takes for the slowest subject, about. A workload that changes what is stored
    /// does a fixed number of operations instead, in proportion to it.
    public var seconds: Double
    /// How many readers the workloads with several use.
    public var threads: Int
    public var rounds: Int
    public var seed: UInt64
    /// The same for every subject; nil when each keeps its own.
    public var durability: Durability?
    /// The recording that was replayed, without its folder; nil when none was.
    public var recording: String?
    /// The command with its options, as it was written.
    public var commandLine: [String]
    public var startedAt: Timestamp

    public init(
        rows: [Int], workloads: [String], seconds: Double, threads: Int, rounds: Int, seed: UInt64,
        durability: Durability?, recording: String? = nil, commandLine: [String] = [], startedAt: Timestamp
    ) {
        self.rows = rows
        self.workloads = workloads
        self.seconds = seconds
        self.threads = threads
        self.rounds = rounds
        self.seed = seed
        self.durability = durability
        self.recording = recording
        self.commandLine = commandLine
        self.startedAt = startedAt
    }
}
