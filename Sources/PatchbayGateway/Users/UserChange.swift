public import PatchbayDomain

/// What became of one user in a watched list. A list in the order of ids has no moves.
public enum UserChange: Hashable, Sendable {
    case inserted(User)
    case updated(User)
    /// The user as it was; it is not stored any more, left the list, or was pushed out of the watched stretch.
    case deleted(User)

    public var user: User {
        switch self {
        case .inserted(let user), .updated(let user), .deleted(let user): user
        }
    }

    /// The changes that make one list of users in id order another, in that order.
    static func between(_ old: [User], and new: [User]) -> [UserChange] {
        var changes: [UserChange] = []
        var old = old[...], new = new[...]
        while let left = old.first, let right = new.first {
            if left.id <= right.id { old.removeFirst() }
            if left.id >= right.id { new.removeFirst() }
            if left.id < right.id {
                changes.append(.deleted(left))
            } else if left.id > right.id {
                changes.append(.inserted(right))
            } else if left != right {
                changes.append(.updated(right))
            }
        }
        return changes + old.map { .deleted($0) } + new.map { .inserted($0) }
    }
}
