#if Live
import NIOCore
import NIOPosix
import PatchbayCore

/// The event loops of a server. If it listens on TCP, Unix domain sockets have loops of their own, so that the owner's
/// requests do not wait until those of many strangers are read.
struct EventLoops: Sendable {
    let ofTCP: any EventLoopGroup
    let ofSockets: any EventLoopGroup
    private let executors: [ObjectIdentifier: EventLoopExecutor]

    /// The number of loops for TCP, or for all connections.
    static var count: Int { max(1, min(4, System.coreCount)) }
    /// The number of further loops for sockets.
    static var ofSocketsCount: Int { max(1, count / 2) }

    init(_ options: ServingOptions) {
        let isPrivate = options.listen.allSatisfy { if case .unix = $0 { true } else { false } }
        ofTCP = MultiThreadedEventLoopGroup(numberOfThreads: Self.count)
        ofSockets = isPrivate ? ofTCP : MultiThreadedEventLoopGroup(numberOfThreads: Self.ofSocketsCount)
        var executors: [ObjectIdentifier: EventLoopExecutor] = [:]
        for group in [ofTCP, ofSockets] {
            for loop in group.makeIterator() where executors[ObjectIdentifier(loop)] == nil {
                executors[ObjectIdentifier(loop)] = EventLoopExecutor(loop)
            }
        }
        self.executors = executors
    }

    /// Returns the executor of the tasks for a channel's connection.
    func executor(of channel: any Channel) -> EventLoopExecutor {
        executors[ObjectIdentifier(channel.eventLoop)] ?? EventLoopExecutor(channel.eventLoop)
    }

    func shutDown() async throws {
        try await ofTCP.shutdownGracefully()
        if ofSockets !== ofTCP { try await ofSockets.shutdownGracefully() }
    }
}
#endif
