import CPlatform

/// Small files in which the system reports its state.
package enum SystemFile {
    private static let bytesMax = 1 << 18

    /// The first 256 KiB of a file; nil when it does not exist or cannot be read.
    package static func text(_ path: String) -> String? {
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16_384)
        while text.count < bytesMax {
            // The array has room for as many bytes as are requested.
            let count = unsafe read(file, &part, part.count)
            if count < 0 { return nil }
            if count == 0 { break }
            text += part[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The value in the line of a name, without surrounding white space and quotes: `1234 kB` in `VmHWM:    1234 kB`.
    package static func value(
        _ name: String, in text: String, separator: Character = ":"
    ) -> String? {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: separator, maxSplits: 1).map(trimmed)
            if parts.count == 2, parts[0] == name { return parts[1] }
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> String {
        let isEdge: (Character) -> Bool = { $0.isWhitespace || $0 == "\"" }
        return String(text.drop(while: isEdge).reversed().drop(while: isEdge).reversed())
    }

    /// The number at the start of such a value.
    package static func number(_ name: String, in text: String) -> Int? {
        value(name, in: text).flatMap { Int($0.prefix { $0.isWholeNumber }) }
    }

    /// Writes a few bytes; false when that is not permitted.
    package static func write(_ text: String, to path: String) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        let bytes = Array(text.utf8)
        return unsafe CPlatform.write(file, bytes, bytes.count) == bytes.count
    }
}
