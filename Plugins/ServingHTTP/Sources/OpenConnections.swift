#if Live
import NIOCore
import Synchronization

/// The open connections of a server.
final class OpenConnections: Sendable {
    private let max: Int
    private let state = Mutex(State())
    private let stopping = Atomic(false)
    /// The number of tasks that make answers. They run on the event loops.
    let answers = Atomic(0)

    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        /// Finished when the last connection ends after the start of ``OpenConnections/finish(within:)``.
        var emptied: AsyncStream<Void>.Continuation?
    }

    init(max: Int) { self.max = max }

    /// Whether connections must end after their current answer.
    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    /// Registers a connection until it is closed; returns false when there are too many.
    func add(_ channel: any Channel) -> Bool {
        let isAccepted = state.withLock { state in
            guard state.channels.count < max, !isStopping else { return false }
            state.channels[ObjectIdentifier(channel)] = channel
            return true
        }
        if isAccepted { channel.closeFuture.whenComplete { _ in self.remove(channel) } }
        return isAccepted
    }

    private func remove(_ channel: any Channel) {
        state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = nil
            if state.channels.isEmpty { state.emptied?.finish() }
        }
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
