/// Which runs of an index are made one. A small factor costs little writing, a large one leaves few runs.
struct MergePolicy: Sendable {
    /// A run is merged once those after it together have 1 / `factor` of its entries.
    var factor: Int
    /// How many entries one merge may have; those in memory do not count.
    var entriesMax = Int.max
    /// Whether the storage closes, so that nobody looks for anything in what is written.
    var isLast = false

    /// Nothing is merged: the work is as long as the entries in memory are many.
    static let none = MergePolicy(factor: 0)
    /// For a transaction that has itself more entries than memory is meant for.
    static let within = MergePolicy(factor: 1, entriesMax: 1 << 19)
    /// For work beside the writer.
    static let beside = MergePolicy(factor: 1)
    /// For what is read more often than it is written from then on.
    static let final = MergePolicy(factor: 8)

    /// The same for a storage that closes.
    static let closing = MergePolicy(factor: 8, isLast: true)

    /// How many runs, from the newest on, are to be merged with `newer` entries.
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
