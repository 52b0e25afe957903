import PatchbayCore
import PatchbayJSON

/// Reads YAML 1.2 as the tree that the same JSON would give.
///
/// Scalars have the types of the core schema, so that `NO` is a text. A key is the text as it is written: `200` and
/// `"200"` are the same key. Aliases share the value that they name, tags of an application are ignored, and `<<`
/// merges mappings as in YAML 1.1, because published documents use it.
///
/// Refused, with the line: two equal keys in one mapping, a key that is a list or a mapping, tabs as indentation,
/// several documents, more than ``depthMax`` levels, and more than ``valuesMax`` values, where an alias counts as all
/// values that it stands for. Time and memory are proportional to the text.
struct YAMLReader {
    /// The maximum depth of nested values, as for JSON.
    static let depthMax = 256
    /// The maximum number of values.
    static let valuesMax = 4_000_000

    let bytes: [UInt8]
    var position = 0
    /// The number of the line, from 1, and the place of its first byte.
    var line = 1, lineStart = 0
    var depth = 0
    private var anchors: [String: Node] = [:]
    private var openAnchors: Set<String> = []

    /// A value with what its parents need to know.
    struct Node {
        var value: JSONValue
        /// The text of a scalar, which names a member if the scalar is a key.
        var text: String?
        /// The number of values, with those that aliases stand for.
        var count = 1
        /// Whether this is a scalar without quotes.
        var isPlain = false

        static let empty = Node(value: .null, text: "", isPlain: true)
    }

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The only document of a text.
    static func value(_ text: [UInt8]) throws(YAMLError) -> JSONValue {
        var reader = YAMLReader(text)
        do { _ = try UTF8Span(validating: text.span) } catch {
            throw YAMLError(line: 1, problem: "the text is not UTF-8")
        }
        return try reader.document()
    }

    // MARK: Documents

    private mutating func document() throws(YAMLError) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { (position, lineStart) = (3, 3) }
        try skipDirectives()
        let place: Place = isAtMarker ? passMarker() : .line
        let root = try node(below: -1, place)
        skipToContent()
        while isAtMarker {
            let isStart = byte == UInt8(ascii: "-"), first = line
            _ = passMarker()
            skipToContent()
            guard isAtEnd || isAtMarker, !isStart else {
                throw fault("a second document begins; keep one document in the file", line: first)
            }
        }
        guard isAtEnd else { throw misplaced() }
        return root.value
    }

    private mutating func passMarker() -> Place {
        position += 3
        return .value
    }

    private mutating func skipDirectives() throws(YAMLError) {
        var hasDirective = false
        skipToContent()
        while byte == UInt8(ascii: "%"), column == 0 {
            hasDirective = true
            let start = position
            while !isAtBreak { position += 1 }
            let words = text(start..<position).split { $0 == " " || $0 == "\t" }
            if words[0] == "%YAML", words.count < 2 || !words[1].hasPrefix("1.") {
                throw fault("the version of YAML is not 1")
            }
            skipToContent()
        }
        guard !hasDirective || isAtMarker else { throw fault("--- is missing after the directives") }
    }

    // MARK: Anchors

    /// Marks an anchor as being read, so that an alias inside its own value can be named.
    mutating func open(_ anchor: String?) {
        if let anchor { _ = openAnchors.insert(anchor) }
    }

    mutating func close(_ anchor: String?, _ node: Node) {
        guard let anchor else { return }
        openAnchors.remove(anchor)
        anchors[anchor] = node
    }

    mutating func alias() throws(YAMLError) -> Node {
        position += 1
        let name = anchorName()
        guard !name.isEmpty else { throw fault("* is not followed by a name; put the text in quotes") }
        guard !openAnchors.contains(name) else { throw fault("*\(name) is inside the value that it names") }
        guard let node = anchors[name] else { throw fault("no &\(name) comes before *\(name)") }
        return node
    }

    /// The characters of a name, up to white space or an indicator of a flow collection.
    mutating func anchorName() -> String {
        let start = position
        while !isAtBlank, !isFlowIndicator(byte) { position += 1 }
        return text(start..<position)
    }

    // MARK: Errors

    func fault(_ problem: String, line: Int? = nil) -> YAMLError {
        YAMLError(line: line ?? self.line, problem: problem)
    }

    /// The error for text that no value can begin or continue with.
    func misplaced() -> YAMLError {
        if hasTab { return fault("a tab is used as indentation; use spaces") }
        if !startsLine { return fault("text follows a value on the same line; put the value in quotes") }
        return fault("the indentation fits no value before this line")
    }
}

// MARK: - Movement

extension YAMLReader {
    /// The next byte; 0 at the end.
    var byte: UInt8 { at(position) }

    func at(_ place: Int) -> UInt8 { place < bytes.count ? bytes[place] : 0 }

    var isAtEnd: Bool { position >= bytes.count }

    var column: Int { position - lineStart }

    static func isBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    static func isWhite(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

    /// Whether a line ends here.
    var isAtBreak: Bool { isAtEnd || Self.isBreak(bytes[position]) }

    var isAtBlank: Bool { isBlank(position) }

    /// Whether white space, a line break or the end is at a place.
    func isBlank(_ place: Int) -> Bool {
        place >= bytes.count || Self.isWhite(bytes[place]) || Self.isBreak(bytes[place])
    }

    func isFlowIndicator(_ byte: UInt8) -> Bool { ",[]{}".utf8.contains(byte) }

    /// Whether an indicator and white space come next: `- `.
    func isIndicator(_ character: Unicode.Scalar) -> Bool {
        byte == UInt8(ascii: character) && isBlank(position + 1)
    }

    /// Whether the line begins with `---` or `...` here.
    var isAtMarker: Bool {
        guard position == lineStart, isBlank(position + 3), !isAtEnd else { return false }
        let mark = bytes[position]
        return (mark == UInt8(ascii: "-") || mark == UInt8(ascii: ".")) && at(position + 1) == mark
            && at(position + 2) == mark
    }

    /// Whether only white space comes before this place in its line.
    var startsLine: Bool {
        var place = position
        while place > lineStart, Self.isWhite(bytes[place - 1]) { place -= 1 }
        return place == lineStart
    }

    /// Whether a tab comes before this place in its line, so that its column is not known.
    var hasTab: Bool { bytes[lineStart..<min(position, bytes.count)].contains(UInt8(ascii: "\t")) }

    mutating func skipWhite() {
        while Self.isWhite(byte) { position += 1 }
    }

    /// Consumes a line break.
    mutating func passBreak() {
        position += byte == UInt8(ascii: "\r") && at(position + 1) == UInt8(ascii: "\n") ? 2 : 1
        line += 1
        lineStart = position
    }

    /// Moves to the next text that is not white space or a comment.
    mutating func skipToContent() {
        while !isAtEnd {
            skipWhite()
            if byte == UInt8(ascii: "#"), position == lineStart || Self.isWhite(bytes[position - 1]) {
                while !isAtBreak { position += 1 }
            }
            guard !isAtEnd, Self.isBreak(bytes[position]) else { return }
            passBreak()
        }
    }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}

/// Why a text could not be read as YAML.
package struct YAMLError: Error, Equatable {
    /// The line, from 1.
    package let line: Int
    /// What is wrong in that line, as the end of a sentence.
    package let problem: String
}

extension YAMLError: CustomStringConvertible {
    package var description: String { "line \(line): \(problem)" }
}

extension JSONValue {
    /// Reads a file as JSON or, if it does not look like JSON or is named so, as YAML.
    ///
    /// - Parameter name: the file in messages.
    /// - Throws: `invalidValue` for a text that is neither.
    init(jsonOrYAML text: [UInt8], name: String) throws(PatchbayError) {
        let jsonError: JSONError
        do throws(JSONError) {
            self = try JSONValue(Array(text.dropFirst(JSONPreamble.length(in: text))))
            return
        } catch {
            jsonError = error
        }
        let isNamed = [".yaml", ".yml"].contains { name.lowercased().replacing("\"", with: "").hasSuffix($0) }
        let first = text.first { !YAMLReader.isWhite($0) && !YAMLReader.isBreak($0) }
        let isLikeJSON = first.map { "{[\"<".utf8.contains($0) } ?? true
        if isNamed || !isLikeJSON {
            do throws(YAMLError) {
                let value = try YAMLReader.value(text)
                // Any text without a colon is a scalar of YAML.
                if value.isObject || isNamed || !value.elements.isEmpty {
                    self = value
                    return
                }
            } catch {
                throw PatchbayError(.invalidValue, "\(name) cannot be read as YAML: \(error)")
            }
        }
        throw PatchbayError(
            .invalidValue, "\(name) is not JSON: \(jsonError); save an answer of the API unchanged")
    }
}
