import PatchbayCore
import PatchbayDomain

/// A walk through the pages of a list: its cursor, and the links that it has followed, to detect at once when the list
/// leads in a circle.
struct ListWalk: Sendable {
    /// The maximum number of links to keep. A circle of more links is detected only in its second or third round.
    static let linksMax = 100_000

    var run: StoredListRun
    private var links: Set<String> = []

    init(_ run: StoredListRun) { self.run = run }

    /// Moves the cursor past its page.
    mutating func advance(to moved: StoredListRun) {
        add(run.next)
        run = moved
    }

    /// Records that the page at a link was fetched; nil for the first page.
    mutating func add(_ link: String?) {
        if links.count >= Self.linksMax { links.removeAll() }
        if let link { links.insert(ListWalk.address(link)) }
    }

    /// Checks the next link of a list with this title.
    ///
    /// - Throws: `invalidResponse` when the next page has been fetched before.
    func check(_ moved: StoredListRun, of title: String) throws {
        guard let next = moved.next.map(ListWalk.address),
            next == run.next.map(ListWalk.address) || links.contains(next)
        else { return }
        throw PatchbayError(
            .invalidResponse, "the pages of \(title) lead in a circle, back to \"\(next)\"")
    }

    /// A link without its fragment, which may count the rows before the page.
    private static func address(_ link: String) -> String { String(link.prefix { $0 != "#" }) }
}
