/// Colours and font weights on a terminal; without colour, text is not changed.
///
/// They only repeat information that is in the text, so that nothing is lost without them.
package struct Paint: Sendable {
    /// The meaning of a text, which determines its look.
    package enum Role: String, Sendable {
        case title = "1"
        case aside = "2"
        case good = "32"
        case notable = "33"
        case edited = "36"
        case chosen = "7"
        case wrong = "1;31"
    }

    package let isColoured: Bool

    package init(isColoured: Bool) { self.isColoured = isColoured }

    /// Returns the text in the look of its role.
    ///
    /// - Parameter text: text that is already harmless; see ``TerminalText/harmless(_:)``.
    package func callAsFunction(_ text: String, _ role: Role?) -> String {
        guard isColoured, let role, !text.isEmpty else { return text }
        return "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m"
    }

    /// Returns the text in the look of a role on top of that of another one.
    package func callAsFunction(_ text: String, _ role: Role?, on base: Role?) -> String {
        guard let role, let base else { return self(text, role ?? base) }
        guard isColoured, !text.isEmpty else { return text }
        return "\u{1B}[\(base.rawValue);\(role.rawValue)m\(text)\u{1B}[0m"
    }

    /// Returns the text without colours and weights.
    package static func removed(from text: String) -> String {
        text.utf8.contains(0x1B) ? text.replacing(/\u{1B}\[[0-9;]*m/, with: "") : text
    }
}
