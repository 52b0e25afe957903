public import PatchbayCore
public import PatchbayDomain
import Synchronization

/// A source of users for tests: it pages, validates and fails as an API does, and writes down what it was
/// asked.
///
///     let source = ScriptedUserSource(users: ScriptedUserSource.users(1...50), pageSize: 20)
///     source.change { $0.removeAll { $0.id == 7 } }
///     source.fail(with: PatchbayError(.offline, "no network"))
public final class ScriptedUserSource: UserSource {
    private let answers: ScriptedAnswers
    private let users: Mutex<[User]>
    private let pageSize: Int

    /// - Parameter answers: shared with another source, to write down what both were asked in its order.
    public init(users: [User], pageSize: Int = 20, answers: ScriptedAnswers = ScriptedAnswers()) {
        self.answers = answers
        self.users = Mutex(users.sorted { $0.id < $1.id })
        self.pageSize = pageSize
    }

    /// Users with these ids, each with a detail.
    public static func users(_ ids: some Sequence<Int64>) -> [User] {
        ids.map { id in
            var user = User(id: id, login: "user-\(id)", url: "https://api.example.org/users/user-\(id)")
            var detail = User.Detail()
            detail.name = "User \(id)"
            user.detail = detail
            return user
        }
    }

    /// What was asked so far: `users after 0`, `users next 20`, `user LOGIN`, each with `if changed` when
    /// conditional.
    public var requests: [String] { answers.requests }

    /// Changes what the source will tell from now on.
    public func change(_ body: (inout [User]) -> Void) {
        users.withLock { users in
            body(&users)
            users.sort { $0.id < $1.id }
        }
    }

    /// Fails every request, after so many more answers; nil lets them pass again.
    public func fail(with error: PatchbayError?, afterAnswers count: Int = 0) {
        answers.fail(with: error, afterAnswers: count)
    }

    public func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        let (question, after) = try read(page)
        return try answers.answer(question, validator) {
            let following = users.withLock { $0 }.filter { $0.id > after }
            let shown = following.prefix(pageSize).map { user in
                var row = user
                row.detail = nil
                return row
            }
            let next = following.count > pageSize ? shown.last.map { String($0.id) } : nil
            return Page(shown, next: next, isFull: shown.count == pageSize)
        }
    }

    public func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        try answers.answer("user \(login)", validator) {
            let known = users.withLock { $0 }
            guard let user = known.first(where: { $0.login.lowercased() == login.lowercased() }) else {
                throw PatchbayError(.notFound, "there is no user \"\(login)\"")
            }
            return user
        }
    }

    private func read(_ page: UserPageRequest) throws -> (question: String, after: Int64) {
        switch page {
        case .first(let start): return ("users after \(start.id)", start.id)
        case .next(let link):
            guard let id = Int64(link) else {
                throw PatchbayError(.invalidResponse, "\"\(link)\" is no page")
            }
            return ("users next \(id)", id)
        }
    }
}
