import PatchbayCore
import PatchbayDomain

/// The links that a walk through a list has followed, to detect at once when the list leads in a circle.
struct FollowedLinks: Sendable {
    /// The maximum number of links to keep. A circle of more links is detected only in its second or third round.
    static let countMax = 100_000

    private var links: Set<String> = []

    /// Records that the page at a link was fetched; nil for the first page.
    mutating func add(_ link: String?) {
        if links.count >= Self.countMax { links.removeAll() }
        if let link { links.insert(link) }
    }

    /// Checks the next link of a run.
    ///
    /// - Parameter run: the run as it was when its last page was requested.
    /// - Throws: `invalidResponse` when the next page has been fetched before.
    func check(_ moved: StoredListRun, from run: StoredListRun, of title: String) throws {
        guard let next = moved.next, next == run.next || links.contains(next) else { return }
        throw PatchbayError(
            .invalidResponse, "the pages of \(title) lead in a circle, back to \"\(next)\"")
    }
}
