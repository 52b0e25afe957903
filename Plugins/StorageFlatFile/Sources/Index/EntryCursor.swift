// Unsafe: views of pages. It holds because the cursor keeps the page.

import PatchbayCore

/// Walks the entries of one sorted list of pages: a run, or the entries in memory.
struct EntryCursor {
    /// The owner of the pages.
    enum Source {
        case delta(Delta)
        case run(Run)

        var pageCount: Int {
            switch self {
            case .delta(let delta): delta.views.count
            case .run(let run): run.pageCount
            }
        }

        func page(_ index: Int) throws -> Page {
            switch self {
            case .delta(let delta): delta.page(index)
            case .run(let run): try run.page(index)
            }
        }

        /// The page where a key is or would be.
        func pageNumber(of key: UnsafeRawBufferPointer) -> Int {
            switch self {
            case .delta(let delta): unsafe delta.spot(of: key).page
            case .run(let run): unsafe run.pageNumber(of: key)
            }
        }
    }

    private let source: Source
    private let pageCount: Int
    /// The key at which the walk ends: exclusive when ascending, inclusive when descending. Nil when it ends with the
    /// list.
    private let border: [UInt8]?
    private let isDescending: Bool
    private var number = 0
    private var page: Page
    private(set) var view: PageView
    private(set) var slot = 0
    private(set) var isDone = false

    /// Creates a cursor at the first entry of a range in walking order; nil when the range is empty.
    init?(_ source: Source, _ range: KeyRange, descending: Bool) throws {
        pageCount = source.pageCount
        guard pageCount > 0 else { return nil }
        self.source = source
        isDescending = descending
        border = descending ? (range.lower.isEmpty ? nil : range.lower) : range.upper
        let start = descending ? range.upper : range.lower
        number = unsafe start?.withUnsafeBytes { unsafe source.pageNumber(of: $0) } ?? pageCount - 1
        page = try source.page(number)
        view = page.view
        slot = unsafe start?.withUnsafeBytes { unsafe view.position(of: $0).slot } ?? view.count
        if descending { try advance() } else if slot == view.count { try turnPage() } else { checkEnd() }
        if isDone { return nil }
    }

    /// Moves to the next entry in walking order.
    @inline(__always)
    mutating func advance() throws {
        if isDescending ? slot == 0 : slot + 1 == view.count { return try turnPage() }
        slot += isDescending ? -1 : 1
        checkEnd()
    }

    private mutating func turnPage() throws {
        number += isDescending ? -1 : 1
        isDone = number < 0 || number == pageCount
        if isDone { return }
        page = try source.page(number)
        view = page.view
        slot = isDescending ? view.count - 1 : 0
        checkEnd()
    }

    /// Whether the walk has left the range.
    @inline(__always)
    private mutating func checkEnd() {
        guard let border else { return }
        let order = unsafe border.withUnsafeBytes { unsafe compareKeys(view.key(slot), $0) }
        isDone = isDescending ? order < 0 : order >= 0
    }
}
