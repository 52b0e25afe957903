import Patchbay

extension Browser {
    /// Updates the browser for an event and returns the effects to carry out.
    mutating func handle(_ event: BrowserEvent) -> [BrowserEffect] {
        switch event {
        case .key(let key): return handle(key)
        case .resized(let size): return resize(to: size)
        case .window(let window, let favourites):
            guard window.number >= self.window?.number ?? 0 else { return [] }
            show { $0.window = window }
            forgetChildren()
            if found == nil { self.favourites = favourites } else { self.favourites.formUnion(favourites) }
            return follow(window)
        case .moved(let effect):
            // A later movement may have replaced the one that has finished.
            guard effect == movement else { return [] }
            movement = nil
            failedMovement = window?.error == nil ? nil : effect
            guard found == nil else {
                wish = nil
                return []
            }
            grant()
            reveal()
            return isTurning ? resumeTurning(after: effect) : resume()
        case .children(let key, let answer):
            show(answer, ofRowWith: key)
            return []
        case .found(let found, let favourites):
            self.favourites.formUnion(favourites)
            return show(found)
        case .detail(let item, let isEnding):
            if let item, item.key == detail?.key { detail = item }
            if isEnding { isPrompting = false }
            return []
        case .favourite(let key, let isFavourite):
            if isFavourite { favourites.insert(key) } else { favourites.remove(key) }
            return []
        case .changed(let item):
            if detail?.key == item.key { detail = item }
            if let row = found?.items.firstIndex(where: { $0.key == item.key }) { found?.items[row] = item }
            return []
        case .note(let note):
            self.note = note
            // More rows of an order can be read again after a failure.
            if note.isError { isGrowing = false }
            return []
        case .answered:
            isPrompting = false
            return []
        }
    }

    /// Begins a movement of the window, in place of one that has not finished.
    mutating func moveWindow(by effect: BrowserEffect) -> [BrowserEffect] {
        movement = effect
        return [effect]
    }

    /// Selects the row that the user wanted to go to.
    private mutating func grant() {
        guard let wish, let items = window?.items else { return }
        self.wish = nil
        switch wish {
        case .first: select(items.first)
        case .last: select(items.max { $0.position < $1.position })
        case .edge: select(isGoingDown ? items.last : items.first)
        // If nothing could be fetched there, the list has not moved.
        case .at where window?.error != nil: break
        case .at(let position): select(items.first { $0.position >= position } ?? items.last)
        }
    }

    /// Moves the window after the selected row if new rows have pushed the row out of it.
    private mutating func follow(_ window: Window) -> [BrowserEffect] {
        guard found == nil, ring == nil, !isMoving, wish == nil, let selectedPosition, let end = window.end,
            selectedPosition > end, window.items.count == window.size
        else { return [] }
        return moveWindow(by: .jump(selectedPosition))
    }

    /// Changes the rows and keeps the selected one at its place on the screen.
    mutating func show(_ change: (inout Browser) -> Void) {
        let line = selectedRow.map { $0 - top } ?? 0
        change(&self)
        if let row = selectedRow {
            top = row - line
            if selected == nil { select(row: row) }
        }
        reveal()
    }

    /// Scrolls so that the selected row is on the screen and no line is left empty unnecessarily.
    mutating func reveal() {
        let height = listHeight
        top = max(0, min(top, rows.count - height))
        guard let row = selectedRow else { return }
        if row < top { top = row }
        if row >= top + height { top = row - height + 1 }
    }

    private mutating func resize(to size: ScreenSize) -> [BrowserEffect] {
        let old = windowSize
        self.size = size
        reveal()
        return windowSize == old ? [.repaint] : [.resize(windowSize), .repaint]
    }

    /// Moves the window before the rows on the screen run out.
    ///
    /// - Parameter isPushing: whether the user tries to go past the last row, which retries after a failure.
    mutating func prefetch(isPushing: Bool) -> [BrowserEffect] {
        guard found == nil else { return grow() }
        guard ring == nil else { return [] }
        guard !isMoving, let window, let row = selectedRow else { return [] }
        let isFailed = if case .failed = window.list { true } else { false }
        if isGoingDown, window.hasLater, window.items.count - row <= listHeight, !isFailed || isPushing {
            edge = window.end
            return moveWindow(by: .next(listHeight))
        }
        if !isGoingDown, window.hasEarlier, row < listHeight {
            edge = window.start
            return moveWindow(by: .previous(listHeight))
        }
        return []
    }
}
