import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Browser {
    /// Takes an event in; what is to be done because of it.
    mutating func handle(_ event: BrowserEvent) -> [BrowserEffect] {
        switch event {
        case .key(let key): return handle(key)
        case .resized(let size): return resize(to: size)
        case .window(let window, let favourites):
            guard window.number >= self.window?.number ?? 0 else { return [] }
            show { $0.window = window }
            if found == nil { self.favourites = favourites } else { self.favourites.formUnion(favourites) }
            return follow(window)
        case .moved:
            isMoving = false
            if found == nil { grant() }
            reveal()
            return resume()
        case .found(let found, let favourites):
            show { $0.found = found }
            self.favourites.formUnion(favourites)
            (selected, top) = (found.users.first?.user.id, 0)
            if found.users.isEmpty {
                note = Note(text: "no stored login or name begins with \"\(found.text)\"")
            }
            return []
        case .detail(let user, let isEnding):
            if let user, let shown = detail, user.user.id == shown.user.id { detail = user }
            if isEnding { isAsking = false }
            return []
        case .favourite(let id, let isFavourite):
            if isFavourite { favourites.insert(id) } else { favourites.remove(id) }
            return []
        case .changed(let user):
            if detail?.user.id == user.user.id { detail = user }
            if let row = found?.users.firstIndex(where: { $0.user.id == user.user.id }) {
                found?.users[row] = user
            }
            return []
        case .note(let note):
            self.note = note
            return []
        case .answered:
            isAsking = false
            return []
        }
    }

    /// Selects whom somebody went to.
    private mutating func grant() {
        guard let wish, let items = window?.items else { return }
        self.wish = nil
        switch wish {
        case .first: selected = items.first?.user.id
        case .last: selected = items.last?.user.id
        // When nobody could be fetched there, the list is as it was.
        case .at where window?.error != nil: break
        case .at(let id): selected = (items.first { $0.user.id >= id } ?? items.last)?.user.id
        }
    }

    /// Goes after the selected user when rows that came in between have pushed the user out of the window.
    private mutating func follow(_ window: Window) -> [BrowserEffect] {
        guard found == nil, !isMoving, wish == nil, let selected, let end = window.end, selected > end,
            window.items.count == window.size
        else { return [] }
        isMoving = true
        return [.jump(selected)]
    }

    /// Changes the rows and keeps the selected user where it is on the screen.
    private mutating func show(_ change: (inout Browser) -> Void) {
        let line = selectedRow.map { $0 - top } ?? 0
        change(&self)
        if let row = selectedRow {
            top = row - line
            if selected == nil { selected = rows[row].user.id }
        }
        reveal()
    }

    /// Moves the rows so that the selected one is on the screen and no line is left empty without need.
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

    /// Asks the window to move before the rows on the screen run out.
    ///
    /// - Parameter isPushing: whether somebody wants behind the last row; then a failure is tried again.
    mutating func prefetch(isPushing: Bool) -> [BrowserEffect] {
        guard found == nil, !isMoving, let window, let row = selectedRow else { return [] }
        let isFailed = if case .failed = window.list { true } else { false }
        if isGoingDown, window.hasLater, window.items.count - row <= listHeight, !isFailed || isPushing {
            (isMoving, edge) = (true, window.end)
            return [.next(listHeight)]
        }
        if !isGoingDown, window.hasEarlier, row < listHeight {
            (isMoving, edge) = (true, window.start)
            return [.previous(listHeight)]
        }
        return []
    }
}
