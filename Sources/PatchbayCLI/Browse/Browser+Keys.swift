import PatchbayCore
import PatchbayDomain
import PatchbayGateway

extension Browser {
    mutating func handle(_ key: BrowserKey) -> [BrowserEffect] {
        switch key {
        case .control("C"): return [.quit]
        case .control("Z"): return [.suspend]
        case .control("L"): return [.repaint]
        default: break
        }
        note = nil
        if isHelping {
            isHelping = false
            return key == .text("q") ? [.quit] : []
        }
        if prompt != nil { return type(key) }
        switch key {
        case .text("q"): return [.quit]
        case .text("?"): isHelping = true
        case .text("e"):
            if let user = current?.user { open(.name(of: user.login), with: user.name ?? "") }
        case .text("f"):
            if let user = current?.user { return [.favourite(user.login, !favourites.contains(user.id))] }
        default: return view == .detail ? handleInDetail(key) : handleInList(key)
        }
        return []
    }

    private mutating func handleInList(_ key: BrowserKey) -> [BrowserEffect] {
        switch key {
        case .down, .text("j"): return move(by: 1)
        case .up, .text("k"): return move(by: -1)
        case .pageDown, .text(" "): return move(by: listHeight)
        case .pageUp: return move(by: -listHeight)
        case .home: return go(.first, .jumpToStart)
        case .end: return go(.last, .jumpToEnd)
        case .enter, .right: return openDetail()
        case .escape, .left: closeSearch()
        case .text("g"): open(.goTo)
        case .text("/"): open(.search)
        case .text("r"): return refresh()
        default: break
        }
        return []
    }

    private mutating func handleInDetail(_ key: BrowserKey) -> [BrowserEffect] {
        switch key {
        case .escape, .left, .backspace: (view, detail, isAsking) = (.list, nil, false)
        case .down, .text("j"): detailTop += 1
        case .up, .text("k"): detailTop -= 1
        case .pageDown, .text(" "): detailTop += listHeight
        case .pageUp: detailTop -= listHeight
        case .home: detailTop = 0
        case .end: detailTop = .max / 2
        case .text("r"):
            guard let login = detail?.user.login, isOnline() else { return [] }
            isAsking = true
            return [.show(login, .remoteFirst)]
        default: break
        }
        detailTop = max(0, min(detailTop, detailLines().count - detailHeight))
        return []
    }

    private mutating func move(by count: Int) -> [BrowserEffect] {
        guard let row = selectedRow else { return [] }
        let target = max(0, min(row + count, rows.count - 1))
        selected = rows[target].user.id
        isGoingDown = count > 0
        if abs(count) > 1 { top += target - row }
        reveal()
        return prefetch(isPushing: row + count > rows.count - 1)
    }

    private mutating func go(_ wish: Wish, _ effect: BrowserEffect) -> [BrowserEffect] {
        guard found == nil else {
            selected = (wish == .first ? rows.first : rows.last)?.user.id
            reveal()
            return []
        }
        (self.wish, isMoving, isGoingDown) = (wish, true, wish == .first)
        return [effect]
    }

    private mutating func openDetail() -> [BrowserEffect] {
        guard let user = current else { return [] }
        (view, detail, detailTop) = (.detail, user, 0)
        guard user.detailFetchedAt == nil, !isOffline else { return [.show(user.user.login, .localOnly)] }
        isAsking = true
        return [.show(user.user.login, .localFirst)]
    }

    private mutating func closeSearch() {
        guard found != nil else { return }
        found = nil
        selected = window?.items.first?.user.id
        top = 0
    }

    private mutating func refresh() -> [BrowserEffect] {
        guard isOnline() else { return [] }
        guard found == nil, let window, let start = window.start else { return go(.first, .jumpToStart) }
        isAsking = true
        return [.refresh(after: start - 1, limit: max(1, window.items.count))]
    }

    private mutating func isOnline() -> Bool {
        if isOffline { note = Note(text: "offline: the source is not asked; start without --offline") }
        return !isOffline
    }
}
