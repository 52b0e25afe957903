import PatchbayCore
import PatchbayDomain
import PatchbayGateway

/// What the terminal browser of users shows and what it waits for: a value that keys and answers change.
///
///     let effects = browser.handle(.key(.down))
///     let screen = browser.screen(at: now)
///
/// It neither reads nor writes anything; what shall be done it returns as effects.
struct Browser: Sendable {
    typealias Window = WindowState<StoredUser, Int64>

    /// What fills the screen.
    enum View: Sendable { case list, detail }

    /// What is typed for, with what was typed.
    enum Prompt: Hashable, Sendable {
        case goTo, search
        case name(of: String)
    }

    /// A line about what has happened.
    struct Note: Hashable, Sendable {
        var text: String
        var isError = false
    }

    /// Users that a search found, shown in place of the window.
    struct Found: Sendable {
        var text: String
        var users: [StoredUser]
        var isComplete: Bool
    }

    /// Which user is selected once the window has moved.
    enum Wish: Hashable, Sendable {
        case first, last
        /// The first one with this id or a greater one.
        case at(Int64)
    }

    let source: String
    let isOffline: Bool
    var size: ScreenSize
    var view = View.list
    var isHelping = false
    var window: Window?
    var found: Found?
    var favourites: Set<Int64> = []
    /// The id of the selected user, who may be gone by now.
    var selected: Int64?
    /// The number of the topmost row on the screen.
    var top = 0
    /// Whether the window was asked to move and has not answered.
    var isMoving = false
    var wish: Wish?
    /// The rows that keys went past the edge of the window while it was loading; negative upwards.
    var pending = 0
    /// The edge of the window when it was asked to move.
    var edge: Int64?
    /// Where somebody went last; the window is filled on that side.
    var isGoingDown = true
    var detail: StoredUser?
    var detailTop = 0
    /// Whether the source is being asked beside the window.
    var isAsking = false
    var prompt: Prompt?
    var input = ""
    var note: Note?
    /// How many requests were sent; nil when nobody counts.
    var requests: Int?

    init(source: String, isOffline: Bool, size: ScreenSize) {
        self.source = source
        self.isOffline = isOffline
        self.size = size
    }

    /// The users of the list that is shown.
    var rows: [StoredUser] { found?.users ?? window?.items ?? [] }

    /// The row of the selected user, or of the next one that is there; nil in an empty list.
    var selectedRow: Int? {
        let rows = rows
        guard !rows.isEmpty else { return nil }
        guard let selected else { return 0 }
        if let row = rows.firstIndex(where: { $0.user.id == selected }) { return row }
        return found == nil ? rows.firstIndex { $0.user.id > selected } ?? rows.count - 1 : 0
    }

    /// The user that keys are about.
    var current: StoredUser? { view == .detail ? detail : selectedRow.map { rows[$0] } }

    /// How many users fit the screen.
    var listHeight: Int { max(1, size.rows - (isRoomy ? 5 : 2)) }

    /// Whether there is room for more than the list and its state.
    var isRoomy: Bool { size.rows >= 10 }

    /// How many users the window holds: five screens, so that a step of one screen never takes the selected user away.
    var windowSize: Int { min(Limits.pageRows, 5 * listHeight) }
}

extension WindowState<StoredUser, Int64> {
    /// The rows around one of them, as far as nothing is missing between them.
    func stretch(around row: Int) -> Range<Int> {
        let gaps = gaps
        let isGap: (Int) -> Bool = { gaps.contains(items[$0].user.id) }
        let start = items.indices[...row].last(where: isGap) ?? 0
        return start..<(items.indices[(row + 1)...].first(where: isGap) ?? items.count)
    }
}
