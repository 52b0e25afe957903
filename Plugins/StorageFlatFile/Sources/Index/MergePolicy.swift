/// Decides which runs of an index are merged. A small factor causes little writing, a large one leaves few runs.
struct MergePolicy: Sendable {
    /// A run is merged once the newer ones together have 1 / `factor` of its entries.
    var factor: Int
    /// The greatest number of entries of one merge, without those in memory.
    var entriesMax = Int.max
    /// Whether the storage is closing, so that the new run is not searched any more.
    var isLast = false

    /// Merges nothing, so that the work is proportional to the entries in memory.
    static let none = MergePolicy(factor: 0)
    /// For a transaction that alone has more entries than should be in memory.
    static let within = MergePolicy(factor: 1, entriesMax: 1 << 19)
    /// For work on another thread than the writer's.
    static let beside = MergePolicy(factor: 1)
    /// For runs that will be read more often than written.
    static let final = MergePolicy(factor: 8)

    /// The same for a storage that is closing.
    static let closing = MergePolicy(factor: 8, isLast: true)

    /// The number of runs, from the newest on, to be merged with `newer` entries.
    func due(_ runs: some Sequence<Run>, newer: Int) -> Int {
        var count = 0, merged = 0
        for run in runs {
            let isDue = run.entryCount <= (newer + merged) * factor
            guard isDue, merged + run.entryCount <= entriesMax else { break }
            merged += run.entryCount
            count += 1
        }
        return count
    }
}
