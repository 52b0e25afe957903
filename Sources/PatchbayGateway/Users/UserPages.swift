import PatchbayCore
import PatchbayDomain

/// Where a position in the list of all users lies among the pages that were fetched, and how to ask for that
/// page.
struct PagePlace: Sendable {
    /// The page starts behind this id.
    var after: Int64
    var request: UserPageRequest
    /// The page as it was fetched last; nil when it never was.
    var stored: StoredUserPage?
    /// How often the users had been cleared when it was looked for.
    var clearings: Int64 = 0

    /// What to ask with. None for a full page at the end of the list: that it is unchanged would not prove
    /// that nothing has come behind it.
    var validator: Validator {
        guard let stored, stored.next != nil || stored.isFull == false else { return Validator() }
        return stored.validator
    }
}

extension UserSource {
    /// Asks for the page at a place. A stored link of another server is not followed: the page is then asked for by
    /// the id that it starts after.
    func users(at place: PagePlace, ifChangedFrom validator: Validator) async throws -> Fetched<UserPage> {
        do {
            return try await users(place.request, ifChangedFrom: validator)
        } catch let error as PatchbayError where error.isAboutForeignLink {
            return try await users(.after(place.after), ifChangedFrom: validator)
        }
    }
}

/// Where a page ends.
struct PageEnd: Sendable {
    var id: Int64
    /// Whether the list ends there, too.
    var isLast: Bool
}

extension Reading {
    /// The users that lists show, in id order: those that the source still tells about.
    func listedUsers(after id: Int64, limit: Int) throws -> [StoredUser] {
        var users: [StoredUser] = []
        try scan(Query(StoredUser.collection, after: .integer(id))) { row in
            if !StoredUser.isGone(row) { users.append(StoredUser(row)) }
            return users.count < limit ? .next : .stop
        }
        return users
    }

    /// The user of a list's key; nil when it is missing or no longer listed.
    func listedUser(_ key: String) throws -> User? {
        guard let id = Int64(key) else { return nil }
        let stored = try get(StoredUser.self, .integer(id))
        return stored?.goneAt == nil ? stored?.user : nil
    }

    /// Whether the list has users behind this one that were not fetched yet.
    func listGoesOn(after id: Int64) throws -> Bool {
        guard let page = try page(from: id - 1) else { return false }
        return page.next != nil
    }

    /// How many more users a list may show behind this id when it shows at most so many in all.
    func room(after id: Int64, maximum: Int?) throws -> Int {
        guard let maximum else { return .max }
        guard id > 0 else { return maximum }
        var count = 0
        let range = Bounds.between(nil, .including(.integer(id)))
        try scan(Query(StoredUser.collection, range)) { row in
            count += StoredUser.isGone(row) ? 0 : 1
            return count < maximum ? .next : .stop
        }
        return maximum - count
    }

    /// The page that was fetched for the position `id`: the nearest that starts at or before it.
    func page(from id: Int64) throws -> StoredUserPage? {
        try list(
            StoredUserPage.self,
            Query(
                StoredUserPage.collection, .between(nil, .including(.integer(id))), order: .descending,
                limit: 1)
        ).first
    }

    /// The pages that hold the users between two ids; empty when some stretch of it was never fetched as a
    /// page.
    func pages(covering start: Int64, to end: Int64) throws -> [StoredUserPage] {
        var pages: [StoredUserPage] = []
        var position = start
        while position < end {
            guard let page = try page(from: position), page.end > position else { return [] }
            pages.append(page)
            position = page.end
        }
        return pages
    }

    /// How far nothing is missing behind a position; the walk stops once it has come to `end`.
    func reach(from start: Int64, to end: Int64) throws -> Int64 {
        var position = start
        while position < end, let page = try page(from: position), page.end > position { position = page.end }
        return position
    }

    /// Whether the source said that nothing follows this position.
    func listEnds(at position: Int64) throws -> Bool {
        guard let page = try page(from: position) else { return false }
        return page.next == nil && page.end <= position
    }

    /// Finds the page for the position `id`, or, when none was fetched yet, how to ask for it.
    func place(of id: Int64) throws -> PagePlace {
        var place = try pagePlace(of: id)
        place.clearings = try clearings()
        return place
    }

    private func pagePlace(of id: Int64) throws -> PagePlace {
        guard let page = try page(from: id) else { return PagePlace(after: id, request: .after(id)) }
        if id == page.end, let next = page.next { return PagePlace(after: id, request: .next(next)) }
        if id < page.end || page.next == nil {
            return PagePlace(after: page.after, request: try request(for: page), stored: page)
        }
        return PagePlace(after: id, request: .after(id))
    }

    /// How a page was asked for: as the page before it said, or by its first id.
    private func request(for page: StoredUserPage) throws -> UserPageRequest {
        guard page.after > 0, let before = try self.page(from: page.after - 1), before.end == page.after,
            let next = before.next
        else { return .after(page.after) }
        return .next(next)
    }
}

extension Writing {
    /// Notes that a page still holds.
    ///
    /// - Throws: `conflict` when the users were cleared since the place was looked for.
    mutating func confirm(_ place: PagePlace, at time: Timestamp) throws -> PageEnd {
        try requireNoClearing(since: place.clearings)
        guard var page = place.stored else {
            throw PatchbayError(
                .invalidResponse,
                "the source says \"unchanged\" about users after \(place.after), which it never told")
        }
        page.fetchedAt = time
        try put(page)
        return PageEnd(id: page.end, isLast: page.next == nil)
    }

    /// Saves a page's users with what was edited here, and the page itself: how the list goes on.
    ///
    /// - Throws: `conflict` when the users were cleared since the place was looked for.
    mutating func save(
        _ page: UserPage, _ validator: Validator, _ place: PagePlace, at time: Timestamp
    ) throws -> PageEnd {
        try requireNoClearing(since: place.clearings)
        let end = page.users.last?.id ?? place.after
        let goesOn = page.users.first.map { $0.id > place.after } ?? (page.next == nil)
        guard goesOn else {
            throw PatchbayError(
                .invalidResponse, "the page of users after \(place.after) does not go on behind it")
        }
        for user in page.users { try save(user, at: time) }
        // Where the source says that the list ends, nothing that is stored after it is listed any more.
        let covered = page.next == nil ? nil : end
        try markGone(between: place.after, and: covered, except: Set(page.users.map(\.id)), at: time)
        try deletePages(between: place.after, and: covered)
        try put(
            StoredUserPage(
                after: place.after, end: end, next: page.next, validator: validator, fetchedAt: time,
                isFull: page.isFull))
        return PageEnd(id: end, isLast: page.next == nil)
    }

    /// Saves a user from a list, which does not touch the detail that is stored.
    mutating func save(_ user: User, at time: Timestamp) throws {
        var stored = try row(for: user, at: time)
        stored.user = user.merged(into: stored.user)
        stored.fetchedAt = time
        stored.goneAt = nil
        // The user's own address may answer again, too.
        if stored.refusal?.refusal.kind == .missing { stored.refusal = nil }
        try put(stored)
    }

    /// Notes that a list still holds a user.
    mutating func confirmListed(user key: String) throws {
        guard let id = Int64(key), var stored = try reading.get(StoredUser.self, .integer(id)),
            stored.goneAt != nil
        else { return }
        stored.goneAt = nil
        try put(stored)
    }

    /// Notes which users the page should hold and does not. They stay stored: a source hides for many
    /// reasons.
    ///
    /// - Parameter end: the last id that the page covers; nil when it is the end of the list.
    private mutating func markGone(
        between start: Int64, and end: Int64?, except listed: Set<Int64>, at time: Timestamp
    ) throws {
        let batch = 1_000
        var position = start
        while true {
            var gone: [StoredUser] = []
            let range = Bounds.between(
                .excluding(.integer(position)), end.map { .including(.integer($0)) })
            try reading.scan(Query(StoredUser.collection, range)) { row in
                if StoredUser.isGone(row) { return .next }
                let user = StoredUser(row)
                if !listed.contains(user.user.id) { gone.append(user) }
                return gone.count < batch ? .next : .stop
            }
            for var user in gone {
                user.goneAt = time
                try put(user)
            }
            guard gone.count == batch, let last = gone.last else { return }
            position = last.user.id
        }
    }

    /// Forgets pages that were fetched when the list had other borders.
    private mutating func deletePages(between start: Int64, and end: Int64?) throws {
        let range = Bounds.between(.excluding(.integer(start)), end.map { .excluding(.integer($0)) })
        for page in try reading.list(StoredUserPage.self, Query(StoredUserPage.collection, range)) {
            try delete(StoredUserPage.self, .integer(page.after))
        }
    }
}
