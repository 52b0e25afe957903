/// Percent-encoding according to RFC 3986, section 2.
public enum PercentEncoding {
    /// Encodes text as one segment of a path: everything except letters, digits, `-`, `.`, `_` and `~` is encoded,
    /// including slashes and percent signs.
    public static func segment(_ text: String) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count)
        for byte in text.utf8 { append(byte, to: &output) }
        return String(decoding: output, as: UTF8.self)
    }

    /// Encodes some of the bytes of a text.
    package static func encoded(_ text: String, where mustBeEncoded: (UInt8) -> Bool) -> String {
        guard text.utf8.contains(where: mustBeEncoded) else { return text }
        var output: [UInt8] = []
        for byte in text.utf8 {
            if mustBeEncoded(byte) { encode(byte, to: &output) } else { output.append(byte) }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// The canonical form of a path: everything except letters, digits, `-`, `.`, `_`, `~` and the slashes between
    /// segments is encoded. Two spellings of the same bytes give the same text.
    package static func path(_ bytes: some Swift.Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        if bytes.allSatisfy({ isUnreserved($0) || $0 == UInt8(ascii: "/") }) {
            return String(decoding: bytes, as: UTF8.self)
        }
        let segments = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return segments.map { canonical($0) }.joined(separator: "/")
    }

    /// The canonical form of a name or value in a query or a form, where a plus is a space.
    package static func queryPart(_ bytes: some Swift.Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        if bytes.allSatisfy(isUnreserved) { return String(decoding: bytes, as: UTF8.self) }
        return canonical(bytes.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
    }

    /// Encodes the characters of a path with its query that an address must not contain (RFC 3986, section 2), as
    /// browsers do: spaces, brackets, braces, letters outside ASCII. Encoded characters stay as they are; a percent
    /// sign without two digits is encoded.
    package static func target(_ text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        for (place, byte) in bytes.enumerated() {
            let isKept =
                byte == UInt8(ascii: "%")
                ? bytes.dropFirst(place + 1).prefix(2).count { hexValue($0) != nil } == 2
                : "/?:@!$&'()*+,;=".utf8.contains(byte)
            if isKept { output.append(byte) } else { append(byte, to: &output) }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Decodes a segment, or a part of a query. Bytes that are not UTF-8 become U+FFFD.
    package static func decoded(_ text: some StringProtocol) -> String {
        String(decoding: bytes(of: text.utf8), as: UTF8.self)
    }

    /// Decodes bytes. A percent sign without two digits stays as it is.
    package static func bytes(of text: some Swift.Collection<UInt8>) -> [UInt8] {
        var output: [UInt8] = [], rest = Array(text)[...]
        output.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(hexValue),
                let low = rest.dropFirst().first.flatMap(hexValue)
            {
                output.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                output.append(byte)
            }
        }
        return output
    }

    /// The decoded items of a query or a form.
    package static func items(ofQuery query: Substring) -> [(name: String, value: String)] {
        query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? parts[1].replacing("+", with: " ") : ""
            return (decoded(parts[0]), decoded(value))
        }
    }

    /// Decodes a segment of a path, or a part of a query, without loss.
    ///
    /// - Parameter plusIsSpace: true in a query and in a form.
    /// - Returns: nil when a percent sign lacks its two hexadecimal digits, or when the bytes are not UTF-8.
    package static func text(
        of bytes: some Swift.Collection<UInt8>, plusIsSpace: Bool
    ) -> String? {
        var output: [UInt8] = [], rest = Array(bytes)[...]
        output.reserveCapacity(rest.count)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexValue),
                    let low = rest.popFirst().flatMap(hexValue)
                else { return nil }
                output.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: output.append(0x20)
            default: output.append(byte)
            }
        }
        return String(validating: output, as: UTF8.self)
    }

    private static func canonical(_ text: some Swift.Collection<UInt8>) -> String {
        var output: [UInt8] = []
        for byte in bytes(of: text) { append(byte, to: &output) }
        return String(decoding: output, as: UTF8.self)
    }

    private static func append(_ byte: UInt8, to output: inout [UInt8]) {
        if isUnreserved(byte) { output.append(byte) } else { encode(byte, to: &output) }
    }

    private static func encode(_ byte: UInt8, to output: inout [UInt8]) {
        output.append(contentsOf: [UInt8(ascii: "%"), hexDigit(byte >> 4), hexDigit(byte & 15)])
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-._~".utf8.contains(byte)
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x41 + value - 10 }

    /// The value of a hexadecimal digit in either case.
    package static func hexValue(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x41 + 10
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x61 + 10
        default: nil
        }
    }
}
