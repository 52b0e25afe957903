/// A dump of bytes with one piece per line: offset, bytes, meaning.
struct HexDump {
    private static let columns = 12

    private let bytes: [UInt8]
    private(set) var place = 0
    private(set) var lines: [String] = []

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { place == bytes.count }

    var text: String { lines.joined(separator: "\n") }

    /// Adds the next bytes and their meaning.
    mutating func take(_ count: Int, _ meaning: (ArraySlice<UInt8>) -> String) {
        let taken = bytes[place..<(place + count)]
        var words = meaning(taken)
        for start in stride(from: taken.startIndex, to: taken.endIndex, by: HexDump.columns) {
            let row = taken[start..<min(start + HexDump.columns, taken.endIndex)]
            add(start, row.map(HexDump.hex).joined(separator: " "), words)
            words = ""
        }
        place += count
    }

    /// Adds the next little-endian number and its meaning, and returns it.
    @discardableResult
    mutating func takeNumber(_ count: Int, _ meaning: (Int) -> String) -> Int {
        let value = bytes[place..<(place + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
        take(count) { _ in meaning(value) }
        return value
    }

    /// Skips the next bytes without showing them.
    mutating func skip(_ count: Int, _ meaning: String) {
        add(place, "...", meaning)
        place += count
    }

    private mutating func add(_ start: Int, _ bytes: String, _ meaning: String) {
        let width = HexDump.columns * 3
        let filled = bytes + String(repeating: " ", count: max(0, width - bytes.utf8.count))
        let place = String(start, radix: 16)
        let line =
            String(repeating: "0", count: max(0, 4 - place.utf8.count)) + place + "  " + filled + " "
            + meaning
        lines.append(String(line.reversed().drop { $0 == " " }.reversed()))
    }

    static func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }
}
