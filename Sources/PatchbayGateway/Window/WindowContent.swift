import PatchbayCore

/// The items of a window, and the steps that read others in their place. Each step reads one snapshot.
struct WindowContent<Item: Hashable & Sendable, Position: Comparable & Hashable & Sendable>: Sendable {
    typealias Place = WindowPlace<Position>

    let list: any WindowList<Item, Position>
    let wraps: Bool
    var size: Int
    var items: [Item] = []
    /// The place of an empty window.
    var anchor = Place.start
    var following = LaterItems<Item>.Following.unfetched
    var hasEarlier = false
    var gaps: [Position] = []
    /// Whether the source must be queried before the window can move to its destination.
    var awaitsSource = false
    /// Whether the start of the list follows its end.
    var isRing = false

    var start: Position? { items.first.map(list.position) }
    var end: Position? { items.last.map(list.position) }
    /// The place where the list continues.
    var rest: Place { end.map { .after($0) } ?? anchor }

    func isSame(as other: WindowContent) -> Bool {
        items == other.items && following == other.following && hasEarlier == other.hasEarlier
            && size == other.size
            && anchor == other.anchor && isRing == other.isRing && gaps == other.gaps
    }

    /// The window from a place on; filled with earlier items when fewer follow.
    func moved(
        to place: Place, acrossGaps: Bool = false, in reading: borrowing Reading
    ) throws -> WindowContent {
        var content = self
        content.anchor = place
        content.awaitsSource = false
        content.isRing = try wraps && list.isWhole(in: reading)
        if content.isRing { return try content.ring(from: place, in: reading) }
        let found = try list.later(place, limit: size, acrossGaps: acrossGaps, in: reading)
        content.items = found.items
        content.following = found.following
        if !content.mayHaveMore { try content.fillEarlier(to: size, in: reading) }
        return try content.lookingAround(in: reading)
    }

    /// The window from a place on; keeps its items when nothing is stored there and the source may have more.
    func jumped(to place: Place, in reading: borrowing Reading) throws -> WindowContent {
        var content = try moved(to: place, in: reading)
        guard content.items.isEmpty, content.following == .unfetched, list.queriesSource else {
            return content
        }
        if !items.isEmpty { content = self }
        content.awaitsSource = true
        return content
    }

    /// The window from a place on after the source was queried; keeps its items when the source failed.
    func arrived(at place: Place, afterFailure: Bool, in reading: borrowing Reading) throws -> WindowContent {
        var old = self
        old.awaitsSource = false
        if afterFailure, !items.isEmpty { return old }
        let content = try moved(to: place, acrossGaps: afterFailure, in: reading)
        return content.items.isEmpty && content.following == .unfetched && !items.isEmpty ? old : content
    }

    /// The window moved forward by at most `count` items.
    func later(by count: Int, acrossGaps: Bool = false, in reading: borrowing Reading) throws -> WindowContent
    {
        guard let end, let start else { return try moved(to: anchor, acrossGaps: acrossGaps, in: reading) }
        if try wraps && list.isWhole(in: reading) { return try turned(from: start, by: count, in: reading) }
        var content = self
        let found = try list.later(.after(end), limit: count, acrossGaps: acrossGaps, in: reading)
        content.items = (items + found.items).suffix(size)
        content.following = found.following
        return try content.lookingAround(in: reading)
    }

    /// The window moved backward by at most `count` items.
    func earlier(by count: Int, in reading: borrowing Reading) throws -> WindowContent {
        guard let start else { return try moved(to: anchor, in: reading) }
        if try wraps && list.isWhole(in: reading) { return try turned(from: start, by: -count, in: reading) }
        var content = self
        let found = try list.earlier(than: start, limit: count, in: reading)
        if found.count + items.count > size { content.following = .stored }
        content.items = Array((found.reversed() + items).prefix(size))
        return try content.lookingAround(in: reading)
    }

    /// The window over the last stored items.
    func movedToEnd(in reading: borrowing Reading) throws -> WindowContent {
        guard let last = try list.earlier(than: nil, limit: size, in: reading).last else {
            return try moved(to: .start, in: reading)
        }
        var content = try moved(to: .at(list.position(of: last)), acrossGaps: true, in: reading)
        if let end = content.end {
            content.following = try list.later(.after(end), limit: 0, acrossGaps: false, in: reading)
                .following
        }
        return content
    }

    /// The window over the same stretch, read again. Missing items are replaced by following ones, then by preceding
    /// ones; new items appear between their neighbours.
    func reread(in reading: borrowing Reading) throws -> WindowContent {
        guard let start, let end else { return try moved(to: anchor, in: reading) }
        if try wraps && list.isWhole(in: reading) {
            var content = self
            content.isRing = true
            return try content.ring(from: .at(start), in: reading)
        }
        var content = self
        content.isRing = false
        let wanted = min(items.count, size)
        content.items = try list.later(.at(start), limit: size, acrossGaps: true, in: reading).items
            .filter { list.position(of: $0) <= end }
        let last = content.end ?? start
        let found = try list.later(
            content.items.isEmpty ? .at(last) : .after(last),
            limit: max(0, wanted - content.items.count), acrossGaps: false, in: reading)
        content.items += found.items
        content.following = found.following
        if content.items.isEmpty { content.anchor = .at(start) }
        if !content.mayHaveMore { try content.fillEarlier(to: wanted, in: reading) }
        return try content.lookingAround(in: reading)
    }

    /// The window with another size, and the same start if possible.
    func resized(to newSize: Int, in reading: borrowing Reading) throws -> WindowContent {
        var content = self
        content.size = newSize
        guard let start else { return try content.moved(to: anchor, in: reading) }
        return try content.moved(to: .at(start), in: reading)
    }

    private var mayHaveMore: Bool { following == .stored || (following == .unfetched && list.queriesSource) }

    private mutating func fillEarlier(to wanted: Int, in reading: borrowing Reading) throws {
        guard items.count < wanted else { return }
        let wasEmpty = items.isEmpty, position = start ?? anchor.position
        items = try list.earlier(than: position, limit: wanted - items.count, in: reading).reversed() + items
        // Between the last item and the place after which nothing follows, rows may not have been fetched.
        if wasEmpty, let end {
            following = try list.later(.after(end), limit: 0, acrossGaps: false, in: reading).following
        }
    }

    /// The window with its gaps and `hasEarlier` updated.
    private func lookingAround(in reading: borrowing Reading) throws -> WindowContent {
        var content = self
        content.gaps = try list.gaps(among: items, in: reading)
        let position = start ?? anchor.position
        content.hasEarlier =
            try position.map { try !list.earlier(than: $0, limit: 1, in: reading).isEmpty } ?? false
        return content
    }
}

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
