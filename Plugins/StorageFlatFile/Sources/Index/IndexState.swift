import PatchbayCore

/// One index at one moment: sorted runs on disk, and newer entries in memory.
struct IndexState: Sendable {
    /// With more runs than this, the due ones are merged when entries move to files, although a write then waits.
    static let runsMax = 32

    /// The part of an entry that the runs' filters contain.
    let sole: SolePart
    var delta = Delta()
    /// The newest first.
    var runs: [Run]

    init(_ sole: SolePart, _ runs: [Run] = []) {
        self.sole = sole
        self.runs = runs
    }

    /// The place that a key leads to; nil when no row has the key.
    func find(_ key: UnsafeRawBufferPointer) throws -> Place? { try unsafe find(key, delta.spot(of: key)) }

    /// - Parameter spot: of the key in the delta.
    func find(_ key: UnsafeRawBufferPointer, _ spot: Spot) throws -> Place? {
        if spot.isEqual {
            let place = delta.place(spot)
            return place.isDeleted ? nil : place
        }
        let hash = unsafe runs.count > 1 ? sole.hash(of: key) : nil
        for index in runs.indices {
            // Most rows are in the oldest run, so its filter would cost more than it saves.
            guard index == runs.count - 1 || runs[index].mayHold(hash) else { continue }
            if let place = try unsafe runs[index].find(key) { return place.isDeleted ? nil : place }
        }
        return nil
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
        let hash = unsafe range.lower.withUnsafeBytes { unsafe keyHash($0) }
        return runs.filter { $0.mayHold(hash) }[...]
    }

    /// Whether a range is that of the entries that start with one sole part.
    func isSole(_ range: KeyRange) -> Bool {
        guard let upper = range.upper, upper.count == range.lower.count, let last = upper.last, last > 0,
            unsafe range.lower.withUnsafeBytes({ unsafe sole.count(in: $0) }) == upper.count
        else { return false }
        return range.lower.last == last - 1 && range.lower.dropLast().elementsEqual(upper.dropLast())
    }

    /// Whether an entry in a run starts with a sole part, even if it was deleted later.
    @inline(__always)
    func runsHold(sole part: UnsafeRawBufferPointer) throws -> Bool {
        if runs.isEmpty { return false }
        let hash = unsafe keyHash(part)
        for index in runs.indices where runs[index].mayHold(hash) {
            if try unsafe runs[index].holds(prefix: part) { return true }
        }
        return false
    }

    /// Marks a key as deleted. The mark is needed because a run may contain the key.
    mutating func remove(_ key: UnsafeRawBufferPointer) { unsafe delta.set(key, .deleted) }

    var isDamaged: Bool { runs.contains(where: \.isDamaged) }

    /// Writes the entries in memory to a new run, together with the runs that are due (``due(after:by:)``).
    ///
    /// - Parameter factor: 0 to merge none, so that the work is proportional to the entries in memory.
    mutating func flush(_ folder: RunFolder, mergingBy factor: Int) throws {
        // When there are no entries in memory, the others are merged with the newest run.
        let first = delta.isEmpty ? min(1, runs.count) : 0
        let merged = first + due(after: first, by: runs.count > IndexState.runsMax ? max(factor, 1) : factor)
        if delta.isEmpty, merged < 2 { return }
        let run = try folder.write(delta, runs.prefix(merged), keepDeleted: merged < runs.count, sole)
        runs.replaceSubrange(..<merged, with: run.map { [$0] } ?? [])
        delta = Delta()
    }

    /// The number of runs after the newest ones that are to be merged with them and with the entries in memory.
    ///
    /// - Parameter factor: a run is merged once the newer ones together have 1 / `factor` of its entries. A small one
    ///   causes little writing, a large one leaves few runs.
    func due(after newest: Int, by factor: Int) -> Int {
        var entryCount = runs[..<newest].reduce(delta.count) { $0 + $1.entryCount }
        let rest = runs[newest...].prefix { run in
            defer { entryCount += run.entryCount }
            return run.entryCount / max(factor, 1) <= entryCount
        }
        return factor == 0 ? 0 : rest.count
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
