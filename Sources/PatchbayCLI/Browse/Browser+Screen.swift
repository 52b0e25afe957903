import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// The screen as lines, which contain no control characters, whatever is stored in the rows.
extension Browser {
    /// On a smaller terminal, the screen only reports that it is too small.
    static let smallest = ScreenSize(columns: 20, rows: 4)

    /// - Parameter now: the time from which ages are computed.
    func screen(at now: Timestamp) -> BrowserScreen {
        guard size.columns >= Self.smallest.columns, size.rows >= Self.smallest.rows else {
            return BrowserScreen(lines: filled([line("too small")], to: size.rows))
        }
        let body = isHelping ? helpLines : view == .detail ? shownDetail(at: now) : listLines
        let typed = prompt.map { _ in promptLine }
        let said = typed.map { [$0.line] } ?? noteLines
        let saidHeight = max(1, said.count)
        var lines = [bar(title)] + filled(body, to: size.rows - (isRoomy ? 3 : 1) - saidHeight)
        if isRoomy {
            lines += said.isEmpty ? [line("")] : said
            lines += [bar(footer(at: now)), line(hints)]
        } else {
            lines += said.isEmpty ? [bar(footer(at: now))] : said
        }
        let cursor = typed.map { BrowserScreen.Cursor(row: size.rows - (isRoomy ? 3 : 1), column: $0.column) }
        return BrowserScreen(lines: lines, cursor: cursor)
    }

    /// Returns a line whose text is made harmless and cut to the width.
    func line(_ text: String, _ style: BrowserScreen.Style = .plain) -> BrowserScreen.Line {
        BrowserScreen.Line(
            text: TerminalText.cut(TerminalText.harmless(text), to: size.columns), style: style)
    }

    /// Returns a line that fills the width.
    func bar(_ text: String, _ style: BrowserScreen.Style = .bar) -> BrowserScreen.Line {
        BrowserScreen.Line(text: padded(text, to: size.columns), style: style)
    }

    /// Returns the harmless text, cut or padded to exactly `columns` columns.
    func padded(_ text: String, to columns: Int) -> String {
        let cut = TerminalText.cut(TerminalText.harmless(text), to: columns)
        return cut + String(repeating: " ", count: max(0, columns - TerminalText.width(of: cut)))
    }

    private func filled(_ lines: [BrowserScreen.Line], to count: Int) -> [BrowserScreen.Line] {
        Array(lines.prefix(count)) + Array(repeating: line(""), count: max(0, count - lines.count))
    }

    private var title: String {
        let what =
            isHelping
            ? "help"
            : view == .detail ? detail?.handle ?? "" : found.map { "search \"\($0.text)\"" } ?? resource.name
        return " patchbay · \(what) · \(source)"
    }

    /// The maximum height of a note; longer ones are cut.
    private static let noteLinesMax = 4

    /// The lines of the last note; a long error takes several if there is room.
    var noteLines: [BrowserScreen.Line] {
        if let note { return noteLines(note.text, note.isError ? .error : .plain) }
        guard view == .list, found == nil, let error = window?.error else { return [] }
        let hint = error.retryAt.map { "try again after \($0)" } ?? "press r to retry"
        return noteLines("\(hint): \(error.line)", .error)
    }

    private func noteLines(_ text: String, _ style: BrowserScreen.Style) -> [BrowserScreen.Line] {
        guard isRoomy else { return [line(" " + text, style)] }
        let lines = TerminalText.wrapped(TerminalText.harmless(text), to: size.columns - 1)
        let shown = lines.prefix(Self.noteLinesMax - 1)
        let rest = lines.dropFirst(shown.count).joined()
        return (shown + (rest.isEmpty ? [] : [rest])).map { line(" " + $0, style) }
    }

    /// The input line, scrolled so that its end is visible.
    private var promptLine: (line: BrowserScreen.Line, column: Int) {
        let label = TerminalText.cut(" " + TerminalText.harmless(promptLabel), to: size.columns - 8)
        let room = size.columns - 1 - TerminalText.width(of: label)
        var text = TerminalText.harmless(input)[...]
        while TerminalText.width(of: String(text)) > room { text.removeFirst() }
        let shown = label + text
        return (BrowserScreen.Line(text: shown), TerminalText.width(of: shown))
    }

    private func footer(at now: Timestamp) -> String {
        var parts = view == .detail ? detailState(at: now) : listState(at: now)
        if isAsking { parts.append("fetching…") }
        if let requests { parts.append(requests == 1 ? "1 request" : "\(requests) requests") }
        if isOffline { parts.append("offline") }
        return " " + parts.joined(separator: " · ")
    }

    private var editHint: [String] { editable.isEmpty ? [] : ["e edit"] }

    private var hints: String {
        let all =
            isHelping
            ? ["any key: back"]
            : prompt != nil
                ? ["Enter: accept", "Esc: cancel", "Ctrl-U: clear"]
                : view == .detail
                    ? ["Esc back", "↑↓ scroll"] + editHint + ["f favourite", "r refresh", "? help", "q quit"]
                    : ["↑↓ move", "Enter detail", "/ search"] + (resource.order == nil ? [] : ["g go to"])
                        + editHint
                        + ["f favourite", "r refresh", "? help", "q quit", "PgUp PgDn Home End"]
        var text = " " + all[0]
        for hint in all.dropFirst() where TerminalText.width(of: text + "  " + hint) <= size.columns {
            text += "  " + hint
        }
        return text
    }
}
