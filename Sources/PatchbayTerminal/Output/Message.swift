import Patchbay
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

extension PatchbayError {
    /// The error as a single line for people; line breaks in quoted text are escaped. A refusal is part of the message.
    package var oneLine: String {
        let cause = refusal == nil ? cause : nil
        let reason =
            (cause as? PatchbayError).map { "; because " + $0.oneLine } ?? cause.map { "; because \($0)" }
            ?? ""
        return TerminalText.harmless(Message.withoutSecrets(summary + reason))
    }

    /// Returns which part of querying a source failed: the request, the answer, or storing the answer.
    package func failure(of source: String) -> String {
        switch code {
        case .storageFull: "could not store \(source)'s answer"
        case .corrupted: "could not use the storage"
        case .permissionDenied where isStorageRefusal: "could not write the storage"
        case .notFound, .permissionDenied, .unauthorized, .invalidResponse: "could not fetch from \(source)"
        default: "could not query \(source)"
        }
    }
}
