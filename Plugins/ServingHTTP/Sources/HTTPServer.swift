#if Live
import NIOCore
import NIOPosix
public import PatchbayCore
import Synchronization

/// Serves HTTP/1.1 on SwiftNIO.
///
/// A request is read completely, within the limits of ``ServingOptions``, before the responder is called. Requests of a
/// connection are answered one after another. A request that violates RFC 9112 is refused and its connection closed,
/// because the two ends may disagree about where the next request starts.
public final class HTTPServer: Serving {
    private let options: ServingOptions
    private let stops: AsyncStream<Void>
    private let stopping: AsyncStream<Void>.Continuation

    public init(_ options: ServingOptions) {
        self.options = options
        (stops, stopping) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    public func stop() async { stopping.finish() }

    public func run(
        _ responder: any Responder, listening: @escaping @Sendable ([String]) -> Void
    ) async throws {
        FileLimit.raise()
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, min(4, System.coreCount)))
        let connections = OpenConnections(max: options.connectionsMax)
        do {
            let listeners = try await Listeners(options, group: group) { [options] channel, isEncrypted in
                try channel.serve(responder, options, connections, tls: isEncrypted)
            }
            listening(listeners.addresses)
            ServiceManager.notify("READY=1")
            await withTaskCancellationHandler {
                for await _ in stops {}
            } onCancel: {
                stopping.finish()
            }
            ServiceManager.notify("STOPPING=1")
            await listeners.close()
            await connections.finish(within: .seconds(options.stopSeconds))
        } catch {
            // The first error is the one to report.
            try? await group.shutdownGracefully()
            throw error
        }
        try await group.shutdownGracefully()
    }
}
#endif
