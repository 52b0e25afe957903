import Synchronization

/// Admits a limited number of tasks at a time, in order of arrival.
final class Gate: Sendable {
    private let state: Mutex<State>

    private struct State {
        var limit: Int
        var inside = 0
        var queue: [Ticket<Void>] = []

        /// Removes from the queue, and returns, the tickets that may enter now.
        mutating func admitted() -> [Ticket<Void>] {
            let count = min(max(0, limit - inside), queue.count)
            defer { queue.removeFirst(count) }
            inside += count
            return Array(queue.prefix(count))
        }
    }

    init(limit: Int) { state = Mutex(State(limit: limit)) }

    /// Waits for a turn; a cancelled task leaves the queue at once.
    func enter() async throws {
        let ticket = Ticket<Void>()
        admit { $0.queue.append(ticket) }
        try await ticket.value { self.admit { $0.queue.removeAll { $0 === ticket } } }
    }

    func leave() { admit { $0.inside -= 1 } }

    /// Changes the limit; tasks that are inside stay.
    func allow(_ limit: Int) { admit { $0.limit = limit } }

    /// Whether no task is inside or waiting.
    var isIdle: Bool { state.withLock { $0.inside == 0 && $0.queue.isEmpty } }

    private func admit(_ change: (inout State) -> Void) {
        var tickets = state.withLock { state in
            change(&state)
            return state.admitted()
        }
        // The place of a task that was cancelled meanwhile goes to the next one.
        while !tickets.isEmpty {
            let refused = tickets.filter { !$0.give(.success(())) }.count
            tickets = state.withLock { state in
                state.inside -= refused
                return refused == 0 ? [] : state.admitted()
            }
        }
    }
}
