package import PatchbayCore

/// What was asked of a comparison: with the same settings the same operations run in the same order.
package struct CompareSettings: Sendable, Hashable {
    /// How many users each subject holds; several numbers show growth.
    package var rows: [Int]
    /// The workloads by name, in the order in which they run.
    package var workloads: [String]
    /// How long one round of a workload takes for the slowest subject, about. A workload that changes what is stored
    /// does a fixed number of operations instead, in proportion to it.
    package var seconds: Double
    /// How many readers the workloads with several use.
    package var threads: Int
    package var rounds: Int
    package var seed: UInt64
    /// The same for every subject; nil when each keeps its own.
    package var durability: Durability?
    /// The recording that was replayed, without its folder; nil when none was.
    package var recording: String?
    /// The command with its options, as it was written.
    package var commandLine: [String]
    package var startedAt: Timestamp

    package init(
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
