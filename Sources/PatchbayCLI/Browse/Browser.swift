import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What the terminal browser of a resource shows and what it waits for: a value that keys and answers change.
///
///     let effects = browser.handle(.key(.down))
///     let screen = browser.screen(at: now)
///
/// It neither reads nor writes anything; what shall be done it returns as effects.
struct Browser: Sendable {
    typealias Window = WindowState<ListedItem, ListPosition>

    /// What fills the screen.
    enum View: Sendable { case list, detail }

    /// What is typed for, with what was typed.
    enum Prompt: Hashable, Sendable {
        case goTo, search
        /// Which field of a row is edited.
        case field(of: String)
        case text(of: String, field: String)
    }

    /// A line about what has happened.
    struct Note: Hashable, Sendable {
        var text: String
        var isError = false
    }

    /// Rows that a search found, shown in place of the window.
    struct Found: Sendable {
        var text: String
        var items: [Item]
        var isComplete: Bool
    }

    /// Which row is selected once the window has moved.
    enum Wish: Hashable, Sendable {
        case first, last
        /// The first one at this position or behind it.
        case at(ListPosition)
    }

    let resource: Resource
    let source: String
    let isOffline: Bool
    var size: ScreenSize
    var view = View.list
    var isHelping = false
    var window: Window?
    var found: Found?
    var favourites: Set<Key> = []
    /// The key of the selected row, which may be gone by now.
    var selected: Key?
    /// Where the selected row stood in the window.
    var selectedPosition: ListPosition?
    /// The number of the topmost row on the screen.
    var top = 0
    /// Whether the window was asked to move and has not answered.
    var isMoving = false
    var wish: Wish?
    /// The rows that keys went past the edge of the window while it was loading; negative upwards.
    var pending = 0
    /// The edge of the window when it was asked to move.
    var edge: ListPosition?
    /// Where somebody went last; the window is filled on that side.
    var isGoingDown = true
    var detail: Item?
    var detailTop = 0
    /// Whether the source is being asked beside the window.
    var isAsking = false
    var prompt: Prompt?
    var input = ""
    var note: Note?
    /// How many requests were sent; nil when nobody counts.
    var requests: Int?

    init(of resource: Resource, source: String, isOffline: Bool, size: ScreenSize) {
        self.resource = resource
        self.source = source
        self.isOffline = isOffline
        self.size = size
    }

    /// The rows of the list that is shown.
    var rows: [Item] { found?.items ?? window?.items.map(\.item) ?? [] }

    /// The place of the selected row, or of the next one that is there; nil in an empty list.
    var selectedRow: Int? {
        let rows = rows
        guard !rows.isEmpty else { return nil }
        guard let selected else { return 0 }
        if let row = rows.firstIndex(where: { $0.key == selected }) { return row }
        guard found == nil, let window, let selectedPosition else { return 0 }
        return window.items.firstIndex { $0.position > selectedPosition } ?? rows.count - 1
    }

    mutating func select(_ row: ListedItem?) { (selected, selectedPosition) = (row?.item.key, row?.position) }

    /// Selects a row that is shown.
    mutating func select(row: Int) {
        selected = rows[row].key
        selectedPosition = found == nil ? window?.items[row].position : nil
    }

    /// The row that keys are about.
    var current: Item? { view == .detail ? detail : selectedRow.map { rows[$0] } }

    /// What may be edited.
    var editable: [ResourceField] { resource.editable }

    /// How many rows fit the screen.
    var listHeight: Int { max(1, size.rows - (isRoomy ? 5 : 2)) }

    /// Whether there is room for more than the list and its state.
    var isRoomy: Bool { size.rows >= 10 }

    /// How many rows the window holds: five screens, so that a step of one screen never takes the selected row away.
    var windowSize: Int { min(Limits.pageRows, 5 * listHeight) }
}

extension WindowState<ListedItem, ListPosition> {
    /// The rows around one of them, as far as nothing is missing between them.
    func stretch(around row: Int) -> Range<Int> {
        let gaps = gaps
        let isGap: (Int) -> Bool = { gaps.contains(items[$0].position) }
        let start = items.indices[...row].last(where: isGap) ?? 0
        return start..<(items.indices[(row + 1)...].first(where: isGap) ?? items.count)
    }
}
