import PatchbayCore

/// Index entries in order, merged from sorted runs in a mapped file that is already unlinked.
final class SortedEntries {
    let count: Int
    private let runs: [Range<Int>]
    private let map: FileMap?

    /// The part of a run that is not merged yet: its first entry, and the place of the others.
    private struct Rest {
        let entry: EntrySorter.Entry
        let next: Int
        let end: Int
    }

    /// - Parameter map: closed together with the entries.
    init(count: Int = 0, runs: [Range<Int>] = [], map: FileMap? = nil) {
        self.count = count
        self.runs = runs
        self.map = map
    }

    deinit { map?.close() }

    /// Visits every entry; its bytes are valid as long as the entries.
    func forEach(_ visit: (EntrySorter.Entry) throws -> Void) throws {
        var heap = try runs.compactMap { try rest(from: $0.lowerBound, to: $0.upperBound) }
        for place in (0..<heap.count / 2).reversed() { SortedEntries.sink(place, &heap) }
        while let first = heap.first {
            try visit(first.entry)
            if let rest = try rest(from: first.next, to: first.end) {
                heap[0] = rest
            } else {
                heap.swapAt(0, heap.count - 1)
                heap.removeLast()
            }
            SortedEntries.sink(0, &heap)
        }
    }

    private func rest(from start: Int, to end: Int) throws -> Rest? {
        guard let map, start < end else { return nil }
        guard let entry = unsafe EntrySorter.Entry(map.bytes, at: start) else {
            throw PatchbayError(
                .corrupted, "the file \"\(map.file)\" changed while it was being sorted; try again")
        }
        return unsafe Rest(
            entry: entry, next: start + EntrySorter.Entry.headerBytes + entry.key.count, end: end)
    }

    /// Moves a run down the heap until no run below it has an earlier entry.
    private static func sink(_ place: Int, _ heap: inout [Rest]) {
        var place = place
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if unsafe heap[child].entry.key.precedes(heap[least].entry.key) { least = child }
            }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }
}
