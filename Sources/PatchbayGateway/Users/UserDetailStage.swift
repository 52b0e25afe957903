import PatchbayCore
import PatchbayDomain

/// Fetches the details of the users that have none, in id order, a few at a time.
struct UserDetailStage: SyncStage {
    private let details: UserDetails
    private let concurrency: Int
    /// The users up to this id were tried.
    private var after: Int64 = 0
    /// Answers in a row that were no answers.
    private var invalid = 0

    /// So many useless answers in a row end it: then something else is wrong than a user.
    static let invalidMax = 20

    init(_ details: UserDetails, concurrency: Int) {
        self.details = details
        self.concurrency = concurrency
    }

    func plan() async throws -> SyncPlan {
        let count = try await details.store.read { reading in
            var count = 0
            try reading.scanMissingDetails(after: 0) { _ in
                count += 1
                return .next
            }
            return count
        }
        var plan = SyncPlan()
        plan.requestsMin = count
        plan.requestsMax = count
        return plan
    }

    mutating func step(
        _ progress: inout SyncProgress, requestsLeft: Int, report: (SyncEvent) -> Void
    ) async throws -> SyncStep {
        let limit = min(concurrency * 4, max(1, requestsLeft))
        let users = try await details.store.read { [after] in
            try $0.missingDetails(after: after, limit: limit)
        }
        guard let last = users.last else { return .finished }
        guard requestsLeft > 0 else { return .limitReached }
        progress.list = "details of users"
        (progress.next, progress.pageCount, progress.pages) = (nil, nil, 0)
        let results = await concurrently(
            users, atMost: concurrency, isEnough: { $0.isOver }, { [details] in await details.result($0) })
        try take(results, of: users, &progress, report)
        after = last.user.id
        return .saved
    }

    private mutating func take(
        _ results: [DetailResult?], of users: [StoredUser], _ progress: inout SyncProgress,
        _ report: (SyncEvent) -> Void
    ) throws {
        var failure: (any Error)?
        for (user, result) in zip(users, results) {
            guard let result else { continue }
            progress.requests += 1
            switch result {
            case .saved:
                progress.rows += 1
                invalid = 0
            case .skipped(let error):
                progress.skipped += 1
                invalid = error.code == .invalidResponse ? invalid + 1 : 0
                if invalid >= Self.invalidMax { failure = failure ?? error }
                report(.skipped("user \(user.user.login)", error))
            case .over(let error):
                // What was cancelled because of an error is not the reason.
                if failure == nil || failure is CancellationError { failure = error }
            }
        }
        if let failure { throw failure }
        try Task.checkCancellation()
    }
}

/// What came of asking for one detail.
private enum DetailResult: Sendable {
    case saved
    /// It concerns this user only.
    case skipped(PatchbayError)
    /// The next one would fare alike: a rate limit, a lost connection.
    case over(any Error)

    var isOver: Bool { if case .over = self { true } else { false } }
}

extension UserDetails {
    fileprivate func result(_ user: StoredUser) async -> DetailResult {
        do {
            _ = try await refresh(user.user.login, known: user, isConditional: true)
            return .saved
        } catch let error as PatchbayError {
            let isAboutUser = [.notFound, .unsupported, .invalidResponse, .invalidValue].contains(error.code)
            return isAboutUser || error.refusal != nil ? .skipped(error) : .over(error)
        } catch {
            return .over(error)
        }
    }
}

extension Reading {
    /// Visits the users without a detail that a source may tell about.
    fileprivate func scanMissingDetails(after id: Int64, _ visit: (borrowing Row) throws -> Step) throws {
        try scan(Query(StoredUser.collection, after: .integer(id))) { row in
            StoredUser.lacksDetail(row) ? try visit(row) : .next
        }
    }

    fileprivate func missingDetails(after id: Int64, limit: Int) throws -> [StoredUser] {
        var users: [StoredUser] = []
        try scanMissingDetails(after: id) { row in
            users.append(StoredUser(row))
            return users.count < limit ? .next : .stop
        }
        return users
    }
}
