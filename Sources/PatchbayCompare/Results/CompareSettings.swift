package import PatchbayCore

/// The settings of a comparison. The same settings run the same operations in the same order.
package struct CompareSettings: Sendable, Hashable, JSONRecord {
    /// The number of items in each storage; several numbers show growth.
    package var rows: [Int] = []
    /// The workloads by name, in the order in which they run.
    package var workloads: [String] = []
    /// The approximate duration of a round for the slowest subject. For a workload that changes stored
    /// rows, it determines the number of operations instead.
    package var seconds = 0.0
    /// The number of readers in workloads with several.
    package var threads: Int = 0
    package var rounds: Int = 0
    package var seed: UInt64 = 0
    /// The durability of every subject; nil when each keeps its own.
    package var durability: Durability?
    /// The name of the replayed recording without its folder; nil without one.
    package var recording: String?
    /// The command with its options, as typed.
    package var commandLine: [String] = []
    package var startedAt = Timestamp(milliseconds: 0)

    static let fields: [JSONField<Self>] = [
        .init("rows", \.rows), .init("workloads", \.workloads), .init("seconds", \.seconds),
        .init("threads", \.threads), .init("rounds", \.rounds), .init("seed", \.seed),
        .init("durability", \.durability), .init("recording", \.recording),
        .init("commandLine", \.commandLine), .init("startedAt", \.startedAt),
    ]

    init() {}

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
