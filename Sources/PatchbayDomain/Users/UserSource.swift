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
    /// - Throws: `notFound` when the source says that there is no such user.
    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User>
}

/// Which page of the list of all users.
public enum UserPageRequest: Hashable, Sendable {
    /// The users whose ids are greater.
    case after(Int64)
    /// What ``UserPage/next`` said; only the source understands it.
    case next(String)
}

/// Users in ascending id order, as a source gave them.
public struct UserPage: Hashable, Sendable {
    public var users: [User]
    /// How to ask for the page behind this one; nil at the end of the list.
    public var next: String?

    public init(users: [User], next: String?) {
        self.users = users
        self.next = next
    }
}
