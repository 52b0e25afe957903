#if Live
import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
import PatchbayCore
import Synchronization

/// The HTTP clients of a ``LiveNetworking``, one per proxy, created on first use, on one event loop.
final class Clients: Sendable {
    static var closed: PatchbayError {
        PatchbayError(.internalError, "the network was closed; open the gateway again")
    }

    private enum State: Sendable {
        case open(Running?)
        case closed
    }

    private let options: LiveOptions
    private let certificates: [NIOSSLCertificate]
    private let state = Mutex(State.open(nil))

    init(_ options: LiveOptions) throws {
        self.options = options
        certificates = try options.certificateFile.map(CertificateFile.certificates) ?? []
    }

    deinit {
        // AsyncHTTPClient stops the process when a running client is released, so clients that were not closed are shut
        // down here.
        guard let running = end() else { return }
        Task.detached { try await running.shutDown() }
    }

    var isClosed: Bool {
        state.withLock { if case .closed = $0 { true } else { false } }
    }

    /// Returns the client for a proxy, or for direct connections.
    func client(through proxy: ProxyAddress?) throws -> HTTPClient {
        try state.withLock { state in
            guard case .open(let known) = state else { throw Clients.closed }
            var running = known ?? Running()
            if let client = running.clients[proxy] { return client }
            let client = HTTPClient(
                eventLoopGroupProvider: .shared(running.group),
                configuration: HTTPClient.Configuration(options, certificates, proxy))
            running.clients[proxy] = client
            state = .open(running)
            return client
        }
    }

    func close() async throws { try await end()?.shutDown() }

    /// Marks the clients as closed and returns those that the caller must shut down.
    private func end() -> Running? {
        state.withLock { state in
            guard case .open(let running) = state else { return nil }
            state = .closed
            return running
        }
    }
}

/// An event loop and the clients on it.
private struct Running: Sendable {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var clients: [ProxyAddress?: HTTPClient] = [:]

    func shutDown() async throws {
        for client in clients.values { try await client.shutdown() }
        try await group.shutdownGracefully()
    }
}
#endif
