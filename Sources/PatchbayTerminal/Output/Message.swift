internal import PatchbayNetworking
internal import Synchronization

/// Lines for people on standard error. Line breaks and terminal controls in quoted text are escaped.
package enum Message {
    /// Longer lines are shortened, because they only quote a long text.
    private static let lineBytesMax = 2_000
    /// The prefix of errors.
    private static let errorMark = "patchbay:"
    private static let written = Atomic(0)

    /// The number of messages written to a terminal so far.
    package static var count: Int { written.load(ordering: .relaxed) }

    private static let secrets = SecretFilter()

    /// Removes everything that looks like a secret; the layers have already removed the configured ones.
    package static func withoutSecrets(_ text: String) -> String { secrets.cleaned(text) }

    /// Writes a message that `--quiet` suppresses, such as a summary or a count.
    package static func note(_ text: String) { if !Terminal.isQuiet { write(text) } }

    package static func write(_ text: String) {
        let terminal = Terminal.errors
        if terminal.isTerminal, Pager.holds(text) { return }
        if terminal.isTerminal { written.add(1, ordering: .relaxed) }
        ProgressBar.errors.clear()
        var shown = TerminalText.harmless(
            text.utf8.count > lineBytesMax ? text.prefix(lineBytesMax / 4) + "…" : text)
        if shown.hasPrefix(errorMark) {
            let paint = Paint(isColoured: terminal.allowsColour)
            shown = paint(errorMark, .wrong) + shown.dropFirst(errorMark.count)
        }
        // An error about standard error could not be reported anywhere.
        try? StandardStream.errors.write(shown + "\n")
    }
}
