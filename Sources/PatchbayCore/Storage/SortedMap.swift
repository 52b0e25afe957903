/// Values sorted by keys of bytes, stored in chunks.
///
/// A copy shares its chunks with the original; a change copies one chunk and the list of chunks. This makes a snapshot
/// free and a small write to a shared map cheap.
struct SortedMap: Sendable {
    typealias Bytes = [UInt8]
    private typealias Entry = (key: Bytes, value: Bytes)

    /// No chunk is empty; the chunks and their entries are sorted.
    private var chunks: [[Entry]] = []
    private(set) var count = 0
    private static let chunkEntries = 256

    subscript(key: Bytes) -> Bytes? {
        get {
            let (chunk, offset) = position(of: key)
            guard chunk < chunks.count, offset < chunks[chunk].count else { return nil }
            return chunks[chunk][offset].key == key ? chunks[chunk][offset].value : nil
        }
        set {
            let (chunk, offset) = position(of: key)
            let isPresent =
                chunk < chunks.count && offset < chunks[chunk].count && chunks[chunk][offset].key == key
            switch (newValue, isPresent) {
            case (let value?, true): chunks[chunk][offset].value = value
            case (let value?, false): insert((key, value), chunk, offset)
            case (nil, true): remove(chunk, offset)
            case (nil, false): break
            }
        }
    }

    /// Visits the entries of a range in order.
    func walk(_ range: KeyRange, _ order: Query.Order, _ visit: (Bytes, Bytes) throws -> Step) rethrows {
        guard !range.isEmpty else { return }
        switch order {
        case .ascending:
            var (chunk, offset) = position(of: range.lower)
            while chunk < chunks.count {
                while offset < chunks[chunk].count {
                    let entry = chunks[chunk][offset]
                    if let upper = range.upper, !precedes(entry.key, upper) { return }
                    if case .stop = try visit(entry.key, entry.value) { return }
                    offset += 1
                }
                (chunk, offset) = (chunk + 1, 0)
            }
        case .descending:
            var (chunk, offset) = range.upper.map(position(of:)) ?? (chunks.count, 0)
            while true {
                while offset > 0 {
                    offset -= 1
                    let entry = chunks[chunk][offset]
                    if precedes(entry.key, range.lower) { return }
                    if case .stop = try visit(entry.key, entry.value) { return }
                }
                if chunk == 0 { return }
                chunk -= 1
                offset = chunks[chunk].count
            }
        }
    }

    /// The position of the first key that is not less than `key`, or where it would be inserted.
    private func position(of key: Bytes) -> (chunk: Int, offset: Int) {
        let chunk = partition(chunks.count) { precedes(chunks[$0][chunks[$0].count - 1].key, key) }
        guard chunk < chunks.count else { return (chunk, 0) }
        return (chunk, partition(chunks[chunk].count) { precedes(chunks[chunk][$0].key, key) })
    }

    /// Compares words, because `lexicographicallyPrecedes` takes one byte at a time.
    private func precedes(_ left: Bytes, _ right: Bytes) -> Bool {
        unsafe left.withUnsafeBytes { left in unsafe right.withUnsafeBytes { unsafe left.precedes($0) } }
    }

    /// The first of `count` numbers for which `isBefore` is false; it must be true for all smaller ones.
    private func partition(_ count: Int, _ isBefore: (Int) -> Bool) -> Int {
        var low = 0, high = count
        while low < high {
            let middle = (low + high) / 2
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func insert(_ entry: Entry, _ chunk: Int, _ offset: Int) {
        count += 1
        // After the last key, fill the last chunk, so that ascending inserts leave full chunks.
        if chunk == chunks.count {
            if let last = chunks.indices.last, chunks[last].count < SortedMap.chunkEntries {
                chunks[last].append(entry)
            } else {
                chunks.append([entry])
            }
            return
        }
        chunks[chunk].insert(entry, at: offset)
        guard chunks[chunk].count > SortedMap.chunkEntries else { return }
        let half = chunks[chunk].count / 2
        let upper = Array(chunks[chunk][half...])
        chunks[chunk].removeSubrange(half...)
        chunks.insert(upper, at: chunk + 1)
    }

    private mutating func remove(_ chunk: Int, _ offset: Int) {
        count -= 1
        chunks[chunk].remove(at: offset)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
    }
}
