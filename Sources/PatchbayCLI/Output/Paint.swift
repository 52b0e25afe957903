/// Colours and weights on a terminal; without colour the text stays as it is.
///
/// They only repeat what the words say, so that nothing is lost without them.
struct Paint: Sendable {
    /// What a text is, not how it looks.
    enum Role: String, Sendable {
        case title = "1"
        case aside = "2"
        case good = "32"
        case notable = "33"
        case chosen = "7"
        case wrong = "1;31"
    }

    let isColoured: Bool

    /// - Parameter text: harmless already; see ``TerminalText/harmless(_:)``.
    func callAsFunction(_ text: String, _ role: Role?) -> String {
        guard isColoured, let role, !text.isEmpty else { return text }
        return "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m"
    }

    /// The text without its paint.
    static func removed(from text: String) -> String {
        text.utf8.contains(0x1B) ? text.replacing(/\u{1B}\[[0-9;]*m/, with: "") : text
    }
}
