import PatchbayCore
import PatchbayDomain

/// A list that is fetched page by page: how to ask for the page at a cursor, and how to keep it.
protocol ListFeed: Sendable {
    /// What a page holds.
    associatedtype Content: Sendable
    /// Where a page lies, and how to ask for it.
    associatedtype Place: Sendable

    /// The list's name, which its cursor is kept under.
    var list: String { get }
    /// What messages call it.
    var title: String { get }
    /// What the cursor is bound to: the question, and whom it is asked of.
    var query: String { get }

    func place(of run: StoredListRun, in reading: borrowing Reading) throws -> Place

    /// Names the request for the page at a place, the same for every gateway that wants this page of this source.
    func name(of place: Place) -> String

    func fetch(_ place: Place) async throws -> Fetched<Content>

    /// The run that follows one that has finished: only what is newer where the source can say that.
    func run(after finished: StoredListRun?, at time: Timestamp) -> StoredListRun

    /// Saves the page and moves the cursor past it.
    func save(
        _ fetched: Fetched<Content>, at place: Place, moving run: inout StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws -> RowChanges

    /// The pages that are stored from the cursor on.
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

/// What is stored of the rest of a list.
struct KnownPages: Sendable {
    var count = 0
    /// Those that can be asked for conditionally.
    var conditional = 0
    /// Whether the last of them is the end of the list.
    var hasEnd = false
}
