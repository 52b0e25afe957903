import Patchbay

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
            if let item = current { edit(item) }
        case .text("f"):
            if let item = current { return [.favourite(item.handle, !favourites.contains(item.key))] }
        default: return view == .detail ? handleInDetail(key) : handleInList(key)
        }
        return []
    }

    mutating func handleInList(_ key: BrowserKey) -> [BrowserEffect] {
        switch key {
        case .down, .text("j"): return move(by: 1)
        case .up, .text("k"): return move(by: -1)
        case .pageDown, .text(" "): return move(by: screenRows)
        case .pageUp: return move(by: -screenRows)
        case .home: return go(.first, .jumpToStart)
        case .end: return go(.last, .jumpToEnd)
        case .enter, .right: return openDetail()
        case .escape, .left: back()
        case .text("g"): if resource.order != nil { open(.goTo) }
        case .text("/"): openFilter()
        case .text("s"): return sort()
        case .text("r"): return refresh()
        default: break
        }
        return []
    }

    private mutating func handleInDetail(_ key: BrowserKey) -> [BrowserEffect] {
        switch key {
        case .escape, .left, .backspace: (view, detail, isPrompting) = (.list, nil, false)
        case .down, .text("j"): detailTop += 1
        case .up, .text("k"): detailTop -= 1
        case .pageDown, .text(" "): detailTop += listHeight
        case .pageUp: detailTop -= listHeight
        case .home: detailTop = 0
        case .end: detailTop = .max / 2
        case .text("r"):
            guard let handle = detail?.handle, resource.declaration.show != nil, isOnline() else { return [] }
            isPrompting = true
            return [.show(handle, .remoteFirst)]
        default: break
        }
        detailTop = max(0, min(detailTop, detailLines().count - detailHeight))
        return []
    }

    /// The number of rows by which a list moves by one screen.
    private var screenRows: Int { isTurning ? windowSize : listHeight }

    mutating func move(by count: Int) -> [BrowserEffect] {
        guard let row = selectedRow else {
            // Keys that are pressed before the first rows arrive take effect then.
            if found == nil, isMoving { pending = max(0, min(pending + count, Limits.pageRows)) }
            return []
        }
        if isTurning { return turn(from: row, by: count) }
        if (pending < 0) != (count < 0) { pending = 0 }
        let target = max(0, min(row + count, rows.count - 1))
        select(row: target)
        isGoingDown = count > 0
        if abs(count) > 1 { top += target - row }
        reveal()
        let rest = pending + row + count - target
        let effects = prefetch(isPushing: rest > 0)
        // Otherwise no more rows will arrive.
        let isLoading = found == nil ? isMoving : isGrowing
        pending = isLoading ? max(-Limits.pageRows, min(rest, Limits.pageRows)) : 0
        return effects
    }

    /// Moves the selection the rest of the way once the window has moved, unless its edge is unchanged.
    mutating func resume() -> [BrowserEffect] {
        let rest = pending, before = edge
        pending = 0
        guard rest != 0, window?.error == nil, before != (rest < 0 ? window?.start : window?.end) else {
            return prefetch(isPushing: false)
        }
        return move(by: rest)
    }

    private mutating func go(_ wish: Wish, _ effect: BrowserEffect) -> [BrowserEffect] {
        guard found == nil else {
            if !rows.isEmpty { select(row: wish == .first ? 0 : rows.count - 1) }
            isGoingDown = wish == .last
            reveal()
            return grow()
        }
        (self.wish, isGoingDown, pending) = (wish, wish == .first, 0)
        return moveWindow(by: effect)
    }

    private mutating func openDetail() -> [BrowserEffect] {
        guard let item = current else { return [] }
        (view, detail, detailTop) = (.detail, item, 0)
        guard resource.declaration.show != nil else { return [] }
        guard item.state.detailFetchedAt == nil, !isOffline else { return [.show(item.handle, .localOnly)] }
        isPrompting = true
        return [.show(item.handle, .localFirst)]
    }

    private mutating func refresh() -> [BrowserEffect] {
        guard isOnline() else { return [] }
        guard found == nil else {
            note = Note(text: "these are stored rows; Esc goes back to the list of \(source)")
            return []
        }
        guard let window, let row = selectedRow else { return go(.first, .jumpToStart) }
        if window.error != nil, let failedMovement { return moveWindow(by: failedMovement) }
        isPrompting = true
        // Refreshing across a gap would fetch everything that is missing in it.
        let stretch = window.stretch(around: row)
        return [.refresh(from: window.items[stretch.lowerBound].position, limit: stretch.count)]
    }

    /// Prompts for the new text; if there are several editable fields, for the field first.
    private mutating func edit(_ item: Item) {
        switch editable.count {
        case 0: note = Note(text: "no field of \(resource.plural) can be edited", isError: true)
        case 1: edit(item, editable[0])
        default: open(.field(of: item.handle))
        }
    }

    mutating func edit(_ item: Item, _ field: ResourceField) {
        open(.text(of: item.handle, field: field.name), with: item.shown(field)?.description ?? "")
    }

    private mutating func isOnline() -> Bool {
        if isOffline { note = Note(text: "offline: start without --offline to query the source") }
        return !isOffline
    }
}

/// The input line.
extension Browser {
    /// The maximum size of the input: that of an edit.
    static let inputBytesMax = EditedText.bytesMax

    mutating func open(_ prompt: Prompt, with text: String = "") {
        self.prompt = prompt
        input = text
    }

    mutating func type(_ key: BrowserKey) -> [BrowserEffect] {
        let old = input
        switch key {
        case .escape:
            if prompt == .filter { back() }
            prompt = nil
        case .enter: return submit()
        case .down, .up, .pageDown, .pageUp: return prompt == .filter ? handleInList(key) : []
        default:
            if input.edit(key, bytesMax: Self.inputBytesMax) == .tooLong {
                note = Note(text: "a line has at most \(Self.inputBytesMax) bytes", isError: true)
            }
        }
        return prompt == .filter && input != old ? filter() : []
    }

    private mutating func submit() -> [BrowserEffect] {
        let prompt = prompt
        self.prompt = nil
        switch prompt {
        case .goTo:
            guard let number = Int64(input), number > 0 else {
                note = Note(
                    text:
                        "\"\(input)\" is not \(orderWord.withArticle); \(orderWord)s are whole numbers from 1",
                    isError: !input.isEmpty)
                return []
            }
            backToSource()
            (wish, isGoingDown, pending) = (.at(ListPosition(number)), true, 0)
            return moveWindow(by: .jump(ListPosition(number)))
        case .filter:
            if input.isEmpty { back() }
            return input.isEmpty || found?.subject == subject ? [] : [.search(input)]
        case .field:
            choose(input)
            return []
        case .text(let handle, let field):
            return [input.isEmpty ? .revert(handle, field: field) : .edit(handle, field: field, text: input)]
        case nil: return []
        }
    }

    /// Starts editing the field that the word names.
    private mutating func choose(_ word: String) {
        guard let item = current, !word.isEmpty else { return }
        let field = editable.first { $0.name == word } ?? resource.field(spelled: word)
        guard let field, editable.contains(field) else {
            note = Note(text: "\"\(word)\" cannot be edited; choose one of \(editableWords)", isError: true)
            return
        }
        edit(item, field)
    }

    private var editableWords: String { editable.map(\.name).joined(separator: ", ") }

    /// The name of the field that orders the list.
    var orderWord: String { resource.order?.name.withSpaces ?? "place" }

    /// The label before the input.
    var promptLabel: String {
        switch prompt {
        case .goTo: "go to \(orderWord): "
        case .filter: "\(SearchWords(resource.declaration).beginnings) begins with: "
        case .field(let handle): "which field of \(handle) (\(editableWords)): "
        case .text(let handle, let field):
            "\(field.withSpaces) of \(handle) (empty reverts): "
        case nil: ""
        }
    }
}
