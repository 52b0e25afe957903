#if Live
import NIOCore
import NIOSSL
public import PatchbayCore
import Synchronization

/// Serves HTTP/1.1 on SwiftNIO.
///
/// The responder is called with the head of a request, and decides whether its body is read, within the limits of
/// ``ServingOptions``. Requests of a connection are answered one after another. A request that violates RFC 9112 is
/// refused and its connection closed, because the two ends may disagree about where the next request starts.
package final class HTTPServer: Serving {
    private let options: ServingOptions
    private let stops: AsyncStream<Void>
    private let stopping: AsyncStream<Void>.Continuation

    /// Creates a server that does not listen until ``run(_:listening:)``.
    package init(_ options: ServingOptions) {
        self.options = options
        (stops, stopping) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Makes ``run(_:listening:)`` stop listening, answer the requests in progress within `stopSeconds`, and return. A
    /// second call does nothing.
    package func stop() async { stopping.finish() }

    /// Listens and answers until ``stop()`` is called or the task is cancelled. Raises the process's limit of open
    /// files, and notifies systemd, if it started the process, when the server is ready and when it stops.
    ///
    /// - Throws: `busy` when another process listens on an address; `permissionDenied`; `invalidConfiguration` when an
    ///   address or a certificate cannot be used, or an address is open to other machines without protection;
    ///   `unsupported` when the process may use too little memory or too few files.
    package func run(
        _ responder: any Responder, listening: @escaping @Sendable ([String]) -> Void
    ) async throws {
        var options = options
        options.connectionsMax = min(options.connectionsMax, try ProcessLimits.prepare())
        let loops = EventLoops(options)
        let connections = OpenConnections(options)
        do {
            let listeners = try await Listeners(options, loops) { [options] channel, isEncrypted in
                try channel.serve(
                    responder, options, connections, loops.executor(of: channel), tls: isEncrypted)
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
            try? await loops.shutDown()
            throw error
        }
        try await Self.shutDown(loops, after: connections)
    }

    /// Shuts the event loops down, later if tasks still make answers, such as reads that wait for a lock: a loop that
    /// is shut down would never resume them.
    private static func shutDown(_ loops: EventLoops, after connections: OpenConnections) async throws {
        guard connections.answers.load(ordering: .relaxed) > 0 else {
            return try await loops.shutDown()
        }
        Task {
            while connections.answers.load(ordering: .relaxed) > 0 {
                // The task is never cancelled.
                try? await Task.sleep(for: .milliseconds(100))
            }
            // The server has returned, so no caller waits for this.
            try? await loops.shutDown()
        }
    }
}

extension Plugin where Product == any Serving {
    /// Serves HTTP/1.1 on Unix domain sockets and TCP, optionally with TLS. The options are those of `serve`.
    public static var http: Plugin<any Serving> {
        Plugin("http", "HTTP/1.1 on Unix domain sockets and TCP, with TLS") { settings in
            HTTPServer(try ServingOptions(settings))
        }
    }
}

extension Channel {
    /// Serves requests on an accepted connection.
    func serve(
        _ responder: any Responder, _ options: ServingOptions, _ connections: OpenConnections,
        _ executor: EventLoopExecutor, tls: NIOSSLContext?
    ) throws {
        let connection = connection(tls)
        let isAccepted = connections.add(self, of: connection.client)
        let handler = ConnectionHandler(
            responder, options, connections, executor, connection: connection)
        handler.isTurnedAway = !isAccepted
        let decoder = RequestDecoder(handler, headBytesMax: options.headBytesMax)
        let pipeline = pipeline.syncOperations
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
        try pipeline.addHandler(ByteToMessageHandler(decoder))
        try pipeline.addHandler(handler)
    }

    private func connection(_ tls: NIOSSLContext?) -> ServerRequest.Connection {
        ServerRequest.Connection(
            local: endpoint(localAddress), remote: endpoint(remoteAddress), isEncrypted: tls != nil)
    }

    private func endpoint(_ address: SocketAddress?) -> ServerRequest.Endpoint {
        guard let address, let ip = address.ipAddress else { return .unix(path: address?.pathname ?? "") }
        return .tcp(address: ip, port: address.port ?? 0)
    }
}
#endif
