import PatchbayCore
import Synchronization

/// Admits a limited number of tasks at a time, in order of arrival.
///
/// A task that stays for longer than ``slowAfter`` lends its place to the next one, up to a number of tasks in all, so
/// that a silent server delays one request and not those that follow it.
final class Gate: Sendable {
    /// The time after which a task lends its place.
    static let slowAfter = Duration.seconds(1)

    private let state: Mutex<State>
    private let clock: LayerClock?

    /// A place that a task occupies.
    struct Place: Hashable {
        fileprivate let number: Int
    }

    private struct State {
        var limit: Int
        var most: Int
        /// The uptime at which each task inside entered.
        var inside: [Place: Duration] = [:]
        var queue: [Ticket<Place>] = []
        var nextNumber = 0

        /// Removes from the queue, and returns, the tickets that may enter now.
        mutating func admitted(at now: Duration) -> [(Ticket<Place>, Place)] {
            let slow = inside.values.count { $0 <= now - slowAfter }
            let count = min(max(0, min(limit + slow, most) - inside.count), queue.count)
            defer { queue.removeFirst(count) }
            return queue.prefix(count).map { ticket in
                nextNumber += 1
                inside[Place(number: nextNumber)] = now
                return (ticket, Place(number: nextNumber))
            }
        }

        /// Returns the time until a task inside lends its place to one in the queue; nil when none will.
        func pause(at now: Duration) -> Duration? {
            guard inside.count < most else { return nil }
            return inside.values.lazy.map { $0 + slowAfter - now }.filter { $0 > .zero }.min()
        }
    }

    /// Creates a gate of which no place is lent.
    init(limit: Int) {
        state = Mutex(State(limit: limit, most: limit))
        clock = nil
    }

    /// - Parameter most: the maximum number of tasks inside, including those that lend their places.
    init(limit: Int, most: Int, clock: LayerClock) {
        state = Mutex(State(limit: limit, most: most))
        self.clock = clock
    }

    /// Waits for a turn; a cancelled task leaves the queue at once.
    func enter() async throws -> Place {
        let ticket = Ticket<Place>()
        admit { $0.queue.append(ticket) }
        guard let clock, pause != nil else { return try await turn(ticket) }
        return try await withThrowingTaskGroup(of: Place?.self) { group in
            group.addTask { try await self.turn(ticket) }
            group.addTask {
                while let pause = self.pause {
                    try await clock.sleep(pause)
                    self.admit { _ in }
                }
                return nil
            }
            defer { group.cancelAll() }
            while let place = try await group.next() { if let place { return place } }
            throw CancellationError()
        }
    }

    func leave(_ place: Place) { admit { $0.inside[place] = nil } }

    /// Changes the limits; tasks that are inside stay.
    func allow(_ limit: Int, most: Int) {
        admit {
            $0.limit = limit
            $0.most = most
        }
    }

    /// Whether no task is inside or waiting.
    var isIdle: Bool { state.withLock { $0.inside.isEmpty && $0.queue.isEmpty } }

    private func turn(_ ticket: Ticket<Place>) async throws -> Place {
        try await ticket.value { self.admit { $0.queue.removeAll { $0 === ticket } } }
    }

    /// The time until a task inside lends its place; nil when none will, or none waits for it.
    private var pause: Duration? {
        state.withLock { $0.queue.isEmpty ? nil : $0.pause(at: uptime) }
    }

    private var uptime: Duration { clock?.uptime() ?? .zero }

    private func admit(_ change: (inout State) -> Void) {
        var tickets = state.withLock { state in
            change(&state)
            return state.admitted(at: uptime)
        }
        // The place of a task that was cancelled meanwhile goes to the next one.
        while !tickets.isEmpty {
            let refused = tickets.filter { !$0.0.give(.success($0.1)) }.map(\.1)
            tickets = state.withLock { state in
                for place in refused { state.inside[place] = nil }
                return refused.isEmpty ? [] : state.admitted(at: uptime)
            }
        }
    }
}
