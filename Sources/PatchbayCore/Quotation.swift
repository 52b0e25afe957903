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

extension Unicode.Scalar {
    /// Whether readers do not see the character as one: a control, a separator of lines or paragraphs, a noncharacter,
    /// or one that Unicode calls ignorable, such as a direction override, a zero-width character, a variation selector,
    /// a tag or a filler. Such a character in text from outside can hide or reorder other text.
    ///
    /// Format characters with a shape of their own, such as U+0600, and characters for private use are seen.
    package var isUnseen: Bool {
        if value < 0x7F { return value < 0x20 }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return true
        // Marks around annotations, which are not ignorable but have no shape.
        case .format where (0xFFF9...0xFFFB).contains(value): return true
        default: return properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
        }
    }
}
