import PatchbayCore

/// One index at one moment: sorted runs on disk, and what came after them in memory.
struct IndexState: Sendable {
    /// What of an entry the runs' filters know.
    let sole: SolePart
    var delta = Delta()
    /// The newest first.
    var runs: [Run] = []

    init(_ sole: SolePart) { self.sole = sole }

    /// Where a key leads; nil when no row has it.
    func find(_ key: UnsafeRawBufferPointer) throws -> Place? {
        if let place = delta.find(key) { return place.isDeleted ? nil : place }
        let hash = runs.count > 1 ? sole.hash(of: key) : nil
        for index in runs.indices {
            // Most rows are in the oldest run, so its filter would only cost.
            guard index == runs.count - 1 || runs[index].mayHold(hash) else { continue }
            let view = try runs[index].page(runs[index].fences.page(of: key))
            let (slot, isEqual) = view.position(of: key)
            guard isEqual else { continue }
            let place = view.place(slot)
            return place.isDeleted ? nil : place
        }
        return nil
    }

    /// Walks the entries of a range.
    func walk(_ range: KeyRange, _ order: Query.Order = .ascending) throws -> MergeCursor {
        try MergeCursor(delta, runs(for: range), range, order)
    }

    /// The runs that may hold entries of a range: those that the filters leave when it is about one sole part.
    private func runs(for range: KeyRange) -> ArraySlice<Run> {
        guard runs.count > 1, let upper = range.upper, KeyEncoding.successor(range.lower) == upper else {
            return runs[...]
        }
        let hash = range.lower.withUnsafeBytes { lower in
            sole.count(in: lower) == lower.count ? sole.hash(of: lower) : nil
        }
        return hash == nil ? runs[...] : runs.filter { $0.mayHold(hash) }[...]
    }

    /// Whether an entry may start with a sole part; false is certain.
    func mayHold(sole part: UnsafeRawBufferPointer) -> Bool {
        if delta.holds(prefix: part) { return true }
        let hash = keyHash(part)
        return runs.contains { $0.mayHold(hash) }
    }

    /// Marks a key as deleted. The mark is needed where a run may hold the key.
    mutating func remove(_ key: UnsafeRawBufferPointer) { delta.set(key, .deleted) }

    var isDamaged: Bool { runs.contains(where: \.isDamaged) }

    /// Writes what is in memory to a new run, together with the runs that are due to be merged.
    mutating func flush(_ folder: RunFolder, _ policy: MergePolicy) throws {
        // With nothing in memory the newest run is what others are merged with.
        let newest = delta.isEmpty ? runs.prefix(1) : []
        let newer = newest.reduce(delta.count) { $0 + $1.entryCount }
        let merged = newest.count + policy.due(runs.dropFirst(newest.count), newer: newer)
        if delta.isEmpty, merged < 2 { return }
        let run = try folder.write(delta, runs.prefix(merged), keepDeleted: merged < runs.count, sole)
        runs.replaceSubrange(..<merged, with: run.map { [$0] } ?? [])
        delta = Delta()
    }

    /// Puts a run in the place of those that it was made of, wherever they stand now.
    ///
    /// - Returns: false when they are not all there any more; nothing is changed then.
    mutating func replace(_ merged: [Run], with run: Run?) -> Bool {
        guard let first = runs.firstIndex(where: { $0 === merged[0] }),
            runs[first...].count >= merged.count,
            zip(runs[first...], merged).allSatisfy({ $0 === $1 })
        else { return false }
        runs.replaceSubrange(first..<(first + merged.count), with: run.map { [$0] } ?? [])
        return true
    }
}
