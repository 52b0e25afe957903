import PatchbayCore
import PatchbayDomain

/// A list that is fetched page by page. Defines how the page at a cursor is requested and stored.
protocol ListFeed: Sendable {
    /// The content of a page.
    associatedtype Content: Sendable
    /// The place of a page, and the request for it.
    associatedtype Place: Sendable

    /// The list's name, under which its cursor is stored.
    var list: String { get }
    /// The name of the list in messages.
    var title: String { get }
    /// The question and the source's identity, to which the cursor is bound.
    var query: String { get }

    func place(of run: StoredListRun, in reading: borrowing Reading) throws -> Place

    /// Names the request for the page at a place, identically in every gateway that needs this page of this source.
    func name(of place: Place) -> String

    func fetch(_ place: Place) async throws -> Fetched<Content>

    /// The run after a finished one, limited to newer rows if the source supports that.
    func run(after finished: StoredListRun?, at time: Timestamp) -> StoredListRun

    /// Saves the page and moves the cursor past it.
    func save(
        _ fetched: Fetched<Content>, at place: Place, moving run: inout StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws -> RowChanges

    /// The stored pages from the cursor on.
    func pages(from run: StoredListRun, in reading: borrowing Reading) throws -> KnownPages

    /// The links that a run has followed up to its cursor.
    func followed(by run: StoredListRun, in reading: borrowing Reading) throws -> FollowedLinks
}

extension ListFeed {
    var title: String { list }

    func run(after finished: StoredListRun?, at time: Timestamp) -> StoredListRun {
        StoredListRun(list: list, query: query, startedAt: time)
    }

    func followed(by run: StoredListRun, in reading: borrowing Reading) throws -> FollowedLinks {
        FollowedLinks()
    }
}

/// The stored pages of the rest of a list.
struct KnownPages: Sendable {
    var count = 0
    /// The number of pages that can be requested conditionally.
    var conditional = 0
    /// Whether the last of them is the last page of the list.
    var hasEnd = false
}
