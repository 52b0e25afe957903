/// Foreign text, made fit for a message.
package enum Quotation {
    /// The most characters that are quoted of a text.
    static let lengthMax = 200

    /// In quotes, without what would change how a terminal or a log shows it, and cut when it is long.
    static func quoted(_ text: String) -> String { "\"" + plain(text).replacing("\"", with: "'") + "\"" }

    /// Without quotes: control and formatting characters become U+FFFD, line breaks become spaces.
    package static func plain(_ text: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(lengthMax) { scalars.append(printable(scalar)) }
        return String(scalars) + (text.unicodeScalars.dropFirst(lengthMax).isEmpty ? "" : "...")
    }

    private static func printable(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        switch scalar.properties.generalCategory {
        case .control: scalar == "\n" || scalar == "\r" || scalar == "\t" ? " " : "\u{FFFD}"
        case .format, .lineSeparator, .paragraphSeparator, .privateUse: "\u{FFFD}"
        default: scalar
        }
    }
}
