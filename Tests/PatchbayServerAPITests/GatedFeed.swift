import PatchbayDomain
import Synchronization

/// A feed whose pages wait for a gate.
final class GatedFeed: ResourceFeed {
    private struct State {
        var inner: (any ResourceFeed)?
        var passing: Int
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    /// - Parameter count: the number of pages that pass before the gate closes.
    init(passing count: Int = 0) { state = Mutex(State(passing: count)) }

    var inner: (any ResourceFeed)? {
        get { state.withLock { $0.inner } }
        set { state.withLock { $0.inner = newValue } }
    }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in waiting { one.resume() }
    }

    /// Waits until a page is waiting at the gate.
    func hasWaiting() async {
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.waiting.isEmpty { state.watchers.append(continuation) }
                return !state.waiting.isEmpty
            }
            if isThere { continuation.resume() }
        }
    }

    /// Waits for the gate to open or the caller to be cancelled.
    private func pass() async {
        await withTaskCancellationHandler {
            await passOnce()
        } onCancel: {
            open()
        }
    }

    private func passOnce() async {
        await withCheckedContinuation { continuation in
            let (passes, watchers) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
                if state.isOpen || state.passing > 0 {
                    state.passing -= 1
                    return (true, [])
                }
                state.waiting.append(continuation)
                defer { state.watchers = [] }
                return (false, state.watchers)
            }
            if passes { continuation.resume() }
            for watcher in watchers { watcher.resume() }
        }
    }

    func page(
        _ request: ItemRequest, ifChangedFrom validator: Validator
    ) async throws -> Fetched<ItemPage> {
        await pass()
        try Task.checkCancellation()
        return try await inner!.page(request, ifChangedFrom: validator)
    }

    func item(
        _ handle: String, of resource: Resource, ifChangedFrom validator: Validator
    ) async throws -> Fetched<Item> {
        try await inner!.item(handle, of: resource, ifChangedFrom: validator)
    }
}
