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
