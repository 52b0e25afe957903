import PatchbayCore
import PatchbayDomain

@testable import PatchbayCLI
@testable import PatchbayGateway
@testable import PatchbayTerminal

/// A browser without a terminal, with a window that the test provides.
struct BrowserBench {
    static let now = Timestamp(milliseconds: 1_790_000_300_000)

    var browser: Browser
    /// The browser's effects since they were last read.
    var effects: [BrowserEffect] = []
    private var number = 0

    init(
        columns: Int = 80, rows: Int = 24, source: String = "api.github.com", isOffline: Bool = false,
        ring: Int? = nil, children: ResourceDeclaration? = nil
    ) {
        browser = Browser(
            of: BrowserBench.resource, source: source, isOffline: isOffline,
            orders: BrowserBench.resource.orders(isWhole: true), ring: ring, children: children,
            size: ScreenSize(columns: columns, rows: rows))
    }

    /// A browser that shows the first 57 rows of a list.
    static func listing() -> BrowserBench {
        var bench = BrowserBench()
        bench.show(users(1...57))
        _ = bench.wanted()
        return bench
    }

    mutating func press(_ keys: BrowserKey...) { for key in keys { handle(.key(key)) } }
    mutating func type(_ text: String) { for letter in text { press(.text(String(letter))) } }
    mutating func handle(_ event: BrowserEvent) { effects += browser.handle(event) }

    /// Returns the effects since the last call.
    mutating func wanted() -> [BrowserEffect] {
        defer { effects = [] }
        return effects
    }

    /// Reports a window.
    ///
    /// - Parameter isMove: whether the window has finished moving.
    mutating func show(
        _ items: [Item], hasEarlier: Bool = false, list: ListState = .more, error: PatchbayError? = nil,
        favourites: Set<Int64> = [], gaps: [Int64] = [], isRing: Bool = false, isMove: Bool = true
    ) {
        number += 1
        let rows = items.enumerated().map { place, item in
            ListedItem(item, at: item.order.map { ListPosition($0) } ?? ListPosition(0, place: place))
        }
        let window = Browser.Window(
            items: rows, size: browser.windowSize, hasEarlier: hasEarlier,
            hasLater: list == .more && !browser.isOffline || error != nil, isRing: isRing,
            start: rows.first?.position, end: rows.last?.position, gaps: gaps.map { ListPosition($0) },
            list: list, error: error, number: number)
        handle(.window(window, favourites: Set(favourites.map { .integer($0) })))
        if isMove, let movement = browser.movement { handle(.moved(by: movement)) }
    }

    /// The rows of a filter or an order.
    static func found(
        _ ids: ClosedRange<Int64>, _ subject: Browser.Subject, isComplete: Bool = true,
        favourites: Set<Key> = []
    ) -> BrowserEvent {
        let found = Browser.Found(subject: subject, items: users(ids), isComplete: isComplete)
        return .found(found, favourites: favourites)
    }

    /// The number of the selected row.
    var selected: Int64? {
        guard case .integer(let id) = browser.selected else { return nil }
        return id
    }

    var text: String { browser.screen(at: Self.now).lines.map(\.text).joined(separator: "\n") + "\n" }

    static let resource = Resource.sample(DeclaredSample.people)

    /// Rows with names of many widths, some hostile.
    static func users(_ ids: ClosedRange<Int64>) -> [Item] { ids.map { user($0, hasDetail: $0 % 3 != 0) } }

    static func user(_ id: Int64, hasDetail: Bool, name: String? = nil) -> Item {
        let names = [
            "Ada Fenwater", "大輔 山本", "👩🏽‍💻 maker", "\u{1B}[2J\u{1B}[H\rgotcha", "عمر يوسف",
            "e\u{301}\u{302}lan", "line\u{2028}break",
            "A name that is much longer than any column of the list is wide, so that it is cut",
        ]
        var values: [String: ItemValue] = [
            "id": .integer(id), "login": .text("user-\(id)"),
            "url": .text("https://api.example.org/users/user-\(id)"),
            "html_url": .text("https://www.example.org/user-\(id)"),
            "type": .text(id % 5 == 0 ? "Organization" : "User"), "site_admin": .boolean(id % 7 == 0),
        ]
        if hasDetail {
            values["name"] = .text(name ?? names[Int(id) % names.count])
            let bio = String(repeating: "writes \(names[Int(id + 1) % names.count]), ", count: 6)
            values["bio"] = .text(bio)
            values["followers"] = .integer(id * 1_000)
        }
        return resource.item(
            values, edits: id % 6 == 0 ? ["name": "Edited \(id)"] : [:],
            fetchedAt: Timestamp(milliseconds: 1_790_000_000_000), hasDetail: hasDetail)
    }
}
