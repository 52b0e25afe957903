import PatchbayJSON

/// Reads scalars without quotes and in quotes.
extension YAMLReader {
    // MARK: Without quotes

    /// Reads a plain scalar, in a block only its first line.
    mutating func plain(in context: Context) throws(YAMLError) -> Node {
        guard mayBeginPlain(in: context) else {
            let character = String(decoding: bytes[position...].prefix(1), as: UTF8.self)
            throw Self.isWhite(byte) || isAtEnd
                ? fault("a value is missing")
                : fault("a value cannot begin with \(character); put the text in quotes")
        }
        let first = text(plainLine(in: context))
        guard context == .flow else { return YAMLScalar.node(first) }
        var parts = [UInt8](first.utf8)
        while let breaks = try foldedBreaks(in: .flow, below: -1) {
            parts += breaks
            parts += bytes[plainLine(in: .flow)]
        }
        return YAMLScalar.node(String(decoding: parts, as: UTF8.self))
    }

    /// Reads the further lines of a plain scalar in a block.
    mutating func plain(after first: Node, below parent: Int) throws(YAMLError) -> Node {
        guard let text = first.text else { return first }
        var parts: [UInt8] = []
        while let breaks = try foldedBreaks(in: .block, below: parent) {
            if parts.isEmpty { parts = Array(text.utf8) }
            parts += breaks
            parts += bytes[plainLine(in: .block)]
        }
        return parts.isEmpty ? first : YAMLScalar.node(String(decoding: parts, as: UTF8.self))
    }

    private func mayBeginPlain(in context: Context) -> Bool {
        guard !isAtBlank else { return false }
        if "-?:".utf8.contains(byte) {
            let next = position + 1
            return !isBlank(next) && !(context == .flow && isFlowIndicator(at(next)))
        }
        return !",[]{}#&*!|>'\"%@`".utf8.contains(byte)
    }

    /// Passes the rest of a line of a plain scalar, without white space at its end.
    private mutating func plainLine(in context: Context) -> Range<Int> {
        let start = position
        var end = position
        while !isAtBreak {
            if byte == UInt8(ascii: ":") {
                let next = position + 1
                if isBlank(next) || context == .flow && isFlowIndicator(at(next)) { break }
            } else if byte == UInt8(ascii: "#"), position > start, Self.isWhite(bytes[position - 1]) {
                break
            } else if context == .flow, isFlowIndicator(byte) {
                break
            }
            position += 1
            if !Self.isWhite(bytes[position - 1]) { end = position }
        }
        position = end
        return start..<end
    }

    /// Moves to the next line of a plain scalar and returns what its line breaks become; nil at the scalar's end.
    private mutating func foldedBreaks(in context: Context, below parent: Int) throws(YAMLError) -> [UInt8]? {
        let mark = (position, line, lineStart)
        var count = 0
        skipWhite()
        while !isAtEnd, Self.isBreak(byte) {
            passBreak()
            count += 1
            skipWhite()
        }
        let isMarker = column == 0 && isAtMarker
        let isContinued =
            count > 0 && !isAtEnd && !isMarker && byte != UInt8(ascii: "#")
            && (context == .flow || indentation > parent)
            && !(context == .flow && (isFlowIndicator(byte) || isIndicator(":") || isIndicator("?")))
        guard isContinued else {
            (position, line, lineStart) = mark
            return nil
        }
        if context == .block {
            let place = position
            _ = plainLine(in: .block)
            skipWhite()
            if isIndicator(":") {
                throw fault(
                    hasTab(beforeLine: place)
                        ? "a tab is used as indentation; use spaces"
                        : "a key is indented more than the value before it; correct the indentation")
            }
            position = place
        }
        return count == 1 ? [UInt8(ascii: " ")] : Array(repeating: UInt8(ascii: "\n"), count: count - 1)
    }

    private func hasTab(beforeLine place: Int) -> Bool {
        bytes[lineStart..<place].contains(UInt8(ascii: "\t"))
    }

    // MARK: In quotes

    mutating func singleQuoted() throws(YAMLError) -> String {
        let first = line
        var parts: [UInt8] = []
        position += 1
        while true {
            if isAtBreak {
                try fold(&parts, keeping: 0, first)
            } else if byte == UInt8(ascii: "'") {
                position += 1
                guard byte == UInt8(ascii: "'") else { break }
                parts.append(byte)
                position += 1
            } else {
                parts.append(byte)
                position += 1
            }
        }
        return String(decoding: parts, as: UTF8.self)
    }

    mutating func doubleQuoted() throws(YAMLError) -> String {
        let first = line
        var parts: [UInt8] = [], kept = 0
        position += 1
        while byte != UInt8(ascii: "\"") {
            if isAtBreak {
                try fold(&parts, keeping: kept, first)
            } else if byte == UInt8(ascii: "\\") {
                position += 1
                if isAtBreak, !isAtEnd {
                    passBreak()
                    try skipBlankLines(&parts, first)
                } else {
                    try escape(&parts)
                }
                kept = parts.count
            } else {
                parts.append(byte)
                position += 1
            }
        }
        position += 1
        return String(decoding: parts, as: UTF8.self)
    }

    /// Passes the line breaks inside quotes: one becomes a space, further ones stay. White space around them goes,
    /// except what an escape wrote.
    private mutating func fold(_ parts: inout [UInt8], keeping kept: Int, _ first: Int) throws(YAMLError) {
        while parts.count > kept, Self.isWhite(parts[parts.count - 1]) { parts.removeLast() }
        guard !isAtEnd else { throw fault("a text in quotes is not closed", line: first) }
        passBreak()
        let length = parts.count
        try skipBlankLines(&parts, first)
        if parts.count == length { parts.append(UInt8(ascii: " ")) }
    }

    /// Passes empty lines and the indentation after them, and adds a line break for each.
    private mutating func skipBlankLines(_ parts: inout [UInt8], _ first: Int) throws(YAMLError) {
        while true {
            guard !isAtMarker else { throw fault("a text in quotes is not closed", line: first) }
            skipWhite()
            guard !isAtEnd, Self.isBreak(byte) else { return }
            passBreak()
            parts.append(UInt8(ascii: "\n"))
        }
    }

    private static let escapes: [UInt8: Unicode.Scalar] = [
        UInt8(ascii: "0"): "\0", UInt8(ascii: "a"): "\u{7}", UInt8(ascii: "b"): "\u{8}",
        UInt8(ascii: "t"): "\t", UInt8(ascii: "\t"): "\t", UInt8(ascii: "n"): "\n",
        UInt8(ascii: "v"): "\u{B}", UInt8(ascii: "f"): "\u{C}", UInt8(ascii: "r"): "\r",
        UInt8(ascii: "e"): "\u{1B}", UInt8(ascii: " "): " ", UInt8(ascii: "\""): "\"",
        UInt8(ascii: "/"): "/", UInt8(ascii: "\\"): "\\", UInt8(ascii: "N"): "\u{85}",
        UInt8(ascii: "_"): "\u{A0}", UInt8(ascii: "L"): "\u{2028}", UInt8(ascii: "P"): "\u{2029}",
    ]

    private mutating func escape(_ parts: inout [UInt8]) throws(YAMLError) {
        let kind = byte
        position += 1
        if let scalar = Self.escapes[kind] {
            parts += UTF8.encode(scalar).map(Array.init) ?? []
            return
        }
        let digits = [UInt8(ascii: "x"): 2, UInt8(ascii: "u"): 4, UInt8(ascii: "U"): 8][kind]
        guard let digits, var code = hexadecimal(digits) else {
            throw fault("a text in double quotes has an unknown escape; write \\\\ for a backslash")
        }
        // JSON writes characters beyond 16 bits as two escapes.
        if (0xD800...0xDBFF).contains(code), byte == UInt8(ascii: "\\"), at(position + 1) == UInt8(ascii: "u")
        {
            position += 2
            let second = hexadecimal(4) ?? 0
            code =
                (0xDC00...0xDFFF).contains(second)
                ? 0x10000 + (code - 0xD800) << 10 + (second - 0xDC00) : code
        }
        guard let scalar = Unicode.Scalar(code) else { throw fault("an escape names no character") }
        parts += UTF8.encode(scalar).map(Array.init) ?? []
    }

    private mutating func hexadecimal(_ count: Int) -> UInt32? {
        guard position + count <= bytes.count else { return nil }
        let digits = text(position..<position + count)
        guard digits.utf8.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else { return nil }
        position += count
        return UInt32(digits, radix: 16)
    }
}
