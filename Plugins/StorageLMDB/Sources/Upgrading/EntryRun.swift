import PatchbayCore

/// Index entries in memory, to be sorted before they are written, because LMDB writes sorted entries much faster.
struct EntryRun {
    /// An entry without its key; the beginning of the key decides most comparisons.
    private struct Place {
        let start: UInt64
        let offset: Int
        let count, ownBytes: UInt16
        let mayRepeat: Bool
    }

    private var keys: [UInt8] = []
    private var places: [Place] = []

    /// The memory that the entries take.
    var bytes: Int { keys.count + places.count * MemoryLayout<Place>.stride }

    /// - Parameters:
    ///   - entry: the complete entry, which ends with the primary key.
    ///   - ownBytes: the number of bytes before the primary key.
    ///   - mayRepeat: whether another entry may have the same own bytes, as one with a null may.
    mutating func add(_ entry: [UInt8], ownBytes: Int, mayRepeat: Bool) {
        let start = (0..<8).reduce(0) { $0 << 8 | ($1 < entry.count ? UInt64(entry[$1]) : 0) }
        places.append(
            Place(
                start: start, offset: keys.count, count: UInt16(entry.count), ownBytes: UInt16(ownBytes),
                mayRepeat: mayRepeat))
        keys.append(contentsOf: entry)
    }

    /// Removes the entries, and visits them in order.
    mutating func removeAll(
        _ visit: (_ own: UnsafeRawBufferPointer, _ key: UnsafeRawBufferPointer, _ mayRepeat: Bool) throws ->
            Void
    ) rethrows {
        var sorted: [Place] = []
        swap(&sorted, &places)
        defer { keys.removeAll(keepingCapacity: true) }
        try unsafe keys.withUnsafeBytes { keys in
            func key(_ place: Place) -> UnsafeRawBufferPointer {
                unsafe keys.part(place.offset..<place.offset + Int(place.count))
            }
            sorted.sort { left, right in
                left.start == right.start
                    ? unsafe key(left).precedes(key(right)) : left.start < right.start
            }
            for place in sorted {
                let key = unsafe key(place)
                try unsafe visit(key.part(0..<Int(place.ownBytes)), key, place.mayRepeat)
            }
        }
    }
}
