import PatchbayCore

/// One index at one moment: sorted runs on disk, and newer entries in memory.
struct IndexState: Sendable {
    /// The part of an entry that the runs' filters contain.
    let sole: SolePart
    var delta = Delta()
    /// The newest first.
    var runs: [Run] = []

    init(_ sole: SolePart) { self.sole = sole }

    /// The place that a key leads to; nil when no row has the key.
    func find(_ key: UnsafeRawBufferPointer) throws -> Place? { try find(key, delta.spot(of: key)) }

    /// - Parameter spot: of the key in the delta.
    func find(_ key: UnsafeRawBufferPointer, _ spot: Spot) throws -> Place? {
        if spot.isEqual {
            let place = delta.place(spot)
            return place.isDeleted ? nil : place
        }
        let hash = runs.count > 1 ? sole.hash(of: key) : nil
        for index in runs.indices {
            // Most rows are in the oldest run, so its filter would cost more than it saves.
            guard index == runs.count - 1 || runs[index].mayHold(hash) else { continue }
            let spot = try runs[index].spot(of: key)
            guard spot.isEqual else { continue }
            let place = try runs[index].page(spot.page).place(spot.slot)
            return place.isDeleted ? nil : place
        }
        return nil
    }

    /// The row that has a sole part, as far as the newest entry that starts with the part shows.
    enum Holder {
        case nobody
        case row(Place)
        /// The newest entry is a deleted one; another may follow it, or be in an older list.
        case unclear
    }

    /// Finds the row that has a sole part without a walk, because at most one undeleted entry starts with it.
    func holder(of part: UnsafeRawBufferPointer) throws -> Holder {
        if let holder = IndexState.holder(of: part, delta.entry(delta.spot(of: part))) { return holder }
        let hash = runs.count > 1 ? keyHash(part) : nil
        for index in runs.indices where index == runs.count - 1 || runs[index].mayHold(hash) {
            if let holder = IndexState.holder(of: part, try runs[index].entry(from: part)) { return holder }
        }
        return .nobody
    }

    private static func holder(of part: UnsafeRawBufferPointer, _ entry: (view: PageView, slot: Int)?)
        -> Holder?
    {
        guard let (view, slot) = entry, view.key(slot).starts(with: part) else { return nil }
        let place = view.place(slot)
        return place.isDeleted ? .unclear : .row(place)
    }

    /// The greatest key in the runs; nil when there are none.
    func lastKeyInRuns() throws -> [UInt8]? {
        try runs.map { try $0.lastKey() }.max { $0.lexicographicallyPrecedes($1) }
    }

    /// Walks the entries of a range.
    func walk(_ range: KeyRange, _ order: Query.Order = .ascending) throws -> MergeCursor {
        try MergeCursor(delta, runs(for: range), range, order)
    }

    /// The runs that may contain entries of a range. The filters exclude runs when the range is that of one sole part.
    private func runs(for range: KeyRange) -> ArraySlice<Run> {
        guard runs.count > 1, isSole(range) else { return runs[...] }
        let hash = range.lower.withUnsafeBytes { keyHash($0) }
        return runs.filter { $0.mayHold(hash) }[...]
    }

    /// Whether a range is that of the entries that start with one sole part.
    func isSole(_ range: KeyRange) -> Bool {
        guard let upper = range.upper, upper.count == range.lower.count, let last = upper.last, last > 0,
            range.lower.withUnsafeBytes({ sole.count(in: $0) }) == upper.count
        else { return false }
        return range.lower.last == last - 1 && range.lower.dropLast().elementsEqual(upper.dropLast())
    }

    /// Whether an entry in a run starts with a sole part, even if it was deleted later.
    @inline(__always)
    func runsHold(sole part: UnsafeRawBufferPointer) throws -> Bool {
        if runs.isEmpty { return false }
        let hash = keyHash(part)
        for index in runs.indices where runs[index].mayHold(hash) {
            if try runs[index].holds(prefix: part) { return true }
        }
        return false
    }

    /// Marks a key as deleted. The mark is needed because a run may contain the key.
    mutating func remove(_ key: UnsafeRawBufferPointer) { delta.set(key, .deleted) }

    var isDamaged: Bool { runs.contains(where: \.isDamaged) }

    /// Writes the entries in memory to a new run, together with the runs that are due to be merged.
    mutating func flush(_ folder: RunFolder, _ policy: MergePolicy) throws {
        // When there are no entries in memory, the others are merged with the newest run.
        let newest = delta.isEmpty ? runs.prefix(1) : []
        let newer = newest.reduce(delta.count) { $0 + $1.entryCount }
        let merged = newest.count + policy.due(runs.dropFirst(newest.count), newer: newer)
        if delta.isEmpty, merged < 2 { return }
        // A filter exists only in memory, so a storage that closes needs none.
        let filtered = policy.isLast ? SolePart.nothing : sole
        let run = try folder.write(delta, runs.prefix(merged), keepDeleted: merged < runs.count, filtered)
        runs.replaceSubrange(..<merged, with: run.map { [$0] } ?? [])
        delta = Delta()
    }

    /// Replaces the runs that a run was merged from, whatever their position is now.
    ///
    /// - Returns: false, and changes nothing, when some of them are no longer present.
    mutating func replace(_ merged: [Run], with run: Run?) -> Bool {
        guard let first = runs.firstIndex(where: { $0 === merged[0] }),
            runs[first...].count >= merged.count,
            zip(runs[first...], merged).allSatisfy({ $0 === $1 })
        else { return false }
        runs.replaceSubrange(first..<(first + merged.count), with: run.map { [$0] } ?? [])
        return true
    }
}
