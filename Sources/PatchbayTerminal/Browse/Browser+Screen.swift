import Patchbay

/// The screen as lines, which contain no control characters, whatever is stored in the rows.
extension Browser {
    /// On a smaller terminal, the screen only reports that it is too small.
    static let smallest = ScreenSize(columns: 20, rows: 4)

    /// - Parameter now: the time from which ages are computed.
    func screen(at now: Timestamp) -> BrowserScreen {
        guard size.columns >= Self.smallest.columns, size.rows >= Self.smallest.rows else {
            return BrowserScreen(lines: filled([line("too small")], to: size.rows))
        }
        let body = isHelping ? helpLines : view == .detail ? shownDetail : listLines
        let typed = prompt.map { _ in promptLine }
        let note = typed.map { [$0.line] } ?? noteLines
        let noteHeight = max(1, note.count)
        var lines = [bar([Piece(title)])] + filled(body, to: size.rows - (isRoomy ? 3 : 1) - noteHeight)
        if isRoomy {
            lines += note.isEmpty ? [line("")] : note
            lines += [bar(footer(at: now)), line(hints, .hint)]
        } else {
            lines += note.isEmpty ? [bar(footer(at: now))] : note
        }
        let cursor = typed.map { BrowserScreen.Cursor(row: size.rows - (isRoomy ? 3 : 1), column: $0.column) }
        return BrowserScreen(lines: lines, cursor: cursor)
    }

    typealias Piece = BrowserScreen.Piece

    /// Returns a line whose text is made harmless and cut to the width.
    func line(_ text: String, _ style: BrowserScreen.Style = .plain) -> BrowserScreen.Line {
        line([Piece(text)], style)
    }

    /// Returns a line that fills the width.
    func bar(_ pieces: [Piece], _ style: BrowserScreen.Style = .bar) -> BrowserScreen.Line {
        var line = line(pieces, style)
        let room = size.columns - TerminalText.width(of: line.text)
        if room > 0 { line.pieces.append(Piece(String(repeating: " ", count: room))) }
        return line
    }

    /// Returns a line of texts that are made harmless and cut to the width.
    func line(_ pieces: [Piece], _ style: BrowserScreen.Style = .plain) -> BrowserScreen.Line {
        var room = size.columns, shown: [Piece] = []
        for piece in pieces where room > 0 && !piece.text.isEmpty {
            let text = TerminalText.cut(TerminalText.harmless(piece.text), to: room)
            shown.append(Piece(text, piece.role))
            room -= TerminalText.width(of: text)
        }
        return BrowserScreen.Line(pieces: shown, style: style)
    }

    /// Returns the harmless text, cut or padded to exactly `columns` columns.
    func padded(_ text: String, to columns: Int) -> String {
        TerminalText.padded(TerminalText.cut(TerminalText.harmless(text), to: columns), to: columns)
    }

    private func filled(_ lines: [BrowserScreen.Line], to count: Int) -> [BrowserScreen.Line] {
        Array(lines.prefix(count)) + Array(repeating: line(""), count: max(0, count - lines.count))
    }

    private var title: String {
        let what =
            isHelping
            ? "help"
            : view == .detail
                ? detail?.handle ?? ""
                : found.map { words($0.subject) } ?? resource.name + (ring.map { ", a ring of \($0)" } ?? "")
        return " patchbay · \(what) · \(source)"
    }

    private func words(_ subject: Subject) -> String {
        switch subject {
        case .beginning(let text): "filter \"\(text)\""
        case .order(let order): "\(resource.name) by \(order.words)"
        }
    }

    /// The maximum height of a note; longer ones are cut. A whole error matters more than most of the rows.
    private var noteLinesMax: Int { max(4, listHeight - 2) }

    /// The lines of the last note; a long error takes several if there is room.
    var noteLines: [BrowserScreen.Line] {
        if let note { return noteLines(note.text, note.isError ? .error : .plain) }
        guard view == .list, found == nil, let error = window?.error else { return [] }
        let hint = error.retryAt == nil ? "press r to retry: " : ""
        return noteLines(hint + error.oneLine, .error)
    }

    private func noteLines(_ text: String, _ style: BrowserScreen.Style) -> [BrowserScreen.Line] {
        guard isRoomy else { return [line(" " + text, style)] }
        let lines = TerminalText.wrapped(TerminalText.harmless(text), to: size.columns - 1)
        let shown = lines.prefix(noteLinesMax - 1)
        let rest = lines.dropFirst(shown.count).joined()
        return (shown + (rest.isEmpty ? [] : [rest])).map { line(" " + $0, style) }
    }

    /// The input line, scrolled so that its end is visible.
    private var promptLine: (line: BrowserScreen.Line, column: Int) {
        let label = TerminalText.cut(" " + TerminalText.harmless(promptLabel), to: size.columns - 8)
        let room = size.columns - 1 - TerminalText.width(of: label)
        var text = TerminalText.harmless(input)[...]
        while TerminalText.width(of: String(text)) > room { text.removeFirst() }
        let line = BrowserScreen.Line(pieces: [Piece(label, .title), Piece(String(text))])
        return (line, TerminalText.width(of: line.text))
    }

    private func footer(at now: Timestamp) -> [Piece] {
        var parts = view == .detail ? detailState(at: now) : listState(at: now)
        if isPrompting { parts.append(Piece("fetching…")) }
        if let requests { parts.append(Piece(Count.words(requests, "request"))) }
        if isOffline { parts.append(Piece("offline", .notable)) }
        return [Piece(" ")] + parts.enumerated().flatMap { $0 > 0 ? [Piece(" · "), $1] : [$1] }
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
                    : ["↑↓ move", "Enter detail", "/ filter"] + (orders.isEmpty ? [] : ["s sort"])
                        + (resource.order == nil ? [] : ["g go to"]) + editHint
                        + ["? help", "q quit", "f favourite", "r refresh", "PgUp PgDn Home End"]
        var text = " " + all[0]
        for hint in all.dropFirst() where TerminalText.width(of: text + "  " + hint) <= size.columns {
            text += "  " + hint
        }
        return text
    }

    /// The number of lines of a detail that fit on the screen.
    var detailHeight: Int { max(1, size.rows - (isRoomy ? 4 : 2)) }

    /// Returns the lines of the detail that are on the screen.
    var shownDetail: [BrowserScreen.Line] {
        let lines = detailLines()
        return Array(lines.dropFirst(max(0, min(detailTop, lines.count - detailHeight))).prefix(detailHeight))
    }

    /// Returns all lines of the detail: one per field, more for long values.
    func detailLines() -> [BrowserScreen.Line] {
        guard let item = detail else { return [] }
        let state = item.state
        var fields = ItemRecords(resource.declaration).shownFields(of: item)
        if favourites.contains(item.key) { fields.append(("favourite", "yes")) }
        if state.detailFetchedAt == nil, resource.declaration.show != nil {
            fields.append(("", "no details of this \(resource.singular) are stored"))
        }
        let labelWidth = min(18, size.columns / 3)
        let valueWidth = max(1, size.columns - labelWidth - 2)
        return [line("")]
            + fields.flatMap { field in
                let role = Listing.role(ofField: field.name)
                return TerminalText.wrapped(TerminalText.harmless(field.value), to: valueWidth).enumerated()
                    .map { number, part in
                        let label = padded(number == 0 ? field.name : "", to: labelWidth)
                        return line([Piece(" " + label, .aside), Piece(part, role)])
                    }
            }
    }

    /// Returns whether the row is from a list or a detail, and its age.
    func detailState(at now: Timestamp) -> [Piece] {
        guard let state = detail?.state else { return [] }
        let age = (state.detailFetchedAt ?? state.fetchedAt)?.storedAge(at: now)
        return [Piece(state.detailFetchedAt == nil ? "from a list" : "detail")]
            + (age.map { [Self.piece($0)] } ?? [])
    }

    /// The list of keys, cut to the height of the terminal.
    var helpLines: [BrowserScreen.Line] {
        let one = resource.singular
        let words = SearchWords(resource.declaration).plural
        let isOrdered = resource.order != nil
        let edits = editable.count == 1 ? "the \(editable[0].name.withSpaces)" : "a field"
        let keys: [(String, String)?] = [
            ("↑ ↓, k j", "one \(one) up or down\(ring == nil ? "" : "; the ring turns at its edges")"),
            ("PageUp PageDown", "one screen; Space also goes down"),
            ("Home End", "the first \(one); the last stored one"),
            isOrdered ? ("g", "go to \(orderWord.withArticle), stored or not") : nil,
            ("/", "filter stored \(words) by their beginnings"),
            orders.isEmpty ? nil : ("s", "show stored \(resource.plural) in the next order"),
            ("Enter →", "the \(one)'s details, fetched if they are missing"), ("Esc ←", "back"),
            editable.isEmpty ? nil : ("e", "edit \(edits); an empty text reverts to the source's"),
            ("f", "add to or remove from favourites"),
            ("r", "refresh the shown rows from the source"), ("Ctrl-L", "redraw the screen"),
            ("Ctrl-Z", "suspend; \"fg\" resumes"), ("q, Ctrl-C", "quit"),
        ]
        let edited = editable.isEmpty ? "" : ", ~ an edited \(editable.count == 1 ? editable[0].name : "one")"
        let gaps = isOrdered ? "; \(orderWord)s before a ^ were never fetched" : ""
        let marks = "* is a favourite\(edited)\(gaps)."
        return (isRoomy ? [line("")] : [])
            + keys.compactMap(\.self).map { line("  " + padded($0, to: 18) + $1) }
            + [
                line(""), line("  " + marks),
                line(
                    "  Going up shows stored \(resource.plural); going down also fetches missing ones."),
            ]
    }
}
