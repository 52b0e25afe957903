import PatchbayCore

/// One index at one moment: sorted runs on disk, and what came after them in memory.
struct IndexState: Sendable {
    var delta = Delta()
    /// The newest first.
    var runs: [Run] = []

    /// Where a key leads; nil when no row has it.
    func find(_ key: UnsafeRawBufferPointer) throws -> Place? {
        if let place = delta.find(key) { return place.isDeleted ? nil : place }
        for run in runs {
            let view = try run.page(run.fences.page(of: key))
            let (slot, isEqual) = view.position(of: key)
            guard isEqual else { continue }
            let place = view.place(slot)
            return place.isDeleted ? nil : place
        }
        return nil
    }

    /// Walks the entries of a range.
    func walk(_ range: KeyRange, _ order: Query.Order = .ascending) throws -> MergeCursor {
        try MergeCursor(sources, range, order)
    }

    private var sources: [EntryCursor.Source] {
        var sources: [EntryCursor.Source] = []
        sources.reserveCapacity(runs.count + 1)
        if !delta.isEmpty { sources.append(.delta(delta)) }
        for run in runs { sources.append(.run(run)) }
        return sources
    }

    /// Marks a key as deleted. The mark is needed where a run may hold the key.
    mutating func remove(_ key: UnsafeRawBufferPointer) { delta.set(key, .deleted) }

    var isDamaged: Bool { runs.contains(where: \.isDamaged) }

    /// Writes what is in memory to a new run, together with the runs that are due to be merged.
    ///
    /// A run is merged once those after it together have 1 / `factor` of its entries: a small factor costs little
    /// writing, a large one leaves few runs.
    mutating func flush(_ folder: RunFolder, factor: Int) throws {
        var merged = 0, entries = delta.count
        while merged < runs.count, runs[merged].entryCount <= entries * factor {
            entries += runs[merged].entryCount
            merged += 1
        }
        if delta.isEmpty, merged < 2 { return }
        let sources = Array(sources.prefix(merged + (delta.isEmpty ? 0 : 1)))
        let run = try folder.write(sources, keepDeleted: merged < runs.count)
        runs.replaceSubrange(..<merged, with: run.map { [$0] } ?? [])
        delta = Delta()
    }
}
