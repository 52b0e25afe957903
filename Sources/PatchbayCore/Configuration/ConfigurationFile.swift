/// A configuration file's text, read line by line.
///
///     # where users are stored
///     storage = sqlite
///     storage.path = "~/my users.sqlite"   # quoted: spaces, # and escapes (\" \\ \n \t)
///
/// A key consists of lower-case letters, digits, dots and hyphens. A value without quotes ends before ` #` or at the
/// end of the line, and keeps its inner spaces.
public struct ConfigurationFile: Sendable {
    /// A key and its value, as written in a line.
    public struct Entry: Sendable, Hashable {
        /// The key, which the file sets only once.
        public let key: String
        /// The value without its quotes and with its escapes replaced; never empty.
        public let value: String
        /// The number of the line, from 1.
        public let line: Int
    }

    /// The path of the file, for messages.
    public let path: String
    /// The readable lines that set a key, in the order of the file.
    public let entries: [Entry]

    /// The maximum size of a file, in bytes.
    public static let bytesMax = 1 << 20

    /// Reading ends after this number of faulty lines.
    public static let faultsMax = 100

    /// - Throws: `invalidConfiguration` with file and line for the first line that cannot be read.
    public init(path: String, bytes: [UInt8]) throws {
        let (file, faults) = ConfigurationFile.reading(path: path, bytes: bytes)
        if let fault = faults.first { throw fault }
        self = file
    }

    /// Returns the readable lines of a file, and an `invalidConfiguration` for each faulty line, in order, up to
    /// ``faultsMax``.
    public static func reading(
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
}

/// The lines of a configuration file, read one after another.
private struct ConfigurationLines {
    private let path: String
    private var rest: ArraySlice<Substring.UnicodeScalarView>
    private var lineOfKey: [String: Int] = [:]

    init(path: String, bytes: [UInt8]) throws(PatchbayError) {
        self.path = path
        guard bytes.count <= ConfigurationFile.bytesMax else {
            throw PatchbayError(
                .invalidConfiguration, "the configuration has \(bytes.count) bytes; the limit is 1 MiB",
                [.file(path), .limit(ConfigurationFile.bytesMax)])
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw PatchbayError(.invalidConfiguration, "the configuration is not UTF-8 text", [.file(path)])
        }
        let withoutMark =
            text.unicodeScalars.first == "\u{FEFF}"
            ? text.unicodeScalars.dropFirst() : text.unicodeScalars[...]
        rest = withoutMark.split(separator: "\n", omittingEmptySubsequences: false)[...]
    }

    /// The next key and value; nil at the end. Faulty lines before it are added to `faults`.
    mutating func next(_ faults: inout [PatchbayError]) -> ConfigurationFile.Entry? {
        while faults.count < ConfigurationFile.faultsMax, let scalars = rest.popFirst() {
            do {
                let line = ConfigurationLine(scalars, path, rest.startIndex)
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

/// One line of a configuration file.
private struct ConfigurationLine {
    private var rest: Substring.UnicodeScalarView
    private let path: String
    private let number: Int

    init(_ scalars: Substring.UnicodeScalarView, _ path: String, _ number: Int) {
        self.rest = scalars.last == "\r" ? scalars.dropLast() : scalars
        self.path = path
        self.number = number
    }

    /// Nil for an empty line or a comment.
    func entry() throws(PatchbayError) -> ConfigurationFile.Entry? {
        var line = self
        line.skipSpaces()
        guard let first = line.rest.first, first != "#" else { return nil }
        let key = String(line.take { isKeyCharacter($0) })
        line.skipSpaces()
        guard !key.isEmpty, line.rest.popFirst() == "=" else {
            throw line.fault("expected \"key = value\" (keys are a-z, 0-9, \".\" and \"-\")")
        }
        line.skipSpaces()
        let value = line.rest.first == "\"" ? try line.quotedValue() : line.plainValue()
        if let bad = value.unicodeScalars.first(where: { $0.value < 0x20 && $0 != "\n" && $0 != "\t" }) {
            throw line.fault("the value of \(key) contains the control character U+\(hex(bad.value))")
        }
        if value.isEmpty { throw line.fault("\(key) has no value; remove the line or set one") }
        return ConfigurationFile.Entry(key: key, value: value, line: number)
    }

    private mutating func plainValue() -> String {
        var value = String.UnicodeScalarView()
        var isAfterSpace = false
        for scalar in rest {
            if scalar == "#", isAfterSpace { break }
            value.append(scalar)
            isAfterSpace = isSpace(scalar)
        }
        while let last = value.last, isSpace(last) { value.removeLast() }
        return String(value)
    }

    private mutating func quotedValue() throws(PatchbayError) -> String {
        rest.removeFirst()
        var value = String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"":
                skipSpaces()
                guard rest.isEmpty || rest.first == "#" else {
                    throw fault("there is text after the closing quote")
                }
                return String(value)
            case "\\":
                guard let escaped = rest.popFirst(), let meant = escapes[escaped] else {
                    throw fault("a backslash must be followed by one of \" \\ n t")
                }
                value.append(meant)
            default: value.append(scalar)
            }
        }
        throw fault("the closing quote is missing")
    }

    private let escapes: [Unicode.Scalar: Unicode.Scalar] = ["\"": "\"", "\\": "\\", "n": "\n", "t": "\t"]

    private mutating func take(while belongs: (Unicode.Scalar) -> Bool) -> Substring.UnicodeScalarView {
        let taken = rest.prefix(while: belongs)
        rest.removeFirst(taken.count)
        return taken
    }

    private mutating func skipSpaces() { _ = take(while: isSpace) }

    private func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }

    private func isKeyCharacter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "." || scalar == "-"
    }

    private func hex(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: 4 - digits.utf8.count) + digits
    }

    private func fault(_ message: String) -> PatchbayError {
        PatchbayError(.invalidConfiguration, message, [.at(.file(path: path, line: number))])
    }
}
