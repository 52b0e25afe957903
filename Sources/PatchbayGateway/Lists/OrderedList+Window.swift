import PatchbayCore
import PatchbayDomain

extension OrderedList {
    func later(
        _ place: WindowPlace<ListPosition>, limit: Int, maximum: Int?, acrossGaps: Bool,
        in reading: borrowing Reading
    ) throws -> LaterItems<ListedItem> {
        let after = place.value
        let room = try room(after: after, maximum: maximum, in: reading)
        guard room > 0 else { return LaterItems(following: .limit(maximum ?? 0)) }
        let size = min(limit, room)
        let found = try items(after: after, limit: size + 1, in: reading)
        let items = try listed(acrossGaps ? found : known(found, after: after, in: reading))
        guard items.count <= size else {
            return LaterItems(
                items: items.dropLast(), following: size == room ? .limit(maximum ?? 0) : .stored)
        }
        if let maximum, items.count == room { return LaterItems(items: items, following: .limit(maximum)) }
        let reach = try reach(from: items.last?.position.number ?? after, to: .max, in: reading)
        return LaterItems(items: items, following: try listEnds(at: reach, in: reading) ? .end : .unfetched)
    }

    func earlier(
        than position: ListPosition?, limit: Int, in reading: borrowing Reading
    ) throws -> [ListedItem] {
        let end = position.map { Bounds.Bound.excluding(.integer($0.number)) }
        let query = walk(.between(.excluding(0), end), .descending)
        return listed(try reading.listedItems(query, of: resource, limit: limit))
    }

    func gaps(among items: [ListedItem], in reading: borrowing Reading) throws -> [ListPosition] {
        guard let first = items.first?.position.number else { return [] }
        let values = items.dropFirst().lazy.map(\.position.number)
        return try gaps(after: first, before: values, in: reading).map { ListPosition($0.before) }
    }

    /// Interpolates between the least and the greatest stored value.
    func position(at fraction: Double, in reading: borrowing Reading) throws -> ListPosition? {
        guard let first = try items(after: 0, limit: 1, in: reading).first?.order,
            let last = try earlier(than: nil, limit: 1, in: reading).first?.position
        else { return nil }
        // Double cannot represent the greatest values exactly; converting a number as great as `span` would overflow.
        let span = Double(last.number - first)
        return span * fraction < span ? ListPosition(first + Int64(span * fraction)) : last
    }

    func isWhole(in reading: borrowing Reading) throws -> Bool {
        var end: Int64 = 0
        for _ in 0..<100 {
            if try listEnds(at: end, in: reading) { return true }
            guard let page = try stretch(from: end, in: reading), page.end > end else { return false }
            end = page.end
        }
        return false
    }

    func extend(_ place: WindowPlace<ListPosition>, maximum: Int?) async throws {
        let value = place.value
        let reach = try await gateway.store.read { try self.reach(from: value, to: .max, in: $0) }
        let entered = OrderedList(question.entered(after: reach), by: order, of: gateway)
        _ = try await entered.refresh(ListExtent(limit: 1, maximum: maximum), isConditional: true)
    }

    private func listed(_ items: [Item]) -> [ListedItem] {
        items.compactMap { item in item.order.map { ListedItem(item, at: ListPosition($0)) } }
    }

    /// The stored rows after a value and before the first gap; all of them when the list ends before it.
    private func known(_ items: [Item], after value: Int64, in reading: borrowing Reading) throws -> [Item] {
        guard let last = items.last?.order else { return items }
        let reach = try reach(from: value, to: last, in: reading)
        if try reach >= last || listEnds(at: reach, in: reading) { return items }
        return items.filter { $0.order.map { $0 <= reach } ?? false }
    }
}

extension ListQuestion {
    /// The same list, entered after another value.
    func entered(after value: Int64) -> ListQuestion {
        var question = self
        question.after = value
        return question
    }
}

extension WindowPlace where Position == ListPosition {
    /// The value of an order before the place.
    fileprivate var value: Int64 {
        switch self {
        case .start: 0
        case .at(let position): max(1, position.number) - 1
        case .after(let position): position.number
        }
    }
}
