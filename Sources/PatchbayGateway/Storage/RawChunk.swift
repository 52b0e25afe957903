import PatchbayDomain
import PatchbayJSON

/// Rows that are decoded together: a JSON array of them, or one answer that contains them.
struct RawChunk {
    /// Small enough for the processor's cache.
    private static let bytesMax = 256 << 10, rowsMax = 5_000

    private(set) var bytes: [UInt8] = []
    /// Where each row ends in `bytes`; `places` has its place in the file.
    private var ends: [Int] = []
    private(set) var places: [RawPlace] = []
    private(set) var rows = JSONPath.whole
    /// The number of the first row among all rows, from 0.
    private(set) var first = 0

    private var isArray: Bool { rows.steps.isEmpty }

    var isFull: Bool {
        !isArray || bytes.count >= Self.bytesMax || places.count >= Self.rowsMax
    }

    mutating func append(_ row: borrowing RawRows) {
        if places.isEmpty { (rows, first) = (row.rowsInValue, row.count - 1) }
        if isArray { bytes.append(UInt8(ascii: places.isEmpty ? "[" : ",")) }
        bytes.append(row.value)
        ends.append(bytes.count)
        places.append(row.valuePlace)
    }

    /// Ends the array.
    mutating func close() {
        if isArray { bytes.append(UInt8(ascii: "]")) }
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
    }

    /// One row as an array, or the answer.
    func row(_ number: Int) -> [UInt8] {
        guard isArray else { return bytes }
        let start = number == 0 ? 0 : ends[number - 1]
        return [UInt8(ascii: "[")] + bytes[(start + 1)..<ends[number]] + [UInt8(ascii: "]")]
    }
}
