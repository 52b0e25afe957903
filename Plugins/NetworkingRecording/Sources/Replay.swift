/// Which answer of each group comes next.
struct Replay: Sendable {
    private var next: [Int]

    init(groupCount: Int) { next = Array(repeating: 0, count: groupCount) }

    /// The position of the answer whose turn it is. Behind the last one the last comes again.
    mutating func take(_ group: Int, of entries: [RecordingIndex.Entry]) -> Int {
        let position = next[group]
        next[group] = min(position + 1, entries.count - 1)
        return position
    }

    /// The position of an answer that is not "not modified", at or behind a position, else before it; nil
    /// without any.
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
