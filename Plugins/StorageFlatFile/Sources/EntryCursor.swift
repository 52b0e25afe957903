// Unsafe: views of pages. It holds because the cursor keeps the pages' owner.

/// Walks the entries of one sorted list of pages: a run, or what is in memory.
struct EntryCursor {
    /// The owner of the pages.
    enum Source {
        case delta(Delta)
        case run(Run)

        var pageCount: Int {
            switch self {
            case .delta(let delta): delta.pages.count
            case .run(let run): run.pageCount
            }
        }

        func view(_ page: Int) throws -> PageView {
            switch self {
            case .delta(let delta): delta.pages[page].view
            case .run(let run): try run.page(page)
            }
        }

        func pageIndex(of key: UnsafeRawBufferPointer) -> Int {
            switch self {
            case .delta(let delta): delta.pageIndex(of: key)
            case .run(let run): run.fences.page(of: key)
            }
        }
    }

    /// An entry's place in the list; behind the last entry it is (page count, 0).
    struct Position: Comparable {
        var page: Int
        var slot: Int

        static func < (left: Position, right: Position) -> Bool {
            left.page != right.page ? left.page < right.page : left.slot < right.slot
        }
    }

    private let source: Source
    private let pageCount: Int
    private var low = Position(page: 0, slot: 0)
    private var high: Position
    private(set) var view: PageView
    private(set) var slot = 0
    private(set) var isDone: Bool
    private let isDescending: Bool

    /// A cursor at the first entry of a range in walking order; nil when there is none.
    init?(_ source: Source, _ lower: [UInt8], _ upper: [UInt8]?, descending: Bool) throws {
        pageCount = source.pageCount
        guard pageCount > 0 else { return nil }
        self.source = source
        isDescending = descending
        isDone = false
        high = Position(page: pageCount, slot: 0)
        view = try source.view(0)
        if !lower.isEmpty { low = try position(notBefore: lower) }
        if let upper { high = try position(notBefore: upper) }
        guard low < high else { return nil }
        if descending { try stepBack(from: high) } else { try stand(at: low) }
    }

    /// Moves to the next entry in walking order.
    @inline(__always)
    mutating func advance() throws {
        if isDescending {
            if low < high { try stepBack(from: high) } else { isDone = true }
        } else {
            low.slot += 1
            slot = low.slot
            if slot == view.count { try turnPage() }
            isDone = low >= high
        }
    }

    private mutating func turnPage() throws {
        low = Position(page: low.page + 1, slot: 0)
        slot = 0
        if low < high { view = try source.view(low.page) }
    }

    private mutating func stand(at position: Position) throws {
        view = try source.view(position.page)
        slot = position.slot
    }

    /// Stands at the entry before `position`; `high` is then that entry.
    private mutating func stepBack(from position: Position) throws {
        if position.slot > 0 {
            try stand(at: Position(page: position.page, slot: position.slot - 1))
        } else {
            view = try source.view(position.page - 1)
            slot = view.count - 1
        }
        high = Position(page: position.slot > 0 ? position.page : position.page - 1, slot: slot)
    }

    private func position(notBefore key: [UInt8]) throws -> Position {
        try key.withUnsafeBytes { key in
            let page = source.pageIndex(of: key)
            let view = try source.view(page)
            let slot = view.position(of: key).slot
            return slot < view.count ? Position(page: page, slot: slot) : Position(page: page + 1, slot: 0)
        }
    }
}
