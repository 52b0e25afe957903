import Synchronization

/// Lets a few in at a time, in the order in which they came.
final class Gate: Sendable {
    private let state: Mutex<State>

    private struct State {
        var limit: Int
        var inside = 0
        var queue: [Ticket<Void>] = []

        /// Takes who may enter now out of the queue.
        mutating func admitted() -> [Ticket<Void>] {
            let count = min(max(0, limit - inside), queue.count)
            defer { queue.removeFirst(count) }
            inside += count
            return Array(queue.prefix(count))
        }
    }

    init(limit: Int) { state = Mutex(State(limit: limit)) }

    /// Waits for its turn; a cancelled task leaves the queue at once.
    func enter() async throws {
        let ticket = Ticket<Void>()
        admit { $0.queue.append(ticket) }
        try await ticket.value { self.admit { $0.queue.removeAll { $0 === ticket } } }
    }

    func leave() { admit { $0.inside -= 1 } }

    /// How many may be inside at a time from now on; those who are inside stay.
    func allow(_ limit: Int) { admit { $0.limit = limit } }

    /// Whether nobody is inside or waits.
    var isIdle: Bool { state.withLock { $0.inside == 0 && $0.queue.isEmpty } }

    private func admit(_ change: (inout State) -> Void) {
        var tickets = state.withLock { state in
            change(&state)
            return state.admitted()
        }
        // Who was cancelled meanwhile gives the place to the next.
        while !tickets.isEmpty {
            let refused = tickets.filter { !$0.give(.success(())) }.count
            tickets = state.withLock { state in
                state.inside -= refused
                return refused == 0 ? [] : state.admitted()
            }
        }
    }
}
