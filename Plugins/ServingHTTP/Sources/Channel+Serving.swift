#if Live
import NIOCore
import NIOSSL
import PatchbayCore

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
