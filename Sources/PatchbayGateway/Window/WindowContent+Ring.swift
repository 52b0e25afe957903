import PatchbayCore

/// A finite list whose end is next to its start. No item is shown twice.
extension WindowContent {
    func ring(from place: Place, in reading: borrowing Reading) throws -> WindowContent {
        var content = self
        content.isRing = true
        content.gaps = []
        let around = try items(from: place, limit: size + 1, in: reading)
        content.items = Array(around.prefix(size))
        content.following = around.count > size ? .stored : .end
        content.hasEarlier = around.count > size
        return content
    }

    /// The ring turned by `count` items, backwards if it is negative.
    func turned(from start: Position, by count: Int, in reading: borrowing Reading) throws
        -> WindowContent
    {
        let next: Item?
        if count >= 0 {
            let around = try items(from: .at(start), limit: count + 1, in: reading)
            next = around.isEmpty ? nil : around[count % around.count]
        } else {
            var back = try list.earlier(than: start, limit: -count, in: reading)
            if back.count < -count {
                let rest = try list.earlier(than: nil, limit: -count - back.count, in: reading)
                back += rest.prefix { list.position(of: $0) > start }
            }
            let steps = -count <= back.count ? -count : -count % (back.count + 1)
            next = steps == 0 ? nil : back[steps - 1]
        }
        return try ring(from: .at(next.map(list.position) ?? start), in: reading)
    }

    /// The items from a place on and, after the last one, those from the start up to the place.
    private func items(from place: Place, limit: Int, in reading: borrowing Reading) throws -> [Item] {
        var around = try list.later(place, limit: limit, acrossGaps: true, in: reading).items
        guard around.count < limit, place != .start else { return around }
        let first = around.first.map(list.position)
        let rest = try list.later(.start, limit: limit - around.count, acrossGaps: true, in: reading).items
        around += rest.prefix { item in first.map { list.position(of: item) < $0 } ?? true }
        return around
    }
}
