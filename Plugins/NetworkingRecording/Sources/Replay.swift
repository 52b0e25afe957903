/// The next answer of each group.
struct Replay: Sendable {
    private var next: [Int]

    init(groupCount: Int) { next = Array(repeating: 0, count: groupCount) }

    /// Returns the position of the next answer; the last one is repeated.
    mutating func take(_ group: Int, of entries: [RecordingIndex.Entry]) -> Int {
        let position = next[group]
        next[group] = min(position + 1, entries.count - 1)
        return position
    }

    /// Returns the position of an answer other than 304, at or after a position or otherwise before it; nil when there
    /// is none.
    mutating func take(
        _ group: Int, of entries: [RecordingIndex.Entry], unconditionalFrom position: Int
    ) -> Int? {
        let isWhole = { (index: Int) in entries[index].status != 304 }
        guard
            let found = (position..<entries.count).first(where: isWhole)
                ?? (0..<position).last(where: isWhole)
        else { return nil }
        next[group] = max(next[group], min(found + 1, entries.count - 1))
        return found
    }
}
