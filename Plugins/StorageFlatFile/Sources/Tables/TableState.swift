import PatchbayCore

/// A collection at one moment: its data file up to a length, and its indexes.
struct TableState: Sendable {
    let layout: LineLayout
    var log: Log
    /// The end of the last committed line.
    var length: Int
    /// The index of the primary key, then those of ``CollectionSchema/indexes``.
    var indexes: [IndexState]
    var rowCount = 0
    /// The bytes of the lines that hold a current row; the others are waste.
    var liveBytes = 0
    /// The last transaction that touched the collection.
    var lastCommit: UInt64 = 0
    /// The number of changes of the indexes that no checkpoint covers.
    var changeCount = 0

    /// The state of a file without lines.
    ///
    /// - Parameter pages: the file for the pages of the indexes; nil to keep them in memory.
    init(_ layout: LineLayout, _ log: Log, _ pages: IndexFile?) {
        self.layout = layout
        self.log = log
        length = log.headerBytes
        indexes = (0...layout.collection.indexes.count).map { _ in IndexState(pages) }
    }

    var collection: CollectionSchema { layout.collection }

    /// The file with the pages of the indexes; nil when all are in memory.
    var pages: IndexFile? { indexes[0].file }

    /// The bytes of the file that do not hold a current row.
    var waste: Int { length - liveBytes }

    /// The primary key, then the other indexes, in the order of ``indexes``.
    var declaredIndexes: [Index] { [collection.primaryKey] + collection.indexes }

    func index(_ query: Query) -> IndexState {
        query.indexPlace.map { indexes[$0 + 1] } ?? indexes[0]
    }
}

// Unsafe: lines are addressed in scratch memory. This is safe because a line is parsed only after all its bytes have
// been read.

import PatchbayCore

extension TableState {
    /// Visits a row and returns the place of its line; nil when there is no such row.
    func get(
        _ key: Key, _ fields: FieldSet, _ unwritten: Unwritten?, _ scratch: Scratch,
        _ visit: (borrowing RowView) throws -> Void
    ) throws -> Place? {
        scratch.key.removeAll(keepingCapacity: true)
        try collection.appendKey(key, in: collection.primaryKey, to: &scratch.key)
        guard let place = try unsafe scratch.key.withUnsafeBytes({ try unsafe indexes.span[0].find($0) })
        else {
            return nil
        }
        try visitRow(at: place, unwritten, scratch, fields: fields, visit)
        return place
    }

    func visitRow(
        at place: Place, _ unwritten: Unwritten?, _ scratch: Scratch, fields: FieldSet = .all,
        _ visit: (borrowing RowView) throws -> Void
    ) throws {
        try read(place, unwritten, scratch)
        var parser = LineParser(into: scratch.row)
        try unsafe parse(UnsafeRawPointer(scratch.lines.base), place, fields, &parser)
        try scratch.visitRow(visit)
    }

    /// Visits the rows that a query finds, in its order.
    ///
    /// Places are collected in small batches, so that neighbouring lines are read together.
    func scan(
        _ query: Query, _ unwritten: Unwritten?, _ scratch: Scratch,
        _ visit: (borrowing RowView) throws -> Step
    ) throws {
        var left = query.limit
        guard left > 0 else { return }
        var cursor = try index(query).walk(query.keyRange(), query.order)
        var batch = left <= 64 ? left : 16
        while left > 0 {
            scratch.places.removeAll(keepingCapacity: true)
            while scratch.places.count < min(batch, left), let place = try cursor.next() {
                scratch.places.append(place)
            }
            if scratch.places.isEmpty { return }
            left -= scratch.places.count
            if case .stop = try visitRows(query.fields, unwritten, scratch, visit) { return }
            batch = min(batch * 2, 512)
        }
    }

    /// Visits the rows at the collected places.
    private func visitRows(
        _ fields: FieldSet, _ unwritten: Unwritten?, _ scratch: Scratch,
        _ visit: (borrowing RowView) throws -> Step
    ) throws -> Step {
        var first = 0, step = Step.next, parser = LineParser(into: scratch.row)
        while first < scratch.places.count {
            let (stretch, next) = stretch(from: first, scratch.places, unwritten)
            try read(stretch, unwritten, scratch)
            for place in scratch.places[first..<next] {
                let line = unsafe UnsafeRawPointer(scratch.lines.base + (place.offset - stretch.offset))
                try unsafe parse(line, place, fields, &parser)
                try scratch.visitRow { step = try visit($0) }
                if case .stop = step { return .stop }
            }
            first = next
        }
        return .next
    }

    /// Returns the bytes to read together for the places from `first` on, and the first place outside them.
    private func stretch(from first: Int, _ places: [Place], _ unwritten: Unwritten?) -> (Place, Int) {
        var low = places[first].offset, high = places[first].end
        let border = unwritten?.start ?? .max
        var next = first + 1
        while next < places.count {
            let place = places[next]
            let isNear = place.offset <= high + 1024 && place.end + 1024 >= low
            let (newLow, newHigh) = (min(low, place.offset), max(high, place.end))
            let isOneSide = newHigh <= border || newLow >= border
            guard isNear, isOneSide, newHigh - newLow <= 1 << 18 else { break }
            (low, high) = (newLow, newHigh)
            next += 1
        }
        return (Place(offset: low, length: high - low), next)
    }

    /// Reads bytes of the file, or of the lines not written to it yet, into the scratch memory.
    private func read(_ place: Place, _ unwritten: Unwritten?, _ scratch: Scratch) throws {
        scratch.lines.count = 0
        scratch.lines.reserve(place.length)
        if let unwritten, place.offset >= unwritten.start {
            let source = unsafe unwritten.bytes.base + (place.offset - unwritten.start)
            return unsafe scratch.lines.base.copyMemory(from: source, byteCount: place.length)
        }
        let count = try unsafe log.file.read(place.length, at: place.offset, into: scratch.lines.base)
        guard count == place.length else { throw log.damaged(at: place.offset) }
    }

    /// Checks a line and parses it.
    private func parse(
        _ line: UnsafeRawPointer, _ place: Place, _ fields: FieldSet, _ parser: inout LineParser
    ) throws {
        guard unsafe Line.isSound(line, place.length, at: place.offset, generation: log.generation),
            unsafe parser.parse(line, place.length, layout, fields) == .row
        else { throw log.damaged(at: place.offset) }
    }

    func count(_ query: Query) throws -> Int {
        if case .all = query.bounds, query.after == nil { return min(rowCount, query.limit) }
        var count = 0
        var cursor = try index(query).walk(try query.keyRange(), query.order)
        while count < query.limit, try cursor.next() != nil { count += 1 }
        return count
    }
}
