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

    /// Returns the position of a whole answer, at or after a position or otherwise before it; nil when there is none.
    mutating func take(_ group: Int, of entries: [RecordingIndex.Entry], wholeFrom position: Int) -> Int? {
        guard
            let found = entries[position...].firstIndex(where: \.isWhole)
                ?? entries[..<position].lastIndex(where: \.isWhole)
        else { return nil }
        next[group] = max(next[group], min(found + 1, entries.count - 1))
        return found
    }
}
