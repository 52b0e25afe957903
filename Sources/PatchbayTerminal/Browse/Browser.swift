package import Patchbay

/// The state of the terminal browser of a resource, a value that keys and answers change.
///
///     let effects = browser.handle(.key(.down))
///     let screen = browser.screen(at: now)
///
/// It performs no input or output; instead it returns effects to carry out.
package struct Browser: Sendable {
    typealias Window = WindowState<ListedItem, ListPosition>

    /// The content of the screen.
    enum View: Sendable { case list, detail }

    /// The purpose of the input line.
    enum Prompt: Hashable, Sendable {
        case goTo, filter
        /// Asks which field of a row to edit.
        case field(of: String)
        case text(of: String, field: String)
    }

    /// A message about the last action.
    struct Note: Hashable, Sendable {
        var text: String
        var isError = false
    }

    /// Stored rows that are shown instead of the window.
    struct Found: Sendable {
        var subject: Subject
        var items: [Item]
        var isComplete: Bool
    }

    /// The reason why stored rows are shown instead of the window.
    enum Subject: Hashable, Sendable {
        /// Their handle or title begins with a text.
        case beginning(String)
        case order(BrowserOrder)
    }

    /// A place in a list to return to.
    struct Place: Sendable {
        var found: Found?
        var subject: Subject?
        var selected: Key?
        var selectedPosition: ListPosition?
        var top: Int
    }

    /// The row to select once the window has moved.
    enum Wish: Hashable, Sendable {
        case first, last
        /// The first or the last row on the screen, in the direction of the movement.
        case edge
        /// The first row at or after this position.
        case at(ListPosition)
    }

    let resource: Resource
    let source: String
    let isOffline: Bool
    /// The orders in which the stored rows can be shown.
    let orders: [BrowserOrder]
    /// The number of rows to show as a ring; nil for a list that is scrolled.
    let ring: Int?
    /// The newest children of the rows of a ring; nil if they are not shown.
    var children: NewestChildren?
    var size: ScreenSize
    var view = View.list
    var isHelping = false
    var window: Window?
    var found: Found?
    /// The filter or order that the user has chosen; its rows may not have been read yet.
    var subject: Subject?
    /// The places where lists were left for a filter or an order, the list of the source first.
    var left: [Place] = []
    var favourites: Set<Key> = []
    /// The key of the selected row, which may have disappeared since.
    var selected: Key?
    /// The position of the selected row in the window.
    var selectedPosition: ListPosition?
    /// The number of the topmost row on the screen.
    var top = 0
    /// The effect that moves the window; the first one starts with the browser.
    var movement: BrowserEffect? = .jumpToStart
    /// The last movement, if it failed; it can be tried again.
    var failedMovement: BrowserEffect?
    /// Whether more rows of an order are being read.
    var isGrowing = false
    var wish: Wish?
    /// The number of rows that keys moved past the edge of the window while it was loading; negative upwards.
    var pending = 0
    /// The edge of the window when it began to move.
    var edge: ListPosition?
    /// The direction of the last movement; the window is filled on that side.
    var isGoingDown = true
    var detail: Item?
    var detailTop = 0
    /// Whether a refresh or a detail is being fetched, independently of the window.
    var isPrompting = false
    var prompt: Prompt?
    var input = ""
    var note: Note?
    /// The number of requests sent; nil if the source does not count them.
    var requests: Int?

    package init(
        of resource: Resource, source: String, isOffline: Bool, orders: [BrowserOrder], ring: Int? = nil,
        children: ResourceDeclaration? = nil, size: ScreenSize
    ) {
        self.resource = resource
        self.source = source
        self.isOffline = isOffline
        self.orders = orders
        self.ring = ring
        self.children = children.map { NewestChildren(declaration: $0) }
        self.size = size
    }

    /// The rows of the shown list.
    var rows: [Item] { found?.items ?? window?.items.map(\.item) ?? [] }

    /// The index of the selected row, or of the next existing one; nil in an empty list.
    var selectedRow: Int? {
        let rows = rows
        guard !rows.isEmpty else { return nil }
        guard let selected else { return 0 }
        if let row = rows.firstIndex(where: { $0.key == selected }) { return row }
        guard found == nil, let window, let selectedPosition else { return 0 }
        return window.items.firstIndex { $0.position > selectedPosition } ?? rows.count - 1
    }

    mutating func select(_ row: ListedItem?) { (selected, selectedPosition) = (row?.item.key, row?.position) }

    /// Selects a row by its index in the shown list.
    mutating func select(row: Int) {
        selected = rows[row].key
        selectedPosition = found == nil ? window?.items[row].position : nil
    }

    /// The row that keys act on.
    var current: Item? { view == .detail ? detail : selectedRow.map { rows[$0] } }

    var editable: [ResourceField] { resource.editable }

    /// The number of rows that fit on the screen.
    var listHeight: Int { max(1, size.rows - (isRoomy ? 5 : 2)) }

    /// Whether the window is moving.
    var isMoving: Bool { movement != nil }

    /// Whether there is room for more than the list and its state.
    var isRoomy: Bool { size.rows >= 10 }

    /// The number of rows in the window: those of a ring that fit on the screen; otherwise five screens, so that moving
    /// by one screen never drops the selected row.
    var windowSize: Int {
        ring.map { min($0, max(1, listHeight / linesPerRow)) } ?? min(Limits.pageRows, 5 * listHeight)
    }
}

extension WindowState<ListedItem, ListPosition> {
    /// Returns the rows around a row up to the nearest gaps.
    func stretch(around row: Int) -> Range<Int> {
        let gaps = gaps
        let isGap: (Int) -> Bool = { gaps.contains(items[$0].position) }
        let start = items.indices[...row].last(where: isGap) ?? 0
        return start..<(items.indices[(row + 1)...].first(where: isGap) ?? items.count)
    }
}
