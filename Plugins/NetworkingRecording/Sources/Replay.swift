/// The next answer of each group.
struct Replay: Sendable {
    private var next: [Int]
    /// Of entries that `Vary` selects, the place of the next one among them.
    private var nextSelected: [Selection: Int] = [:]

    /// Selected entries, which have the first one for themselves.
    private struct Selection: Hashable {
        let group: Int
        let first: Int
    }

    init(groupCount: Int) { next = Array(repeating: 0, count: groupCount) }

    /// The position of the next answer, which stays the next one.
    func position(of group: Int) -> Int { next[group] }

    /// Returns the position of the next of the selected answers; the last one is repeated.
    ///
    /// - Parameter selected: not empty.
    mutating func take(_ group: Int, among selected: [Int]) -> Int {
        let selection = Selection(group: group, first: selected[0])
        let place = nextSelected[selection, default: 0]
        nextSelected[selection] = min(place + 1, selected.count - 1)
        return selected[place]
    }

    /// Returns the position of the next answer; the last one is repeated.
    mutating func take(_ group: Int, of count: Int) -> Int {
        let position = next[group]
        next[group] = min(position + 1, count - 1)
        return position
    }

    /// Continues after an answer that was returned instead of the next one.
    mutating func skip(_ group: Int, past position: Int, of count: Int) {
        next[group] = max(next[group], min(position + 1, count - 1))
    }
}
