package import PatchbayCore

/// The settings of a comparison. The same settings run the same operations in the same order.
package struct CompareSettings: Sendable, Hashable, Codable {
    /// The number of items in each storage; several numbers show growth.
    package var rows: [Int]
    /// The rows: `users`, the noun of a resource.
    package var resource: String
    /// Where the rows were copied from, in words; nil for made-up users.
    package var source: String?
    /// The workloads by name, in the order in which they run; before a comparison, none are all that the rows permit.
    package var workloads: [String]
    /// The time for the whole comparison. It is divided among the workloads; what one does not need is left to those
    /// after it. The first filling, and one round of each workload, take the time that they need.
    package var seconds: Double
    /// The number of readers in workloads with several.
    package var threads: Int
    /// The number of rounds of each workload, however long they take; nil when a workload ends as soon as its storages
    /// are decided, or its time is over.
    package var rounds: Int?
    /// Text in JSON, because it has 64 bits and many readers keep only 53.
    @TextNumber package var seed: UInt64
    /// The durability of every subject; nil when each keeps its own.
    package var durability: Durability?
    /// The command with its options, as typed.
    package var commandLine: [String]
    package var startedAt: Timestamp

    package init(
        rows: [Int], resource: String = "users", source: String? = nil, workloads: [String], seconds: Double,
        threads: Int, rounds: Int? = nil, seed: UInt64, durability: Durability?, commandLine: [String] = [],
        startedAt: Timestamp
    ) {
        self.rows = rows
        self.resource = resource
        self.source = source
        self.workloads = workloads
        self.seconds = seconds
        self.threads = threads
        self.rounds = rounds
        self.seed = seed
        self.durability = durability
        self.commandLine = commandLine
        self.startedAt = startedAt
    }

    /// `60 s`, or `60 s, 5 rounds`.
    package var duration: String {
        let time = "\(Quantity.decimal(seconds)) s"
        return rounds.map { "\(time), \(Count.words($0, "round"))" } ?? time
    }

    /// The approximate time of a subject in a round: with it, the most rounds of all workloads take two thirds of the
    /// time. The rest is for what is not measured, such as preparing operations and comparing answers.
    func roundSeconds(subjects: Int) -> Double {
        seconds / Double(max(1, workloads.count * rows.count * subjects * roundsMax)) * 2 / 3
    }
}

/// A number of 64 bits that JSON contains as text.
@propertyWrapper
package struct TextNumber: Sendable, Hashable, Codable {
    package var wrappedValue: UInt64

    package init(wrappedValue: UInt64) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer(), text = try container.decode(String.self)
        guard let number = UInt64(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(Quotation.quoted(text)) is not a number of 64 bits")
        }
        wrappedValue = number
    }

    package func encode(to encoder: any Encoder) throws { try String(wrappedValue).encode(to: encoder) }
}
