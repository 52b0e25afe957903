#if Live
import NIOCore
import PatchbayCore
import Synchronization

/// The open connections of a server, and the memory that the bodies of their requests and answers take.
final class OpenConnections: Sendable {
    private let state: Mutex<State>
    private let stopping = Atomic(false)
    /// The number of tasks that make answers. They run on the event loops.
    let answers = Atomic(0)

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var places: ClientShares
        var bodyBytes, answerBytes: ClientShares
        /// The large answers that are sent, by the place of their bytes: the client whose share they take, and the
        /// number of connections.
        var answers: [Int: (client: ServingClient, connections: Int)] = [:]
        /// Finished when the last connection ends after the start of ``OpenConnections/finish(within:)``.
        var emptied: AsyncStream<Void>.Continuation?
    }

    init(_ options: ServingOptions) {
        state = Mutex(
            State(
                places: ClientShares(of: options.connectionsMax),
                bodyBytes: ClientShares(of: options.bodiesBytesMax),
                answerBytes: ClientShares(of: options.answersBytesMax)))
    }

    /// Whether connections must end after their current answer.
    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// Registers a connection until it is closed; returns false when there are too many, or too many of the client.
    func add(_ channel: any Channel, of client: ServingClient) -> Bool {
        let isAccepted = state.withLock { state in
            guard !isStopping, state.places.take(1, for: client) else { return false }
            state.channels[ObjectIdentifier(channel)] = channel
            return true
        }
        if isAccepted { channel.closeFuture.whenComplete { _ in self.remove(channel, of: client) } }
        return isAccepted
    }

    private func remove(_ channel: any Channel, of client: ServingClient) {
        state.withLock { state in
            state.places.release(1, from: client)
            state.channels[ObjectIdentifier(channel)] = nil
            if state.channels.isEmpty { state.emptied?.finish() }
        }
    }

    /// Reserves memory for a part of a body; returns false when the bodies of all connections, or of the client, take
    /// too much.
    func takeBodyBytes(_ count: Int, for client: ServingClient) -> Bool {
        state.withLock { $0.bodyBytes.take(count, for: client) }
    }

    func releaseBodyBytes(_ count: Int, from client: ServingClient) {
        if count > 0 { state.withLock { $0.bodyBytes.release(count, from: client) } }
    }

    /// Reserves memory for a complete answer while it is sent; returns false when the answers of all connections, or of
    /// the client, take too much. The same bytes, such as a stored answer that several connections send, count once.
    func takeAnswer(_ body: [UInt8], for client: ServingClient) -> Bool {
        let place = Self.place(of: body)
        return state.withLock { state in
            if state.answers[place] == nil {
                guard state.answerBytes.take(body.count, for: client) else { return false }
                state.answers[place] = (client, 0)
            }
            state.answers[place]?.connections += 1
            return true
        }
    }

    func releaseAnswer(_ body: [UInt8]) {
        let place = Self.place(of: body)
        state.withLock { state in
            guard let (client, connections) = state.answers[place] else { return }
            state.answers[place]?.connections = connections - 1
            guard connections == 1 else { return }
            state.answers[place] = nil
            state.answerBytes.release(body.count, from: client)
        }
    }

    /// Where the bytes are in memory.
    private static func place(of body: [UInt8]) -> Int {
        unsafe body.withUnsafeBytes { Int(bitPattern: $0.baseAddress) }
    }

    /// Closes idle connections at once, busy ones after their answer, and all of them after the limit.
    func finish(within limit: Duration) async {
        let (empty, emptied) = AsyncStream.makeStream(of: Void.self)
        let channels = state.withLock { state in
            // Inside the lock, so that no connection is registered afterwards.
            stopping.store(true, ordering: .releasing)
            state.emptied = emptied
            if state.channels.isEmpty { emptied.finish() }
            return Array(state.channels.values)
        }
        for channel in channels {
            channel.pipeline.fireUserInboundEventTriggered(ServerStops())
        }
        await withTaskGroup { group in
            group.addTask { for await _ in empty {} }
            group.addTask {
                // Cancelled early when all connections have ended.
                try? await Task.sleep(for: limit)
            }
            await group.next()
            group.cancelAll()
        }
        let rest = state.withLock { Array($0.channels.values) }
        for channel in rest { channel.close(promise: nil) }
    }
}

/// Notifies a connection that no further requests are accepted.
struct ServerStops: Sendable {}
#endif
