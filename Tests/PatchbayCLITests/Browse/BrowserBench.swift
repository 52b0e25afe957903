import PatchbayCore
import PatchbayDomain

@testable import PatchbayCLI
@testable import PatchbayGateway

/// A browser without a terminal, and the window it would be told about.
struct BrowserBench {
    static let now = Timestamp(milliseconds: 1_790_000_300_000)

    var browser: Browser
    /// What the browser wanted done, since it was looked at last.
    var effects: [BrowserEffect] = []
    private var number = 0

    init(columns: Int = 80, rows: Int = 24, source: String = "api.github.com", isOffline: Bool = false) {
        browser = Browser(
            source: source, isOffline: isOffline, size: ScreenSize(columns: columns, rows: rows))
    }

    mutating func press(_ keys: BrowserKey...) { for key in keys { handle(.key(key)) } }
    mutating func type(_ text: String) { for letter in text { press(.text(String(letter))) } }
    mutating func handle(_ event: BrowserEvent) { effects += browser.handle(event) }

    /// What was wanted since the last call.
    mutating func wanted() -> [BrowserEffect] {
        defer { effects = [] }
        return effects
    }

    /// Tells of a window.
    ///
    /// - Parameter isMove: whether it is what a move led to.
    mutating func show(
        _ users: [StoredUser], hasEarlier: Bool = false, list: ListState = .more, error: PatchbayError? = nil,
        favourites: Set<Int64> = [], gaps: [Int64] = [], isMove: Bool = true
    ) {
        number += 1
        let window = Browser.Window(
            items: users, size: browser.windowSize, hasEarlier: hasEarlier,
            hasLater: list == .more && !browser.isOffline || error != nil,
            start: users.first?.user.id, end: users.last?.user.id, gaps: gaps, list: list, error: error,
            number: number)
        handle(.window(window, favourites: favourites))
        if isMove { handle(.moved) }
    }

    var text: String { browser.screen(at: Self.now).lines.map(\.text).joined(separator: "\n") + "\n" }

    /// Users with names of many widths, some hostile.
    static func users(_ ids: ClosedRange<Int64>) -> [StoredUser] {
        let names = [
            "Ada Fenwater", "大輔 山本", "👩🏽‍💻 maker", "\u{1B}[2J\u{1B}[H\rgotcha", "عمر يوسف",
            "e\u{301}\u{302}lan", "line\u{2028}break",
            "A name that is much longer than any column of the list is wide, so that it is cut",
        ]
        return ids.map { id in
            var user = User(id: id, login: "user-\(id)", url: "https://api.example.org/users/user-\(id)")
            user.type = id % 5 == 0 ? "Organization" : "User"
            user.isSiteAdmin = id % 7 == 0
            user.htmlURL = "https://www.example.org/user-\(id)"
            var detail = User.Detail(name: names[Int(id) % names.count])
            detail.bio = String(repeating: "writes \(names[Int(id + 1) % names.count]), ", count: 6)
            detail.followers = id * 1_000
            if id % 3 != 0 { user.detail = detail }
            if id % 6 == 0 { user.nameOverride = "Edited \(id)" }
            var stored = StoredUser(user: user, fetchedAt: Timestamp(milliseconds: 1_790_000_000_000))
            if id % 3 != 0 { stored.detailFetchedAt = stored.fetchedAt }
            return stored
        }
    }
}
