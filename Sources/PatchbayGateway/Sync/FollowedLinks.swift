import PatchbayCore
import PatchbayDomain

/// The links that a walk through a list has followed, to notice at once when the list leads in a circle.
struct FollowedLinks: Sendable {
    /// So many links are kept; a longer circle is noticed in its second or third round.
    static let countMax = 100_000

    private var links: Set<String> = []

    /// Notes that the page at a link was fetched; nil is the first page.
    mutating func add(_ link: String?) {
        if links.count >= Self.countMax { links.removeAll() }
        if let link { links.insert(link) }
    }

    /// Checks where a run goes next.
    ///
    /// - Parameter run: the run as it was when its last page was asked for.
    /// - Throws: `invalidResponse` when the next page was fetched already.
    func check(_ moved: StoredListRun, from run: StoredListRun, of title: String) throws {
        guard let next = moved.next, next == run.next || links.contains(next) else { return }
        throw PatchbayError(
            .invalidResponse, "the \(title) lead in a circle, back to \"\(next)\"")
    }
}
