import PatchbayCore
import PatchbayDomain
import SourceSynthetic

/// The users of a comparison: which there are, and how each is stored. They follow from the seed alone.
struct Population: Sendable {
    /// How many users a page of the list holds.
    static let pageUsers = 100
    /// When everything was stored; a fixed moment, so that all subjects and all runs store the same.
    static let storedAt = Timestamp(milliseconds: 1_750_000_000_000)

    private let source: SyntheticUsers
    private(set) var count = 0
    private(set) var lastID: Int64 = 0
    /// Behind which ids the pages start.
    private(set) var pageStarts: [Int64] = [0]

    init(seed: UInt64) { source = SyntheticUsers(seed: seed, idMax: .max) }

    /// The next users of the list, with their details.
    mutating func grow(by number: Int) -> [User] {
        var users: [User] = []
        users.reserveCapacity(number)
        while users.count < number {
            lastID += 1
            guard let user = source.user(lastID) else { continue }
            users.append(user)
            count += 1
            if count % Population.pageUsers == 0 { pageStarts.append(lastID) }
        }
        return users
    }

    func user(_ id: Int64) -> User { source.user(id)! }

    func holds(_ id: Int64) -> Bool { source.holds(id) }

    /// The id of one of the users with greater ids, each as likely as the others.
    func randomID(_ draws: inout Draws, above start: Int64 = 0) -> Int64 {
        while true {
            let id = start + Int64(draws.below(Int(lastID - start))) + 1
            if source.holds(id) { return id }
        }
    }

    /// The first users of the list.
    func firstUsers(_ number: Int) -> [User] {
        Array((1...lastID).lazy.compactMap { source.user($0) }.prefix(number))
    }

    /// How many pages the list has.
    var pages: Int { (count + Population.pageUsers - 1) / Population.pageUsers }

    func randomPageStart(_ draws: inout Draws) -> Int64 { pageStarts[draws.below(pages)] }

    /// The user as a sync with details stores it.
    func stored(_ user: User, at time: Timestamp = Population.storedAt) -> StoredUser {
        var stored = StoredUser(user: user, fetchedAt: time)
        stored.detailFetchedAt = time
        stored.detailValidator.entityTag = Population.entityTag(of: user.id)
        return stored
    }

    /// As GitHub makes them: weak, 64 hexadecimal digits.
    private static func entityTag(of id: Int64) -> String {
        let words = (0..<4).map { Draws.mixed(UInt64(bitPattern: id) &* 4 &+ $0) }
        let digits = words.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return "W/\"" + digits.joined() + "\""
    }

    /// The page of the list behind an id, as a source tells it: without details, about half of the users changed
    /// since the revision before.
    func page(after start: Int64, revision: Int) -> UserPage {
        var users: [User] = [], id = start
        while users.count < Population.pageUsers, id < lastID {
            id += 1
            guard var user = source.user(id) else { continue }
            user.detail = nil
            user.avatarURL = "https://avatars.example.org/u/\(id)?v=\(Population.changes(id, revision))"
            users.append(user)
        }
        var page = UserPage(users: users, next: id < lastID ? "after \(id)" : nil)
        page.isFull = users.count == Population.pageUsers
        return page
    }

    /// How often the user has changed until a revision: half of the users at odd ones, the others at even ones.
    private static func changes(_ id: Int64, _ revision: Int) -> Int {
        (revision + Int(Draws.mixed(UInt64(bitPattern: id)) & 1)) / 2
    }

    /// The pages as they are stored: how the list goes on behind each.
    func storedPages() -> [StoredUserPage] {
        (0..<pages).map { place in
            let end = place + 1 < pages ? pageStarts[place + 1] : lastID
            return StoredUserPage(
                after: pageStarts[place], end: end, next: end < lastID ? "after \(end)" : nil,
                validator: Validator(entityTag: "\"page \(pageStarts[place])\""),
                fetchedAt: Population.storedAt, isFull: end < lastID)
        }
    }
}
