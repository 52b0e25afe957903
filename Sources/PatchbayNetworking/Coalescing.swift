public import HTTPTypes
public import PatchbayCore
import Synchronization

/// Lets callers that ask for the same at the same time share one request.
///
/// - The same is: GET or HEAD without a body, equal method, address and all header fields, validators too.
/// - A caller that is cancelled leaves at once, and the others keep their request. When all have left, the request is
///   cancelled.
/// - It stands on top: what callers share, they share with its redirects, retries and waits.
public final class Coalescing: NetworkingLayer {
    private let log: RequestLog?
    private let state = Mutex(State())

    public init(log: RequestLog? = nil) { self.log = log }

    public func send(_ request: HTTPRequest, body: [UInt8], next: any Networking) async throws -> Response {
        guard request.method == .get || request.method == .head, body.isEmpty else {
            return try await next.send(request, body: body)
        }
        try Task.checkCancellation()
        let (caller, isFirst) = join(request, next)
        guard let log, !isFirst else { return try await answer(request, caller) }
        return try await log.reporting(.coalesced, request) { try await answer(request, caller) }
    }
}

extension Coalescing {
    private struct State {
        var lastNumber = 0
        var flights: [HTTPRequest: Flight] = [:]

        mutating func number() -> Int {
            lastNumber += 1
            return lastNumber
        }
    }

    /// A request under way, and who waits for its answer.
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

    /// Joins the request that is under way, or begins one.
    private func join(_ request: HTTPRequest, _ next: any Networking) -> (Caller, isFirst: Bool) {
        state.withLock { state in
            let number = state.number()
            let ticket = Ticket<Response>()
            let isFirst = state.flights[request] == nil
            var flight =
                state.flights[request] ?? Flight(number: number, task: begin(number, request, next))
            flight.callers[number] = ticket
            state.flights[request] = flight
            return (Caller(number: number, flight: flight.number, ticket: ticket), isFirst)
        }
    }

    private func begin(_ number: Int, _ request: HTTPRequest, _ next: any Networking) -> Task<Void, Never> {
        Task {
            do {
                end(number, request, .success(try await next.send(request, body: [])))
            } catch {
                end(number, request, .failure(error))
            }
        }
    }

    private func answer(_ request: HTTPRequest, _ caller: Caller) async throws -> Response {
        try await caller.ticket.value { self.leave(request, caller) }
    }

    private func end(_ number: Int, _ request: HTTPRequest, _ result: Result<Response, any Error>) {
        let callers = state.withLock { state in
            // One that everybody left is not there any more; another may have taken its place.
            guard let flight = state.flights[request], flight.number == number else {
                return [Ticket<Response>]()
            }
            state.flights[request] = nil
            return Array(flight.callers.values)
        }
        for ticket in callers { _ = ticket.give(result) }
    }

    private func leave(_ request: HTTPRequest, _ caller: Caller) {
        let abandoned = state.withLock { state -> Task<Void, Never>? in
            guard state.flights[request]?.number == caller.flight else { return nil }
            state.flights[request]?.callers[caller.number] = nil
            guard let flight = state.flights[request], flight.callers.isEmpty else { return nil }
            state.flights[request] = nil
            return flight.task
        }
        abandoned?.cancel()
    }
}
