import PatchbayJSON

/// Reads texts after `|` and `>`.
extension YAMLReader {
    /// The characters after the indicator.
    private struct Header {
        var isFolded: Bool
        /// The declared indentation.
        var indentation: Int?
        /// Whether final line breaks are kept (`+`) or removed (`-`); nil keeps one.
        var keepsEnd: Bool?
    }

    mutating func blockScalar(below parent: Int) throws(YAMLError) -> String {
        let header = try blockHeader()
        var parts: [UInt8] = []
        let least = max(parent, -1) + 1
        let declared = header.indentation.map { max(parent, 0) + $0 }
        let indentation = if let declared { declared } else { try detectedIndentation(least) }
        // Line breaks before the next text, and whether the line before them was indented more.
        var breaks = 0, wasMore = false, isFirst = true
        while !isAtEnd, !isAtMarker {
            let start = position
            while position - start < indentation, byte == UInt8(ascii: " ") { position += 1 }
            if isAtBreak {
                guard !isAtEnd else { break }
                breaks += 1
                passBreak()
                continue
            }
            guard position - start == indentation else {
                if byte == UInt8(ascii: "\t"), indentation > position - start, self.indentation >= least {
                    throw fault("a tab is used as indentation; use spaces")
                }
                position = start
                break
            }
            let isMore = Self.isWhite(byte), content = position
            if header.isFolded, !isFirst, !isMore, !wasMore {
                parts +=
                    breaks == 1
                    ? [UInt8(ascii: " ")] : Array(repeating: UInt8(ascii: "\n"), count: breaks - 1)
            } else {
                parts += Array(repeating: UInt8(ascii: "\n"), count: breaks)
            }
            while !isAtBreak { position += 1 }
            parts += bytes[content..<position]
            (wasMore, isFirst, breaks) = (isMore, false, 0)
            guard !isAtEnd else { break }
            passBreak()
            breaks = 1
        }
        switch header.keepsEnd {
        case true?: parts += Array(repeating: UInt8(ascii: "\n"), count: breaks)
        case nil where !isFirst && breaks > 0: parts.append(UInt8(ascii: "\n"))
        default: break
        }
        return String(decoding: parts, as: UTF8.self)
    }

    private mutating func blockHeader() throws(YAMLError) -> Header {
        var header = Header(isFolded: byte == UInt8(ascii: ">"))
        position += 1
        while !isAtBlank {
            switch byte {
            case UInt8(ascii: "+") where header.keepsEnd == nil: header.keepsEnd = true
            case UInt8(ascii: "-") where header.keepsEnd == nil: header.keepsEnd = false
            case UInt8(ascii: "1")...UInt8(ascii: "9") where header.indentation == nil:
                header.indentation = Int(byte - UInt8(ascii: "0"))
            default:
                throw fault("\(text(position - 1..<position + 1)) does not begin a text; put it in quotes")
            }
            position += 1
        }
        let end = position
        skipWhite()
        if byte == UInt8(ascii: "#"), position > end {
            while !isAtBreak { position += 1 }
        }
        guard isAtBreak else { throw fault("text follows \(header.isFolded ? ">" : "|") on the same line") }
        if !isAtEnd { passBreak() }
        return header
    }

    /// The indentation of the first line that is not empty.
    private func detectedIndentation(_ least: Int) throws(YAMLError) -> Int {
        var place = position, start = position, longest = 0, number = line
        while place < bytes.count {
            if bytes[place] == UInt8(ascii: " ") {
                place += 1
            } else if Self.isBreak(bytes[place]) {
                longest = max(longest, place - start)
                place += 1
                number += 1
                start = place
            } else {
                break
            }
        }
        let found = place - start
        guard place < bytes.count, found >= least else { return max(least, longest) }
        guard longest <= found else {
            throw fault("an empty line has more spaces than the text after it", line: number)
        }
        return found
    }
}
