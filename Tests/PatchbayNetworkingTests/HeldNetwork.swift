import HTTPTypes
import PatchbayCore
import Synchronization

@testable import PatchbayNetworking

/// A network whose answers are released by the test.
final class HeldNetwork: Networking {
    private let state = Mutex(State())

    private struct State {
        var tickets: [Ticket<Response>] = []
        var sent: [HTTPRequest] = []
        var cancelled = 0
        var watchers: [(isTrue: (State) -> Bool, watcher: CheckedContinuation<Void, Never>)] = []

        mutating func served() -> [CheckedContinuation<Void, Never>] {
            let served = watchers.indices.filter { watchers[$0].isTrue(self) }
            defer { for index in served.reversed() { watchers.remove(at: index) } }
            return served.map { watchers[$0].watcher }
        }
    }

    var sent: [HTTPRequest] { state.withLock { $0.sent } }
    /// The number of waiting requests.
    var held: Int { state.withLock { $0.tickets.count } }
    var cancelled: Int { state.withLock { $0.cancelled } }

    func send(_ request: HTTPRequest, body: [UInt8]) async throws -> Response {
        let ticket = Ticket<Response>()
        change {
            $0.sent.append(request)
            $0.tickets.append(ticket)
        }
        return try await ticket.value {
            self.change {
                $0.tickets.removeAll { $0 === ticket }
                $0.cancelled += 1
            }
        }
    }

    /// Answers the request that has waited longest.
    func answerFirst(_ response: Response = .status(200)) {
        _ = state.withLock { $0.tickets.removeFirst() }.give(.success(response))
    }

    /// Answers the request that has waited for the shortest time.
    func answerLast(_ response: Response = .status(200)) {
        _ = state.withLock { $0.tickets.removeLast() }.give(.success(response))
    }

    func failFirst(_ error: any Error) {
        _ = state.withLock { $0.tickets.removeFirst() }.give(.failure(error))
    }

    func hasSent(_ count: Int) async { await becomes { $0.sent.count >= count } }
    func hasCancelled(_ count: Int) async { await becomes { $0.cancelled >= count } }

    private func becomes(_ isTrue: @escaping (State) -> Bool) async {
        await withCheckedContinuation { watcher in change { $0.watchers.append((isTrue, watcher)) } }
    }

    private func change(_ change: (inout State) -> Void) {
        let watchers = state.withLock { state in
            change(&state)
            return state.served()
        }
        for watcher in watchers { watcher.resume() }
    }
}

extension HTTPRequest {
    static func get(_ path: String, _ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(
            method: .get, scheme: "https", authority: "api.example.org", path: path, headerFields: fields)
    }

    /// Returns a request with a token.
    static func get(_ path: String, token: String) -> HTTPRequest {
        get(path, [.authorization: "Bearer \(token)"])
    }
}

extension Response {
    static func status(_ status: Int, _ fields: [String: String] = [:], _ body: String = "") -> Response {
        var head = HTTPResponse(status: .init(code: status))
        for (name, value) in fields { head.headerFields[HTTPField.Name(name)!] = value }
        return Response(head: head, body: Array(body.utf8))
    }
}

extension Networking {
    func get(_ path: String) async throws -> Response { try await send(.get(path), body: []) }
}
