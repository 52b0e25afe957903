import PatchbayCore
import PatchbayDomain
import PatchbayTestKit
import Synchronization

/// A source of users that notes how many questions are under way at a time, and denies some users.
final class CountingUserSource: UserSource {
    private let inner: ScriptedUserSource
    private let denied: Set<String>
    private let state = Mutex((now: 0, most: 0))

    init(_ inner: ScriptedUserSource, denied: Set<String> = []) {
        self.inner = inner
        self.denied = denied
    }

    var most: Int { state.withLock { $0.most } }

    func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> { try await inner.users(page, ifChangedFrom: validator) }

    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        state.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
        defer { state.withLock { $0.now -= 1 } }
        if denied.contains(login) { throw PatchbayError(.notFound, "there is no user \"\(login)\"") }
        for _ in 0..<20 { await Task.yield() }
        return try await inner.user(login, ifChangedFrom: validator)
    }
}
