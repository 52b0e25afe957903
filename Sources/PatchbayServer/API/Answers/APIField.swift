import HTTPTypes

/// Header fields that HTTPTypes does not define.
enum APIField {
    /// The addresses of other pages (RFC 8288).
    static let link = HTTPField.Name("Link")!
    /// Whether the answer comes from the storage (RFC 9211).
    static let cacheStatus = HTTPField.Name("Cache-Status")!
    /// The state and completeness of the answer, as a dictionary of RFC 9651.
    static let patchbayAnswer = HTTPField.Name("Patchbay-Answer")!
    static let acceptPatch = HTTPField.Name("Accept-Patch")!
    static let lastEventID = HTTPField.Name("Last-Event-ID")!
}

/// A string of a structured field (RFC 9651, section 3.3.3); characters that are not allowed are left out.
struct StructuredString: CustomStringConvertible {
    let description: String

    init(_ text: String) {
        let kept = text.unicodeScalars.filter { (0x20...0x7E).contains($0.value) }
        var escaped = "\""
        for scalar in kept {
            if scalar == "\"" || scalar == "\\" { escaped.unicodeScalars.append("\\") }
            escaped.unicodeScalars.append(scalar)
        }
        description = escaped + "\""
    }
}
