import PatchbayCore
import PatchbayDomain

extension ListUsers {
    /// Which users a window is to hold.
    struct Stretch: Sendable {
        var after: Int64
        var limit: Int
        /// How many users the whole list has at most.
        var maximum: Int?
    }
}

extension Reading {
    /// The window as far as it is stored; nothing when nothing is known about it.
    func stored(_ stretch: ListUsers.Stretch) throws -> LocalFirst<ListUsers.Window>.Stored {
        let size = try size(of: stretch)
        guard size > 0 else { return .init(value: .init(users: [], next: nil, state: limit(of: stretch))) }
        let found = try listedUsers(after: stretch.after, limit: size + 1)
        let users = found.prefix(size)
        guard let last = users.last else { return try end(after: stretch.after) }
        let pages = try pages(covering: stretch.after, to: last.user.id)
        let oldest = pages.map(\.fetchedAt).min() ?? users.map(\.fetchedAt).min()
        var window = try window(users, of: stretch, hasMore: found.count > size, last: last.user.id)
        window.gaps = try gaps(after: stretch.after, before: users.lazy.map(\.user.id))
        return .init(value: window, fetchedAt: oldest)
    }

    /// How many users the window may hold.
    func size(of stretch: ListUsers.Stretch) throws -> Int {
        min(stretch.limit, try room(after: stretch.after, maximum: stretch.maximum))
    }

    /// Whether as many users are stored as the window may hold, none of them behind a position.
    func isFull(_ stretch: ListUsers.Stretch, through position: Int64) throws -> Bool {
        let size = try size(of: stretch)
        let users = try listedUsers(after: stretch.after, limit: size)
        return users.count == size && users.allSatisfy { $0.user.id <= position }
    }

    private func window(
        _ users: ArraySlice<StoredUser>, of stretch: ListUsers.Stretch, hasMore: Bool, last: Int64
    ) throws -> ListUsers.Window {
        let values = users.map(\.user)
        let goesOn = try hasMore || listGoesOn(after: last)
        if try !goesOn && page(from: last - 1) != nil {
            return .init(users: values, next: nil, state: .endOfSource)
        }
        if try room(after: last, maximum: stretch.maximum) == 0 {
            return .init(users: values, next: nil, state: limit(of: stretch))
        }
        return .init(users: values, next: goesOn ? last : nil, state: .more)
    }

    /// What stands behind the last stored user.
    private func end(after id: Int64) throws -> LocalFirst<ListUsers.Window>.Stored {
        guard let page = try page(from: id), page.next == nil else { return .init() }
        return .init(
            value: .init(users: [], next: nil, state: .endOfSource), fetchedAt: page.fetchedAt)
    }

    private func limit(of stretch: ListUsers.Stretch) -> ListState {
        stretch.maximum.map { .limitReached($0) } ?? .more
    }
}
