import PatchbayCore

/// Recognizes secrets by their shape or by the name before them.
enum SecretShape {
    /// The bytes with which a match of ``secret(in:at:_:)`` may start.
    static let starts = Array("gxebBaA?&#%:\\\"".utf8)

    /// Returns the secret that starts at `index` or whose name starts there.
    ///
    /// - Parameter stops: the state of earlier calls for the same bytes; indexes must increase from call to call.
    static func secret(in bytes: [UInt8], at index: Int, _ stops: inout SecretStops) -> Range<Int>? {
        switch bytes[index] {
        case UInt8(ascii: "g"), UInt8(ascii: "x"): token(in: bytes, at: index)
        case UInt8(ascii: "A"), UInt8(ascii: "a"):
            accessKey(in: bytes, at: index) ?? authorization(in: bytes, at: index)
        case UInt8(ascii: ":"): password(in: bytes, at: index)
        case UInt8(ascii: "%"): escaped(in: bytes, at: index)
        case UInt8(ascii: "e"): webToken(in: bytes, at: index, &stops)
        case UInt8(ascii: "b"), UInt8(ascii: "B"): credentials(in: bytes, at: index, &stops)
        case UInt8(ascii: "?"), UInt8(ascii: "&"), UInt8(ascii: "#"): parameter(in: bytes, at: index + 1)
        case UInt8(ascii: "\\"):
            // Some JSON writers escape an ampersand in this way.
            bytes[index...].starts(with: "\\u0026".utf8)
                ? parameter(in: bytes, at: index + 6) : escaped(in: bytes, at: index)
        default: member(in: bytes, at: index)
        }
    }

    /// Returns the value of the query item or form parameter that starts at `index` if its name, which may be encoded,
    /// marks it as secret.
    static func parameter(in bytes: [UInt8], at index: Int) -> Range<Int>? {
        let nameEnd = end(of: bytes, from: index, atMost: 3 * SecretNames.bytesMax) {
            isNameByte($0) || $0 == UInt8(ascii: "%")
        }
        guard nameEnd > index, nameEnd < bytes.count, bytes[nameEnd] == UInt8(ascii: "="),
            case let name = String(decoding: bytes[index..<nameEnd], as: UTF8.self),
            SecretNames.isSecret(parameter: PercentEncoding.decoded(name))
        else { return nil }
        return range(nameEnd + 1, end(of: bytes, from: nameEnd + 1) { !isEndOfParameter($0) })
    }
}

extension SecretShape {
    /// Whether this is exactly one JSON Web Token.
    static func isWebToken(_ bytes: ArraySlice<UInt8>) -> Bool {
        let bytes = Array(bytes)
        var stops = SecretStops()
        return webToken(in: bytes, at: 0, &stops) == bytes.indices
    }

    private static let prefixes = [
        "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxa-", "xoxb-", "xoxc-", "xoxd-",
        "xoxe-", "xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-",
    ].map { Array($0.utf8) }

    private static let accessKeyPrefixes = ["AKIA", "ASIA"].map { Array($0.utf8) }

    /// The second bytes of all prefixes, and the bytes with which an escape starts.
    private static let seconds = Array("hilao\\%".utf8)

    /// A token of GitHub, GitLab or Slack, with or without escapes in it.
    private static func token(in bytes: [UInt8], at index: Int) -> Range<Int>? {
        // Most words that start like this are not tokens, and this is the innermost loop of a search.
        let second = SpelledByte(in: bytes, at: index).end
        guard second < bytes.count, seconds.contains(bytes[second]) else { return nil }
        for prefix in prefixes {
            guard let start = SpelledByte.end(of: prefix, in: bytes, at: index) else { continue }
            let (end, count) = run(in: bytes, from: start, while: isTokenByte)
            return count >= 10 ? index..<end : nil
        }
        return nil
    }

    /// A token whose first byte is escaped.
    private static func escaped(in bytes: [UInt8], at index: Int) -> Range<Int>? {
        switch SpelledByte(escapedIn: bytes, at: index)?.value {
        case UInt8(ascii: "g"), UInt8(ascii: "x"): token(in: bytes, at: index)
        case UInt8(ascii: "A"): accessKey(in: bytes, at: index)
        default: nil
        }
    }

    /// The identifier of an access key of AWS: `AKIA` or `ASIA` and 16 capitals or digits.
    private static func accessKey(in bytes: [UInt8], at index: Int) -> Range<Int>? {
        for prefix in accessKeyPrefixes {
            guard let start = SpelledByte.end(of: prefix, in: bytes, at: index) else { continue }
            let (end, count) = run(in: bytes, from: start, atMost: 17) {
                $0.isASCIIDigit || $0.isASCIIUppercase
            }
            let isBegun = index > 0 && (bytes[index - 1].isASCIIDigit || bytes[index - 1].isASCIIUppercase)
            return count == 16 && !isBegun ? index..<end : nil
        }
        return nil
    }

    /// The text after `Authorization: Bearer`, `Basic` or `token`, in any shape.
    private static func authorization(in bytes: [UInt8], at index: Int) -> Range<Int>? {
        guard begins(bytes, at: index, "authorization") else { return nil }
        func isBetween(_ byte: UInt8) -> Bool { isSpace(byte) || "\\\"':=".utf8.contains(byte) }
        let scheme = end(of: bytes, from: index + 13, atMost: 8, while: isBetween)
        guard scheme > index + 13,
            let word = ["bearer", "basic", "token"].first(where: { begins(bytes, at: scheme, $0) })
        else { return nil }
        let space = scheme + word.utf8.count
        let start = end(of: bytes, from: space, atMost: 2, while: isSpace)
        let end = end(of: bytes, from: start) { isTokenByte($0) || "~+/=".utf8.contains($0) }
        return start > space && end - start >= 8 ? start..<end : nil
    }

    /// The password of an address, `https://name:password@host`, where `index` is the colon after the scheme.
    private static func password(in bytes: [UInt8], at index: Int) -> Range<Int>? {
        guard let name = SpelledByte.end(of: Array("://".utf8), in: bytes, at: index) else { return nil }
        func isInside(_ byte: UInt8) -> Bool { byte > 0x20 && !"/?#\"'<>\\@".utf8.contains(byte) }
        let at = end(of: bytes, from: name, while: isInside)
        guard at < bytes.count, bytes[at] == UInt8(ascii: "@"),
            let colon = bytes[name..<at].firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return range(colon + 1, at)
    }

    /// The end of a run of bytes, escaped or not, and their number.
    private static func run(
        in bytes: [UInt8], from start: Int, atMost limit: Int = .max, while isInside: (UInt8) -> Bool
    ) -> (end: Int, count: Int) {
        var index = start, count = 0
        while index < bytes.count, count < limit {
            let byte = SpelledByte(in: bytes, at: index)
            guard isInside(byte.value) else { break }
            index = byte.end
            count += 1
        }
        return (index, count)
    }

    /// A JSON Web Token: three parts in base64, separated by points, of which the first is an object.
    private static func webToken(
        in bytes: [UInt8], at index: Int, _ stops: inout SecretStops
    ) -> Range<Int>? {
        guard bytes[index...].starts(with: "eyJ".utf8) else { return nil }
        let point = UInt8(ascii: ".")
        func isEndOfPart(_ byte: UInt8) -> Bool { byte == point || !isTokenByte(byte) }
        let first = stops.firstPoint.next(in: bytes, from: index, where: isEndOfPart)
        guard first - index >= 8, first < bytes.count, bytes[first] == point else { return nil }
        let second = stops.secondPoint.next(in: bytes, from: first + 1, where: isEndOfPart)
        guard second - first > 8, second < bytes.count, bytes[second] == point else { return nil }
        return index..<end(of: bytes, from: second) { isTokenByte($0) }
    }

    /// The text after `Bearer` or `Basic` if it looks like credentials: it must be long and contain a digit, so that
    /// words of a sentence do not match.
    private static func credentials(
        in bytes: [UInt8], at index: Int, _ stops: inout SecretStops
    ) -> Range<Int>? {
        guard let word = ["bearer", "basic"].first(where: { begins(bytes, at: index, $0) }) else {
            return nil
        }
        var start = index + word.utf8.count
        if bytes[start...].starts(with: "%20".utf8) {
            start += 3
        } else if start < bytes.count, bytes[start] == 0x20 || bytes[start] == UInt8(ascii: "+") {
            start += 1
        } else {
            return nil
        }
        func isInside(_ byte: UInt8) -> Bool { isTokenByte(byte) || "~+/=".utf8.contains(byte) }
        let digit = stops.digit.next(in: bytes, from: start) { $0.isASCIIDigit || !isInside($0) }
        guard digit < bytes.count, bytes[digit].isASCIIDigit else { return nil }
        let end = end(of: bytes, from: digit, while: isInside)
        return end - start >= 16 ? start..<end : nil
    }

    /// The text of a JSON member whose name marks it as secret, also in JSON nested in a JSON string, where quotes have
    /// a backslash.
    private static func member(in bytes: [UInt8], at index: Int) -> Range<Int>? {
        let name = index + 1
        let nameEnd = end(of: bytes, from: name, atMost: SecretNames.bytesMax, while: isNameByte)
        let isNested = index > 0 && bytes[index - 1] == UInt8(ascii: "\\")
        guard nameEnd > name, let afterName = afterQuote(in: bytes, at: nameEnd, isNested) else { return nil }
        let colon = end(of: bytes, from: afterName) { isSpace($0) }
        guard colon < bytes.count, bytes[colon] == UInt8(ascii: ":"),
            SecretNames.isSecret(member: String(decoding: bytes[name..<nameEnd], as: UTF8.self))
        else { return nil }
        let quote = end(of: bytes, from: colon + 1) { isSpace($0) }
        guard let start = afterQuote(in: bytes, at: quote, isNested) else { return nil }
        return range(start, endOfText(in: bytes, from: start, isNested))
    }

    /// The index after a quote, which has a backslash in nested JSON.
    private static func afterQuote(in bytes: [UInt8], at index: Int, _ isNested: Bool) -> Int? {
        let quote = Array((isNested ? #"\""# : "\"").utf8)
        return bytes[min(index, bytes.count)...].starts(with: quote) ? index + quote.count : nil
    }

    /// The index of the quote that ends a JSON text, or of the one backslash before it in nested JSON.
    private static func endOfText(in bytes: [UInt8], from start: Int, _ isNested: Bool) -> Int {
        var index = start
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            let end = end(of: bytes, from: index) { $0 == UInt8(ascii: "\\") }
            let count = end - index
            guard count > 0 else {
                index += 1
                continue
            }
            if isNested, count == 1, end < bytes.count, bytes[end] == UInt8(ascii: "\"") { return index }
            // An odd number of backslashes escapes the next character.
            index = count % 2 == 0 ? end : end + 1
        }
        return min(index, bytes.count)
    }

    /// Whether the word, given in lower case, is at `index` in any case.
    private static func begins(_ bytes: [UInt8], at index: Int, _ word: String) -> Bool {
        bytes[index...].count >= word.utf8.count
            && zip(bytes[index...], word.utf8).allSatisfy { $0 | 0x20 == $1 }
    }

    private static func end(
        of bytes: [UInt8], from start: Int, atMost count: Int = .max, while isInside: (UInt8) -> Bool
    ) -> Int {
        let limit = count < bytes.count - start ? start + count : bytes.count
        var index = start
        while index < limit, isInside(bytes[index]) { index += 1 }
        return index
    }

    /// Returns nil for an empty range.
    private static func range(_ start: Int, _ end: Int) -> Range<Int>? { end > start ? start..<end : nil }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == UInt8(ascii: "_")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool { isWord(byte) || byte == UInt8(ascii: "-") }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        isNameByte(byte) || byte == UInt8(ascii: ".")
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func isEndOfParameter(_ byte: UInt8) -> Bool {
        byte <= 0x20 || "&#\"'<>\\)]}`;".utf8.contains(byte)
    }
}

extension SecretShape {
    /// Returns the values in a form whose names mark them as secret and are not where ``secret(in:at:_:)`` finds them:
    /// of the first parameter of a form, and of the parts of a multipart form.
    static func values(in bytes: [UInt8], mediaType: String) -> [Range<Int>] {
        let type = mediaType.lowercased()
        if type.hasPrefix("application/x-www-form-urlencoded") {
            return parameter(in: bytes, at: 0).map { [$0] } ?? []
        }
        guard type.hasPrefix("multipart/form-data"),
            let boundary = mediaType.firstMatch(of: /(?i);\s*boundary="?([^";]+)/)?.output.1
        else { return [] }
        return values(in: bytes, between: Array("--\(boundary)".utf8))
    }

    /// The values of the secret parts between delimiters (RFC 7578); the last part may be cut off.
    private static func values(in bytes: [UInt8], between delimiter: [UInt8]) -> [Range<Int>] {
        let delimiters = bytes.ranges(of: delimiter)
        let ends = delimiters.dropFirst().map { $0.lowerBound - 2 } + [bytes.count]
        return zip(delimiters, ends).compactMap { delimiter, end in
            guard delimiter.upperBound < end,
                let blank = bytes[delimiter.upperBound..<end].firstRange(of: "\r\n\r\n".utf8),
                blank.upperBound < end,
                case let head = String(
                    decoding: bytes[delimiter.upperBound..<blank.lowerBound], as: UTF8.self),
                let name = head.firstMatch(of: /(?i)[;\s]name="?([^";\r\n]+)/)?.output.1,
                SecretNames.isSecret(parameter: name)
            else { return nil }
            return blank.upperBound..<end
        }
    }
}
