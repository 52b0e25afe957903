public import PatchbayCore
public import PatchbayDomain
import Synchronization

/// A source of users for tests: it pages, validates and fails as an API does, and writes down what it was asked.
///
///     let source = ScriptedUserSource(users: ScriptedUserSource.users(1...50), pageSize: 20)
///     source.change { $0.removeAll { $0.id == 7 } }
///     source.fail(with: PatchbayError(.offline, "no network"))
public final class ScriptedUserSource: UserSource {
    private struct State {
        var users: [User]
        var failure: PatchbayError?
        var requests: [String] = []
    }

    private let state: Mutex<State>
    private let pageSize: Int

    public init(users: [User], pageSize: Int = 20) {
        state = Mutex(State(users: users.sorted { $0.id < $1.id }))
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

    /// What was asked so far: `users after 0`, `users next 20`, `user LOGIN`, each with `if changed` when conditional.
    public var requests: [String] { state.withLock { $0.requests } }

    /// Changes what the source will tell from now on.
    public func change(_ body: (inout [User]) -> Void) {
        state.withLock { state in
            body(&state.users)
            state.users.sort { $0.id < $1.id }
        }
    }

    /// Fails every request from now on; nil lets them pass again.
    public func fail(with error: PatchbayError?) { state.withLock { $0.failure = error } }

    public func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        let (question, after) = try read(page)
        return try state.withLock { state in
            try answer(question, validator, &state) { users in
                let following = users.filter { $0.id > after }
                let shown = following.prefix(pageSize).map { user in
                    var row = user
                    row.detail = nil
                    return row
                }
                let next = following.count > pageSize ? shown.last.map { String($0.id) } : nil
                return Page(shown, next: next, isFull: shown.count == pageSize)
            }
        }
    }

    public func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        try state.withLock { state in
            try answer("user \(login)", validator, &state) { users in
                guard let user = users.first(where: { $0.login.lowercased() == login.lowercased() }) else {
                    throw PatchbayError(.notFound, "there is no user \"\(login)\"")
                }
                return user
            }
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

    private func answer<Value: Hashable & Sendable>(
        _ question: String, _ validator: Validator, _ state: inout State, _ value: ([User]) throws -> Value
    ) throws -> Fetched<Value> {
        state.requests.append(question + (validator.entityTag == nil ? "" : " if changed"))
        if let failure = state.failure { throw failure }
        let value = try value(state.users)
        let entityTag = "\"\(value.hashValue)\""
        return validator.entityTag == entityTag
            ? .unchanged : .changed(value, Validator(entityTag: entityTag))
    }
}
