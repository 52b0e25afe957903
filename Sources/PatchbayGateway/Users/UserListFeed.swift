import PatchbayCore
import PatchbayDomain

/// The list of all users, over the pages that windows of it use, too. The cursor is the last id.
struct UserListFeed: ListFeed {
    let source: any UserSource
    let query: String
    let list = UserListFeed.name

    /// What the cursor is kept under.
    static let name = "users"

    func place(of run: StoredListRun, in reading: borrowing Reading) throws -> PagePlace {
        try reading.place(of: run.position)
    }

    func fetch(_ place: PagePlace) async throws -> Fetched<UserPage> {
        try await source.users(at: place, ifChangedFrom: place.validator)
    }

    func save(
        _ fetched: Fetched<UserPage>, at place: PagePlace, moving run: inout StoredListRun,
        in writing: inout Writing, at time: Timestamp
    ) throws {
        let end: PageEnd
        switch fetched {
        case .unchanged:
            end = try writing.confirm(place, at: time)
            let range = Bounds.between(.excluding(.integer(place.after)), .including(.integer(end.id)))
            run.rows += Int64(try writing.reading.count(Query(StoredUser.collection, range)))
        case .changed(let page, let validator):
            end = try writing.save(page, validator, place, at: time)
            run.rows += Int64(page.items.count)
        }
        run.position = end.id
        run.finishedAt = end.isLast ? time : nil
    }

    func pages(from run: StoredListRun, in reading: borrowing Reading) throws -> KnownPages {
        var known = KnownPages()
        let range = Bounds.between(.including(.integer(run.position)), nil)
        try reading.scan(Query(StoredUserPage.collection, range)) { row in
            let page = StoredUserPage(row)
            let place = PagePlace(after: page.after, request: .after(page.after), stored: page)
            known.count += 1
            known.conditional += place.validator == Validator() ? 0 : 1
            known.hasEnd = page.next == nil
            return .next
        }
        return known
    }
}
