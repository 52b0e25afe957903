import FoundationEssentials

/// Base64 with padding (RFC 4648, section 4).
package enum Base64 {
    /// Encodes bytes; the result is ASCII.
    package static func encoded(_ bytes: [UInt8]) -> [UInt8] { [UInt8](Data(bytes).base64EncodedData()) }

    /// Appends the encoding of some bytes.
    package static func append(_ bytes: RawSpan, to text: inout [UInt8]) {
        text += unsafe bytes.withUnsafeBytes { unsafe Data($0) }.base64EncodedData()
    }

    /// Decodes a text that ``append(_:to:)`` wrote; nil for any other text.
    package static func decode(_ text: RawSpan) -> [UInt8]? {
        let text = unsafe text.withUnsafeBytes { unsafe Data($0) }
        // Comparing them refuses bits left over by padding that are not zero; otherwise two texts would encode the same
        // bytes.
        guard let bytes = Data(base64Encoded: text), bytes.base64EncodedData() == text else { return nil }
        return [UInt8](bytes)
    }

    /// Decodes a text from another program; nil when it is not base64.
    ///
    /// White space is ignored and padding is optional, as in the bodies of HAR files.
    package static func decoded(_ text: [UInt8]) -> [UInt8]? {
        let padding = UInt8(ascii: "=")
        var letters = text.filter { $0 != 0x20 && !(0x09...0x0D).contains($0) }
        if !letters.contains(padding) {
            letters += [UInt8](repeating: padding, count: (4 - letters.count % 4) % 4)
        }
        // Foundation accepts more padding.
        let paddingCount = letters.reversed().prefix { $0 == padding }.count
        guard letters.count.isMultiple(of: 4), paddingCount <= 2 else { return nil }
        return Data(base64Encoded: Data(letters)).map { [UInt8]($0) }
    }

    /// Encodes bytes with the letters for addresses, without padding (RFC 4648, section 5).
    package static func addressText(_ bytes: [UInt8]) -> String {
        let letters = encoded(bytes).filter { $0 != UInt8(ascii: "=") }
        return String(
            decoding: letters.map {
                switch $0 {
                case UInt8(ascii: "+"): UInt8(ascii: "-")
                case UInt8(ascii: "/"): UInt8(ascii: "_")
                default: $0
                }
            }, as: UTF8.self)
    }

    /// Decodes a text that ``addressText(_:)`` wrote; nil for any other text.
    package static func bytes(ofAddressText text: String) -> [UInt8]? {
        var letters = text.utf8.map {
            switch $0 {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: $0
            }
        }
        letters += [UInt8](repeating: UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
        return decode(letters.span.bytes)
    }
}
