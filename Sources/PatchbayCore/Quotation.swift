/// Makes text of others safe for messages.
package enum Quotation {
    /// The maximum number of quoted characters.
    static let lengthMax = 200

    /// Returns the text in quotes, without characters that affect terminals or logs, and cut if it is long.
    package static func quoted(_ text: String) -> String {
        "\"" + plain(text).replacing("\"", with: "'") + "\""
    }

    /// Returns an address in quotes, without secrets.
    package static func quoted(address: String) -> String { quoted(SecretNames.cleaned(address: address)) }

    /// Returns the text without quotes. Unseen characters become U+FFFD, line breaks and tabs become spaces.
    package static func plain(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(lengthMax) { scalars.append(printable(scalar)) }
        return String(scalars) + (text.unicodeScalars.dropFirst(lengthMax).isEmpty ? "" : "...")
    }

    private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar {
        case "\n", "\r", "\t": " "
        default: scalar.isUnseen ? "\u{FFFD}" : scalar
        }
    }
}
