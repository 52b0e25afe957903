#if Live
import PatchbayCore
import Synchronization

/// Shares the connections to a host among the clients of `patchbay serve`, in order of arrival.
///
/// Clients over TCP wait when they have their ``ClientShares``. Requests of the owner's socket and of the process are
/// never delayed here, so requests that hang because a stranger sent them cannot hold every connection.
final class ClientPlaces: Sendable {
    private struct Waiter {
        let id: Int
        let client: ServingClient
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var shares: ClientShares
        var waiters: [Waiter] = []
        var lastID = 0
    }

    private let state: Mutex<State>

    /// - Parameter connectionsMax: the maximum number of concurrent connections to a host.
    init(connectionsMax: Int) { state = Mutex(State(shares: ClientShares(of: connectionsMax))) }

    /// Calls `body` when the client of the current task may send another request.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits; errors of `body`.
    func withPlace<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        guard let client = ServingClient.current, client != .owner else { return try await body() }
        try await enter(client)
        defer { leave(client) }
        return try await body()
    }

    private func enter(_ client: ServingClient) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result: Swift.Result<Void, any Error>? = state.withLock { state in
                    // A cancellation before this has found no waiter.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.shares.take(1, for: client) { return .success(()) }
                    state.waiters.append(Waiter(id: id, client: client, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func leave(_ client: ServingClient) {
        let next = state.withLock { state -> Waiter? in
            state.shares.release(1, from: client)
            let place = state.waiters.firstIndex { state.shares.allows(1, for: $0.client) }
            guard let place else { return nil }
            let waiter = state.waiters.remove(at: place)
            return state.shares.take(1, for: waiter.client) ? waiter : nil
        }
        next?.continuation.resume()
    }
}
#endif
