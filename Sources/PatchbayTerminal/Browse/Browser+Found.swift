import Patchbay

/// The stored rows that a filter or an order shows instead of the list of the source.
extension Browser {
    /// The number of rows that an order reads at first, and in addition whenever the selection nears the last one.
    static let orderedRows = 1_000

    /// Remembers the place in the shown list.
    private mutating func leave() {
        left.append(
            Place(
                found: found, subject: subject, selected: selected, selectedPosition: selectedPosition,
                top: top))
        (pending, isGrowing) = (0, false)
    }

    /// Returns to the place where the previous list was left.
    mutating func back() {
        guard let place = left.popLast() else { return }
        (found, subject, top) = (place.found, place.subject, place.top)
        (selected, selectedPosition) = (place.selected, place.selectedPosition)
        (pending, isGrowing) = (0, false)
        reveal()
    }

    /// Returns to the list of the source.
    mutating func backToSource() { while !left.isEmpty { back() } }

    mutating func openFilter() {
        if case .beginning(let text) = subject { return open(.filter, with: text) }
        leave()
        open(.filter)
    }

    /// Filters by the input; without input, the list is shown as it was left.
    mutating func filter() -> [BrowserEffect] {
        guard !input.isEmpty else {
            back()
            leave()
            return []
        }
        subject = .beginning(input)
        return [.search(input)]
    }

    /// Shows the stored rows in the next order; after the last order, the list of the source.
    mutating func sort() -> [BrowserEffect] {
        if case .beginning = subject { back() }
        var next = 0
        if case .order(let order) = subject { next = orders.firstIndex(of: order).map { $0 + 1 } ?? 0 }
        guard next < orders.count else {
            if orders.isEmpty { note = Note(text: "this list has no other order") }
            back()
            return []
        }
        let order = orders[next]
        guard let bounds = order.bounds(with: window?.items.first?.item) else {
            note = Note(text: "there are no \(resource.plural) to sort")
            return []
        }
        if subject == nil { leave() }
        (subject, pending, isGrowing) = (.order(order), 0, false)
        return [.sort(order, bounds, limit: Self.orderedRows)]
    }

    /// Shows rows that were found, unless the user has asked for others since.
    mutating func show(_ new: Found) -> [BrowserEffect] {
        guard new.subject == subject else { return [] }
        let isLonger = found?.subject == new.subject
        show { $0.found = new }
        guard isLonger else {
            (selected, selectedPosition, top) = (new.items.first?.key, nil, 0)
            return []
        }
        let rest = pending
        (pending, isGrowing) = (0, false)
        return rest == 0 ? [] : move(by: rest)
    }

    /// Reads more rows of an order before those on the screen run out.
    mutating func grow() -> [BrowserEffect] {
        guard let found, case .order(let order) = found.subject, found.subject == subject, isGoingDown,
            !isGrowing, !found.isComplete, found.items.count < Limits.pageRows,
            let row = selectedRow, found.items.count - row <= listHeight,
            let bounds = order.bounds(with: found.items.first)
        else { return [] }
        isGrowing = true
        return [.sort(order, bounds, limit: min(found.items.count + Self.orderedRows, Limits.pageRows))]
    }
}
