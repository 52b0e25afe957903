/// Where users come from.
public protocol UserSource: Sendable {
    /// A page of all users in ascending id order.
    ///
    /// - Parameters:
    ///   - page: the first users after an id, or the page that a former page named as its next.
    ///   - validator: what the page's last answer was stored with; empty asks unconditionally.
    func users(_ page: UserPageRequest, ifChangedFrom validator: Validator) async throws -> Fetched<UserPage>

    /// One user with its detail.
    ///
    /// - Throws: `notFound` when the source says that there is no such user; an error with a ``Refusal`` as its cause
    ///   when it knows the user and does not tell.
    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User>
}

/// Which page of the list of all users.
public typealias UserPageRequest = PageRequest<UsersAfter>

/// The first page of users behind an id; behind 0 is the start of the list.
public struct UsersAfter: Hashable, Sendable {
    public var id: Int64

    public init(id: Int64) { self.id = id }
}

extension PageRequest where First == UsersAfter {
    /// The users whose ids are greater.
    public static func after(_ id: Int64) -> Self { .first(UsersAfter(id: id)) }
}

/// Users in ascending id order.
public typealias UserPage = Page<User>

extension Page where Item == User {
    public var users: [User] { items }

    public init(users: [User], next: String?) { self.init(users, next: next) }
}
