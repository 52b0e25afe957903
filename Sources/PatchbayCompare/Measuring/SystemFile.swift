import CPlatform

/// Small files in which the system reports its state.
enum SystemFile {
    private static let bytesMax = 1 << 18

    /// The first 256 KiB of a file; nil when it does not exist or cannot be read.
    static func text(_ path: String) -> String? {
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

    /// The number after a word at the start of a line, as in `VmHWM:    1234 kB`.
    static func number(_ word: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") where line.hasPrefix(word) {
            let digits = line.dropFirst(word.count).drop { !$0.isWholeNumber }.prefix { $0.isWholeNumber }
            return Int(digits)
        }
        return nil
    }

    /// Writes a few bytes; false when that is not permitted.
    static func write(_ text: String, to path: String) -> Bool {
        let file = unsafe open(path, O_WRONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        let bytes = Array(text.utf8)
        return unsafe systemWrite(file, bytes, bytes.count) == bytes.count
    }
}

/// `write` of the C library, for types that have a method of that name.
func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(file, bytes, count)
}
