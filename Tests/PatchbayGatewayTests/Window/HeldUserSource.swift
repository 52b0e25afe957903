import PatchbayDomain
import PatchbayTestKit
import Synchronization

/// A source whose pages arrive only when the test lets them.
final class HeldUserSource: UserSource {
    private let source: ScriptedUserSource
    private let (questions, question) = AsyncStream.makeStream(of: Void.self)
    private let (permits, permit) = AsyncStream.makeStream(of: Void.self)

    init(_ source: ScriptedUserSource) { self.source = source }

    /// Waits until somebody has asked.
    func isAsked() async {
        var iterator = questions.makeAsyncIterator()
        await iterator.next()
    }

    /// Lets one question be answered.
    func answer() { permit.yield() }

    func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> {
        question.yield()
        var iterator = permits.makeAsyncIterator()
        await iterator.next()
        return try await source.users(page, ifChangedFrom: validator)
    }

    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        try await source.user(login, ifChangedFrom: validator)
    }
}
