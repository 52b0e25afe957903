/// A configuration file's text, read line by line.
///
///     # where users are stored
///     storage = sqlite
///     storage.path = "~/my users.sqlite"   # quoted: spaces, # and escapes (\" \\ \n \t)
///
/// A key consists of lower-case letters, digits, dots and hyphens. A value without quotes ends before ` #` or at the
/// end of the line, and keeps its inner spaces.
package struct ConfigurationFile: Sendable {
    /// A key and its value, as written in a line.
    package struct Entry: Sendable, Hashable {
        /// The key, which the file sets only once.
        package let key: String
        /// The value without its quotes and with its escapes replaced; never empty.
        package let value: String
        /// The number of the line, from 1.
        package let line: Int
    }

    /// The path of the file, for messages.
    package let path: String
    /// The readable lines that set a key, in the order of the file.
    package let entries: [Entry]

    /// The maximum size of a file, in bytes.
    package static let bytesMax = 1 << 20

    /// Reading ends after this number of faulty lines.
    package static let faultsMax = 100

    /// - Throws: `invalidConfiguration` with file and line for the first line that cannot be read.
    package init(path: String, bytes: [UInt8]) throws {
        let (file, faults) = ConfigurationFile.reading(path: path, bytes: bytes)
        if let fault = faults.first { throw fault }
        self = file
    }

    /// Returns the readable lines of a file, and an `invalidConfiguration` for each faulty line, in order, up to
    /// ``faultsMax``.
    package static func reading(
        path: String, bytes: [UInt8]
    ) -> (file: ConfigurationFile, faults: [PatchbayError]) {
        var entries: [Entry] = [], faults: [PatchbayError] = []
        do {
            var lines = try ConfigurationLines(path: path, bytes: bytes)
            while let entry = lines.next(&faults) { entries.append(entry) }
        } catch {
            faults.append(error)
        }
        return (ConfigurationFile(path: path, entries: entries), faults)
    }

    private init(path: String, entries: [Entry]) {
        self.path = path
        self.entries = entries
    }

    /// Returns the value of a key in a file that is known to have no faults, without reading the lines after it. Nil
    /// when no line begins with the key.
    package static func value(of key: String, in bytes: [UInt8]) -> String? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let line = rest.prefix { $0 != UInt8(ascii: "\n") }
            rest = rest[line.endIndex...].dropFirst()
            guard line.starts(with: key.utf8) else { continue }
            // A fault is reported when the whole file is read.
            let entry = try? ConfigurationLine(line, "", 0).entry()
            if let entry, entry.key == key { return entry.value }
        }
        return nil
    }
}

/// The lines of a configuration file, read one after another.
private struct ConfigurationLines {
    private let path: String
    private var rest: ArraySlice<ArraySlice<UInt8>>
    private var lineOfKey: [String: Int] = [:]

    init(path: String, bytes: [UInt8]) throws(PatchbayError) {
        self.path = path
        guard bytes.count <= ConfigurationFile.bytesMax else {
            throw PatchbayError(
                .invalidConfiguration, "the configuration has \(bytes.count) bytes; the limit is 1 MiB",
                [.file(path), .limit(ConfigurationFile.bytesMax)])
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw PatchbayError(.invalidConfiguration, "the configuration is not UTF-8 text", [.file(path)])
        }
        let lines = bytes.dropFirst(bytes.starts(with: "\u{FEFF}".utf8) ? 3 : 0)
        rest = lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
    }

    /// The next key and value; nil at the end. Faulty lines before it are added to `faults`.
    mutating func next(_ faults: inout [PatchbayError]) -> ConfigurationFile.Entry? {
        while faults.count < ConfigurationFile.faultsMax, let bytes = rest.popFirst() {
            do {
                let line = ConfigurationLine(bytes, path, rest.startIndex)
                guard let entry = try line.entry() else { continue }
                try note(entry)
                return entry
            } catch {
                faults.append(error)
            }
        }
        return nil
    }

    private mutating func note(_ entry: ConfigurationFile.Entry) throws(PatchbayError) {
        if let first = lineOfKey[entry.key] {
            throw PatchbayError(
                .invalidConfiguration,
                "\(entry.key) is set twice: in line \(first) and again here; remove one",
                [.at(.file(path: path, line: entry.line))])
        }
        lineOfKey[entry.key] = entry.line
    }
}

/// One line of a configuration file. It is read byte by byte, because the bytes with a meaning are ASCII, and every
/// start reads the lines of a definition.
private struct ConfigurationLine {
    private var rest: ArraySlice<UInt8>
    private let path: String
    private let number: Int

    init(_ bytes: ArraySlice<UInt8>, _ path: String, _ number: Int) {
        self.rest = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
        self.path = path
        self.number = number
    }

    /// Nil for an empty line or a comment.
    func entry() throws(PatchbayError) -> ConfigurationFile.Entry? {
        var line = self
        line.skipSpaces()
        guard let first = line.rest.first, first != UInt8(ascii: "#") else { return nil }
        let key = String(decoding: line.take { isOfKey($0) }, as: UTF8.self)
        if line.rest.first?.isASCIIUppercase == true {
            // The word is not repeated, because it may be a secret.
            throw line.fault("expected \"key = value\", with the key in lower case")
        }
        if line.rest.first == UInt8(ascii: "_") {
            throw line.fault("expected \"key = value\", with hyphens in the key in place of underscores")
        }
        line.skipSpaces()
        guard !key.isEmpty, line.rest.popFirst() == UInt8(ascii: "=") else {
            throw line.fault("expected \"key = value\" (keys are a-z, 0-9, \".\" and \"-\")")
        }
        line.skipSpaces()
        let value = line.rest.first == UInt8(ascii: "\"") ? try line.quotedValue() : line.plainValue()
        if let bad = value.utf8.first(where: { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 }) {
            throw line.fault("the value of \(key) contains the control character U+\(hex(bad))")
        }
        if value.isEmpty { throw line.fault("\(key) has no value; remove the line or set one") }
        return ConfigurationFile.Entry(key: key, value: value, line: number)
    }

    private func plainValue() -> String {
        var end = rest.startIndex, isAfterSpace = false
        for place in rest.indices {
            if rest[place] == UInt8(ascii: "#"), isAfterSpace { break }
            isAfterSpace = isSpace(rest[place])
            if !isAfterSpace { end = place + 1 }
        }
        return String(decoding: rest[..<end], as: UTF8.self)
    }

    private mutating func quotedValue() throws(PatchbayError) -> String {
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                skipSpaces()
                guard rest.isEmpty || rest.first == UInt8(ascii: "#") else {
                    throw fault("there is text after the closing quote")
                }
                return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"): value.append(try escaped())
            default: value.append(byte)
            }
        }
        throw fault("the closing quote is missing")
    }

    private mutating func escaped() throws(PatchbayError) -> UInt8 {
        switch rest.popFirst() {
        case UInt8(ascii: "\""): return UInt8(ascii: "\"")
        case UInt8(ascii: "\\"): return UInt8(ascii: "\\")
        case UInt8(ascii: "n"): return UInt8(ascii: "\n")
        case UInt8(ascii: "t"): return UInt8(ascii: "\t")
        default: throw fault("a backslash must be followed by one of \" \\ n t")
        }
    }

    private mutating func take(while belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: belongs)
        rest = rest[taken.endIndex...]
        return taken
    }

    private mutating func skipSpaces() { _ = take(while: isSpace) }

    private func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    private func isOfKey(_ byte: UInt8) -> Bool {
        byte.isASCIILowercase || byte.isASCIIDigit || ".-".utf8.contains(byte)
    }

    private func hex(_ value: UInt8) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }

    private func fault(_ message: String) -> PatchbayError {
        PatchbayError(.invalidConfiguration, message, [.at(.file(path: path, line: number))])
    }
}

/// Recognizes text that is not UTF-8, for error messages.
package enum TextEncoding {
    /// Whether text is UTF-16 according to its byte order mark, or to a zero byte in one of its first two letters.
    package static func isUTF16(_ bytes: some Swift.Collection<UInt8>) -> Bool {
        let start = Array(bytes.prefix(2))
        guard start.count == 2 else { return false }
        return start == [0xFF, 0xFE] || start == [0xFE, 0xFF] || (start[0] == 0) != (start[1] == 0)
    }
}
