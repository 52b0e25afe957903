import PatchbayCore

/// A stretch of the list of all users that was never fetched, before a stored user: nobody knows who is in it.
public struct UserGap: Hashable, Sendable {
    /// The stretch begins behind this id; a list from here asks the source for it.
    public let after: Int64
    /// The id of the next user that is stored.
    public let before: Int64

    public init(after: Int64, before: Int64) {
        self.after = after
        self.before = before
    }
}

extension UserGap: CustomStringConvertible {
    /// Such as `136 to 5003 were never fetched`.
    public var description: String {
        let first = after + 1, last = before - 1
        return first == last ? "\(first) was never fetched" : "\(first) to \(last) were never fetched"
    }
}

extension Reading {
    /// The gaps before stored users with these ids, in ascending order, of a list that begins behind a position.
    func gaps(after start: Int64, before ids: some Sequence<Int64>) throws -> [UserGap] {
        var gaps: [UserGap] = []
        var reached = start
        for id in ids {
            if reached < id { reached = try reach(from: reached, to: id) }
            if reached < id {
                // Behind the end of the list there are only users who have come since.
                if try listEnds(at: reached) { break }
                // The position of a user who is stored alone is nothing that was fetched up to.
                if id > reached + 1 { gaps.append(UserGap(after: reached, before: id)) }
                reached = id
            }
        }
        return gaps
    }
}
