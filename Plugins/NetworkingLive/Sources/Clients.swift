#if Live
import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
import PatchbayCore
import Synchronization

/// The HTTP clients of a ``LiveNetworking``, one for each proxy, made when they are first needed, on one event loop.
final class Clients: Sendable {
    static var closed: PatchbayError {
        PatchbayError(.internalError, "the network was closed; open the gateway anew to ask it")
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
        // AsyncHTTPClient stops the process when a client goes away running: somebody must end what nobody closed.
        guard let running = end() else { return }
        Task.detached { try await running.shutDown() }
    }

    var isClosed: Bool {
        state.withLock { if case .closed = $0 { true } else { false } }
    }

    /// The client that asks through a proxy, or directly.
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

    /// Marks all as closed; what ran is the caller's to shut down.
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
