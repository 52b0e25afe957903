import PatchbayDomain
import Synchronization

/// A source that answers nothing until the question is cancelled.
final class WaitingUserSource: UserSource {
    private let asked = Mutex(0)
    private let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)

    /// How often it was asked.
    var count: Int { asked.withLock { $0 } }

    func isAsked(times: Int = 1) async {
        var iterator = arrivals.makeAsyncIterator()
        for _ in 0..<times { await iterator.next() }
    }

    func users(
        _ page: UserPageRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<UserPage> { try await wait() }

    func user(_ login: String, ifChangedFrom validator: Validator) async throws -> Fetched<User> {
        try await wait()
    }

    private func wait<Value>() async throws -> Value {
        asked.withLock { $0 += 1 }
        arrival.yield()
        let (never, end) = AsyncStream.makeStream(of: Never.self)
        await withTaskCancellationHandler {
            for await _ in never {}
        } onCancel: {
            end.finish()
        }
        throw CancellationError()
    }
}
