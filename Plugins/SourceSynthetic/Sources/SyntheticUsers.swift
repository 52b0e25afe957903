import PatchbayCore
public import PatchbayDomain

/// Users that nobody has, made on demand: the same for the same seed, and any number of them.
///
/// Use it to measure with, to try a list of a billion users, and to develop without network and recording. Nothing is
/// kept: each user follows from the seed and its id alone, so a jump anywhere costs the same.
///
/// - Ids go from 1 to `idMax`; about one in sixteen is missing, like accounts that were deleted.
/// - Lengths, absent values and scripts are drawn as they are met on GitHub; followers and repositories have a long
///   tail. No text is that of a person.
/// - ``revision`` makes another state of the same users: each time the details of about half of them change.
public struct SyntheticUsers: UserSource {
    /// How many ids a page covers.
    public static let pageUsers: Int64 = 100

    public let seed: UInt64
    public let idMax: Int64
    public let revision: UInt64
    private let delay: Duration

    /// - Parameters:
    ///   - idMax: the greatest id, at least 1.
    ///   - delay: how long each request takes.
    public init(seed: UInt64 = 1, idMax: Int64, revision: UInt64 = 0, delay: Duration = .zero) {
        precondition(idMax > 0, "a list of users has an id")
        self.seed = seed
        self.idMax = idMax
        self.revision = revision
        self.delay = delay
    }

    public func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        try await wait()
        let start = try start(of: page)
        // Not the sum, which has no number near the greatest id.
        let end = idMax - start > Self.pageUsers ? start + Self.pageUsers : idMax
        let fresh = Validator(entityTag: "\"\(seed)-\(revision)-\(start)\"")
        if validator == fresh { return .unchanged }
        let users = start < end ? (start + 1...end).compactMap { listed($0) } : []
        return .changed(UserPage(users: users, next: end < idMax ? "after \(end)" : nil), fresh)
    }

    public func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        try await wait()
        guard let id = SyntheticUser.id(in: login), let user = user(id),
            user.login.lowercased() == login.lowercased()
        else { throw PatchbayError(.notFound, "there is no user \"\(login)\" in the synthetic source") }
        let fresh = Validator(entityTag: "\"\(seed)-\(revision)-\(login.lowercased())\"")
        return validator == fresh ? .unchanged : .changed(user, fresh)
    }

    /// The user with an id, with its detail; nil when the id is missing.
    public func user(_ id: Int64) -> User? {
        guard (1...idMax).contains(id) else { return nil }
        return SyntheticUser(seed: seed, id: id, revision: revision)?.user
    }

    /// Whether there is a user with an id; without making it up.
    public func holds(_ id: Int64) -> Bool {
        (1...idMax).contains(id) && !SyntheticUser.isMissing(seed: seed, id: id)
    }

    /// The user as a list tells it.
    private func listed(_ id: Int64) -> User? {
        guard var user = user(id) else { return nil }
        user.detail = nil
        return user
    }

    private func start(of page: UserPageRequest) throws -> Int64 {
        switch page {
        case .first(let after): return max(0, min(after.id, idMax))
        case .next(let next):
            guard next.hasPrefix("after "), let id = Int64(next.dropFirst(6)), (0...idMax).contains(id) else {
                throw PatchbayError(
                    .invalidResponse, "\"\(next)\" is no page of the synthetic source; list from the start")
            }
            return id
        }
    }

    private func wait() async throws {
        try Task.checkCancellation()
        if delay > .zero { try await Task.sleep(for: delay) }
    }
}
