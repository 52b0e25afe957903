import PatchbayCore
import PatchbayDomain

/// A list that is fetched page by page. Defines how the page at a cursor is requested and stored.
protocol ListFeed: Sendable {
    associatedtype Page: StoredPage
    typealias Place = ListPlace<Page>

    var gateway: Gateway { get }
    /// The list's name, under which its cursor is stored.
    var list: String { get }
    /// The name of the list in messages.
    var title: String { get }
    var resource: Resource { get }
    /// The question and the source's identity, to which the cursor is bound.
    var query: String { get }

    func place(of run: StoredListRun, in reading: borrowing Reading) throws -> Place

    /// Names the request for the page at a place, identically in every gateway that needs this page of this source.
    func name(of place: Place) -> String

    func fetch(_ place: Place) async throws -> Fetched<ItemPage>

    /// The run after a finished one, limited to newer rows if the source supports that, or in place of one that starts
    /// over.
    func run(after finished: StoredListRun?, at time: Timestamp) -> StoredListRun

    /// Saves the page and moves the cursor past it.
    func save(
        _ fetched: Fetched<ItemPage>, at place: Place, moving run: inout StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws -> RowChanges

    /// The cursor of an interrupted run before its last page, which is requested again because rows may have moved
    /// across its end since; nil if they cannot have.
    func lastPage(of run: StoredListRun, in reading: borrowing Reading) throws -> StoredListRun?

    /// The rows that a finished run was the first to lack.
    func missingRows(of run: StoredListRun, limit: Int, in reading: borrowing Reading) throws -> [Item]

    /// The finished run after rows that it lacked were requested at their own addresses.
    func settled(_ run: StoredListRun, in writing: inout Writing) throws -> StoredListRun

    /// What the reader of a finished run should know.
    ///
    /// - Parameter ahead: the number of rows with a time in the future (``RowChanges/ahead``).
    func notes(on run: StoredListRun, ahead: Int64) -> [String]

    /// The stored pages from the cursor on.
    func pages(from run: StoredListRun, in reading: borrowing Reading) throws -> KnownPages

    /// Whether the stored pages are a whole list, as a finished run left them.
    func isConnected(in reading: borrowing Reading) throws -> Bool

    /// The walk that has arrived at the cursor of a run.
    func walk(at run: StoredListRun, in reading: borrowing Reading) throws -> ListWalk
}

extension ListFeed {
    func fetch(_ place: Place) async throws -> Fetched<ItemPage> {
        try await gateway.requireFeed().page(place.request, ifChangedFrom: place.validator)
    }

    func run(after finished: StoredListRun?, at time: Timestamp) -> StoredListRun {
        StoredListRun(list: list, query: query, startedAt: time)
    }

    func lastPage(of run: StoredListRun, in reading: borrowing Reading) throws -> StoredListRun? { nil }

    func missingRows(of run: StoredListRun, limit: Int, in reading: borrowing Reading) throws -> [Item] { [] }

    func settled(_ run: StoredListRun, in writing: inout Writing) throws -> StoredListRun { run }

    func notes(on run: StoredListRun, ahead: Int64) -> [String] { [] }

    func pages(from run: StoredListRun, in reading: borrowing Reading) throws -> KnownPages { KnownPages() }

    func isConnected(in reading: borrowing Reading) throws -> Bool { true }

    func walk(at run: StoredListRun, in reading: borrowing Reading) throws -> ListWalk { ListWalk(run) }

    /// Saves a page.
    ///
    /// - Returns: the cursor moved past the page.
    func move(
        _ walk: ListWalk, past fetched: Fetched<ItemPage>, at place: Place, in writing: inout Writing,
        at time: Timestamp
    ) throws -> (StoredListRun, RowChanges) {
        var moved = walk.run
        moved.pages += 1
        note(query, in: &moved)
        var changes = try save(fetched, at: place, moving: &moved, in: &writing, at: time)
        if case .changed(let page, _) = fetched { changes.drift.add(page, of: resource, in: &moved) }
        try walk.check(moved, of: title)
        return (moved, changes)
    }

    /// Records in a run that a page is of another query, because the source has replaced its credentials since.
    private func note(_ query: String, in run: inout StoredListRun) {
        if run.query == query { return }
        if run.pages == 1, run.since == nil {
            run.query = query
        } else {
            let shortfall = Shortfall(
                .end,
                "the token was replaced while the \(title) were fetched, maybe by one of another account; sync them "
                    + "again, or name the account of the tokens in the configuration")
            run.incomplete = run.incomplete ?? shortfall.stored
        }
    }

    /// The error for an answer that confirms a page which was requested unconditionally.
    var unchangedWithoutCondition: PatchbayError {
        PatchbayError(
            .invalidResponse,
            "the source reports \"unchanged\" for \(title), but the request was unconditional")
    }
}

/// The request for a page of a list, and the page as it was last fetched.
struct ListPlace<Page: StoredPage>: Sendable {
    var request: ItemRequest
    /// Nil when it was never fetched, or must be requested unconditionally.
    var stored: Page?
    /// The state of the resource when the page was looked up.
    var before: StoredBefore

    /// The validator to send.
    var validator: Validator { stored?.usableValidator ?? Validator() }

    /// The same place with an unconditional request.
    var unconditional: ListPlace { ListPlace(request: request, stored: nil, before: before) }
}

/// A page of a list as it is stored.
protocol StoredPage: StoredRecord, Sendable {
    var next: String? { get }
    var isFull: Bool { get }
    var validator: Validator { get set }
    var fetchedAt: Timestamp { get set }
    /// The last change number when it was saved.
    var changeNumber: Int64? { get }
    /// The keys of its rows, if they are stored with it.
    var keys: [KeyText] { get }
    /// Why rows may be missing; nil when none are.
    var incomplete: String? { get }
}

extension StoredListPage: StoredPage {}
extension StoredListStretch: StoredPage {
    var keys: [KeyText] { [] }
}

extension StoredPage {
    /// The validator to send. A full last page has none, because a 304 would not prove that no further page has
    /// appeared, and so has a page from which rows may be missing, because the reason may be over.
    var usableValidator: Validator {
        next == nil && isFull || incomplete != nil ? Validator() : validator
    }
}

/// The stored pages of the rest of a list.
struct KnownPages: Sendable {
    var count = 0
    /// The number of pages that can be requested conditionally.
    var conditional = 0
    /// Whether the last of them is the last page of the list.
    var hasEnd = false

    mutating func add(_ page: some StoredPage, for identity: String) {
        count += 1
        let validator = page.usableValidator
        conditional += validator.isCondition && validator.isValid(for: identity) ? 1 : 0
        hasEnd = page.next == nil
    }
}

extension Fetched {
    var isUnchanged: Bool { if case .unchanged = self { true } else { false } }
}

/// A walk through the pages of a list: its cursor, and the links that it has followed, to detect at once when the list
/// leads in a circle.
struct ListWalk: Sendable {
    /// The maximum number of links to keep. A circle of more links is detected only in its second or third round.
    static let linksMax = 100_000

    var run: StoredListRun
    /// Whether the source has returned the link to the next page since the walk began. It may have expired otherwise.
    var hasNewLink = false
    private var links: Set<String> = []

    init(_ run: StoredListRun) { self.run = run }

    /// Moves the cursor past its page.
    ///
    /// - Parameter hasNewLink: whether the source has returned the page, and not only confirmed the stored one.
    mutating func advance(to moved: StoredListRun, hasNewLink: Bool = false) {
        add(run.next)
        run = moved
        self.hasNewLink = hasNewLink
    }

    /// Whether an error may be about the link to the next page, so that the list can be requested from its start.
    func isAboutLink(_ error: PatchbayError) -> Bool {
        run.next != nil && (error.isAboutRefusedLink || error.code == .invalidValue && !hasNewLink)
    }

    /// An error about the page at the cursor, which states that further rows are missing if the source refuses it.
    func error(_ error: PatchbayError) -> PatchbayError {
        let isRefusal = error.status != nil && error.isAboutRow && error.code != .invalidResponse
        guard run.next != nil, run.pages > 0, isRefusal || error.isAboutVoidCursor else { return error }
        return PatchbayError(
            error.code,
            "after \(Count.words(run.pages, "page")), the next one was refused, so further rows are missing: "
                + error.message,
            error.details, cause: error.cause)
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

extension [KeyText] {
    /// Whether a page has the rows of a former one, which may have moved towards the end: no row has moved to a page
    /// before it then.
    func holdsStart(of former: [KeyText]) -> Bool {
        if self == former { return true }
        guard let first = former.first, let start = firstIndex(of: first) else { return false }
        return zip(self[start...], former).allSatisfy(==)
    }
}
