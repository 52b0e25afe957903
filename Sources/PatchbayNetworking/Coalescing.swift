package import HTTPTypes
package import PatchbayCore
import Synchronization

/// Lets concurrent callers of the same address share one request.
///
/// - Requests are shared when they are GET or HEAD without a body and have the same method, address and header fields,
///   including validators. Requests that wait for a limit and those that do not (``RateLimit/waits``) are not shared.
/// - A cancelled caller leaves at once and the others keep the request. When all have left, the request is cancelled.
/// - A caller does not join a request that was sent before a change ended (any other method), because its answer may be
///   older than the change.
/// - The layer is the topmost one, so callers also share redirects, retries and waits.
package final class Coalescing: NetworkingLayer {
    private let log: RequestLog?
    private let state = Mutex(State())
    /// The number of changes that have ended.
    private let changes: ChangeCount

    private final class ChangeCount: Sendable { let number = Atomic(0) }

    /// Creates a layer without requests under way. The log receives an entry for each caller that joins a request.
    package convenience init(log: RequestLog? = nil) { self.init(log, ChangeCount()) }

    private init(_ log: RequestLog?, _ changes: ChangeCount) {
        self.log = log
        self.changes = changes
    }

    /// A layer with requests of its own, which heeds the changes that pass through either layer.
    func beside() -> Coalescing { Coalescing(log, changes) }

    /// Sends the request, or waits for the answer of the same request under way and throws its error.
    package func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        guard request.method == .get || request.method == .head, body.isEmpty else {
            defer { changes.number.add(1, ordering: .sequentiallyConsistent) }
            return try await next.send(request, body: body)
        }
        try Task.checkCancellation()
        let key = Key(
            request: request, waits: RateLimit.waits,
            changes: changes.number.load(ordering: .sequentiallyConsistent))
        let (caller, isFirst) = join(key, next)
        guard let log, !isFirst else { return try await answer(key, caller) }
        return try await log.reporting(.coalesced, request) { try await answer(key, caller) }
    }

    /// What shared requests have in common.
    private struct Key: Hashable {
        let request: HTTPRequest
        let waits: Bool
        /// The number of changes that had ended.
        let changes: Int
    }

    private struct State {
        var lastNumber = 0
        var flights: [Key: Flight] = [:]

        mutating func number() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    /// A request under way and the callers that wait for its answer.
    private struct Flight {
        let number: Int
        let task: Task<Void, Never>
        var callers: [Int: Ticket<Response>] = [:]
    }

    private struct Caller {
        let number: Int
        let flight: Int
        let ticket: Ticket<Response>
    }

    /// Joins the request under way, or starts one.
    private func join(_ key: Key, _ next: any Networking) -> (Caller, isFirst: Bool) {
        state.withLock { state in
            let number = state.number()
            let ticket = Ticket<Response>()
            let isFirst = state.flights[key] == nil
            var flight =
                state.flights[key] ?? Flight(number: number, task: begin(number, key, next))
            flight.callers[number] = ticket
            state.flights[key] = flight
            return (Caller(number: number, flight: flight.number, ticket: ticket), isFirst)
        }
    }

    private func begin(_ number: Int, _ key: Key, _ next: any Networking) -> Task<Void, Never> {
        Task {
            do {
                end(number, key, .success(try await next.send(key.request, body: [])))
            } catch {
                end(number, key, .failure(error))
            }
        }
    }

    private func answer(_ key: Key, _ caller: Caller) async throws -> Response {
        try await caller.ticket.value { self.leave(key, caller) }
    }

    private func end(_ number: Int, _ key: Key, _ result: Result<Response, any Error>) {
        let callers = state.withLock { state in
            // If all callers have left, the flight was removed and a new one may have taken its place.
            guard let flight = state.flights[key], flight.number == number else {
                return [Ticket<Response>]()
            }
            state.flights[key] = nil
            return Array(flight.callers.values)
        }
        for ticket in callers { _ = ticket.give(result) }
    }

    private func leave(_ key: Key, _ caller: Caller) {
        let abandoned = state.withLock { state -> Task<Void, Never>? in
            guard state.flights[key]?.number == caller.flight else { return nil }
            state.flights[key]?.callers[caller.number] = nil
            guard let flight = state.flights[key], flight.callers.isEmpty else { return nil }
            state.flights[key] = nil
            return flight.task
        }
        abandoned?.cancel()
    }
}
