import Synchronization

/// Shares places, such as connections to a host or threads for queries, among the clients of `patchbay serve`, in order
/// of arrival.
///
/// Clients over TCP wait when they have their ``ClientShares``. The owner's socket and the process itself are never
/// delayed here, so work that hangs because a stranger has asked for it cannot take every place.
package final class ClientPlaces: Sendable {
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

    /// - Parameter count: the number of places.
    package init(_ count: Int) { state = Mutex(State(shares: ClientShares(of: count))) }

    /// Calls `body` when the client of the current task may have another place.
    ///
    /// - Throws: `CancellationError` when the task is cancelled while it waits; errors of `body`.
    package func withPlace<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
        let client = try await enter()
        defer { leave(client) }
        return try await body()
    }

    /// Takes a place for the client of the current task; ``leave(_:)`` must follow.
    ///
    /// - Parameter patience: how long to wait for one, and the error to throw afterwards; nil waits until one is free.
    /// - Returns: the client that has taken it; nil for the owner and the process, which need none.
    /// - Throws: the given error, and `CancellationError` when the task is cancelled while it waits.
    package func enter(
        patience: (limit: Duration, error: PatchbayError)? = nil
    ) async throws -> ServingClient? {
        guard let client = ServingClient.current, client != .owner else { return nil }
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let timer = patience.map { patience in
            Task {
                try await Task.sleep(for: patience.limit)
                giveUp(id, patience.error)
            }
        }
        defer { timer?.cancel() }
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
            giveUp(id, CancellationError())
        }
        return client
    }

    private func giveUp(_ id: Int, _ error: any Error) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(throwing: error)
    }

    /// Returns the place of a client, which lets the first waiter in that may have it.
    package func leave(_ client: ServingClient?) {
        guard let client else { return }
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
