import Patchbay

/// A ring: a few rows of a list whose first row follows its last.
extension Browser {
    /// Whether the rows on the screen are those of a ring.
    var isTurning: Bool { ring != nil && found == nil }

    /// The number of lines that a row takes: the second one shows the newest child.
    var linesPerRow: Int { isTurning && children != nil ? 2 : 1 }

    /// Moves the selection, and turns the ring by as many rows as it passes the first or the last one on the screen.
    ///
    /// - Parameter row: the selected row.
    mutating func turn(from row: Int, by count: Int) -> [BrowserEffect] {
        guard !isMoving else {
            pending = max(-Limits.pageRows, min(pending + count, Limits.pageRows))
            return []
        }
        isGoingDown = count > 0
        let target = row + count
        select(row: max(0, min(target, rows.count - 1)))
        // After a resize, the screen may have room for fewer rows than the window still has.
        reveal()
        guard !rows.indices.contains(target) else { return [] }
        (wish, edge) = (.edge, isGoingDown ? window?.end : window?.start)
        let steps = min(isGoingDown ? target - rows.count + 1 : -target, Limits.pageRows)
        return moveWindow(by: isGoingDown ? .next(steps) : .previous(steps))
    }

    /// Turns the ring by the rows that keys have requested meanwhile, unless it cannot turn any further.
    mutating func resumeTurning(after effect: BrowserEffect) -> [BrowserEffect] {
        let rest = pending
        pending = 0
        guard let window, window.error == nil, let row = selectedRow else { return [] }
        if case .previous = effect, !window.isRing, window.start == edge {
            note = Note(
                text: "the ring is open here, because the end of the list is not stored; go down to fetch it")
            return []
        }
        return rest == 0 ? [] : turn(from: row, by: rest)
    }

    /// Shows the children of a row, unless it has left the ring.
    mutating func show(_ answer: Answer<ItemList>, ofRowWith key: Key) {
        guard window?.items.contains(where: { $0.item.key == key }) == true else { return }
        children?.answers[key] = answer
    }

    /// Forgets the children of rows that have left the ring.
    mutating func forgetChildren() {
        let visible = Set(window?.items.map(\.item.key) ?? [])
        if let answers = children?.answers { children?.answers = answers.filter { visible.contains($0.key) } }
    }

    /// Returns the line below a row; none if children are not shown.
    func childLines(of item: Item) -> [BrowserScreen.Line] {
        guard linesPerRow > 1, let children else { return [] }
        let words = children.words(of: item) ?? "fetching \(children.declaration.plural)…"
        return [line([Piece("      "), Piece(words, .aside)])]
    }

    /// Returns how the ring continues, and how many of its rows there is room for.
    func ringWords(_ window: Window) -> String? {
        guard let ring, window.error == nil else { return nil }
        let room = windowSize < ring ? ["room for \(windowSize) of \(ring) rows"] : []
        let end = window.isRing ? ["the first row follows the last"] : []
        return room.isEmpty && end.isEmpty ? nil : (room + end).joined(separator: ", ")
    }
}
