#if Live
import NIOCore
import NIOPosix
import NIOSSL
import PatchbayCore
import PatchbaySystem

/// The listening sockets of a server.
struct Listeners: Sendable {
    private var channels: [any Channel] = []
    private var sockets: [UnixSocket] = []
    /// The addresses of the sockets, in the form of `serve.listen`.
    private(set) var addresses: [String] = []

    /// Opens all sockets, or none.
    ///
    /// - Parameter prepare: sets up the channel of a new connection; its second argument is nil without TLS.
    init(
        _ options: ServingOptions, _ loops: EventLoops,
        prepare: @escaping @Sendable (any Channel, NIOSSLContext?) throws -> Void
    ) async throws {
        let tls = try options.tls.map { try NIOSSLContext(certificate: $0.certificate, key: $0.key) }
        do {
            for address in options.listen {
                try await open(address, options, loops, tls, prepare)
            }
        } catch {
            await close()
            throw error
        }
    }

    /// Stops accepting connections.
    func close() async {
        for channel in channels {
            // Closing fails only if the socket is already closed.
            try? await channel.close()
        }
        for socket in sockets { socket.remove() }
    }

    private mutating func open(
        _ address: ServingAddress, _ options: ServingOptions, _ loops: EventLoops,
        _ tls: NIOSSLContext?, _ prepare: @escaping @Sendable (any Channel, NIOSSLContext?) throws -> Void
    ) async throws {
        switch address {
        case .unix(let path):
            let socket = try UnixSocket(at: path)
            sockets.append(socket)
            let bootstrap = Self.bootstrap(loops.ofSockets) { try prepare($0, nil) }
            channels.append(try await bootstrap.withBoundSocket(socket.descriptor).get())
            addresses.append(address.description)
        case .tcp(let host, let port):
            let resolved = try Self.resolved(host, port)
            try Self.check(resolved, options)
            do {
                let bootstrap = Self.tcp(Self.bootstrap(loops.ofTCP) { try prepare($0, tls) })
                add(try await bootstrap.bind(to: resolved).get())
            } catch let error as IOError {
                throw Self.failure(address, error)
            }
        case .systemd:
            for descriptor in try ServiceManager.sockets() {
                try await inherit(descriptor, options, loops, tls, prepare)
            }
        }
    }

    private mutating func inherit(
        _ descriptor: CInt, _ options: ServingOptions, _ loops: EventLoops, _ tls: NIOSSLContext?,
        _ prepare: @escaping @Sendable (any Channel, NIOSSLContext?) throws -> Void
    ) async throws {
        let isTCP = Socket.isInternet(descriptor)
        var bootstrap = Self.bootstrap(isTCP ? loops.ofTCP : loops.ofSockets) {
            try prepare($0, isTCP ? tls : nil)
        }
        if isTCP { bootstrap = Self.tcp(bootstrap) }
        let channel = try await bootstrap.withBoundSocket(descriptor).get()
        add(channel)
        if let address = channel.localAddress { try Self.check(address, options) }
    }

    private mutating func add(_ channel: any Channel) {
        channels.append(channel)
        let address = channel.localAddress
        if let path = address?.pathname {
            addresses.append("unix:\(path)")
        } else if let address, let port = address.port {
            let host = address.ipAddress ?? "localhost"
            addresses.append(ServingAddress.tcp(host: host, port: port).description)
        }
    }

    private static func bootstrap(
        _ group: any EventLoopGroup, prepare: @escaping @Sendable (any Channel) throws -> Void
    ) -> ServerBootstrap {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1_024)
            .childChannelOption(.autoRead, value: false)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            // Each connection keeps up to four of these buffers; requests are small, and strangers hold connections.
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 2_048, maximum: 8_192)
            )
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try prepare(channel) }
            }
    }

    private static func tcp(_ bootstrap: ServerBootstrap) -> ServerBootstrap {
        bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
    }

    private static func resolved(_ host: String, _ port: Int) throws -> SocketAddress {
        do {
            return try SocketAddress.makeAddressResolvingHost(host, port: port)
        } catch {
            throw PatchbayError(
                .invalidConfiguration,
                "serve.listen: \"\(host)\" is not an address of this machine; use one such as 127.0.0.1")
        }
    }

    /// Refuses addresses on which other machines could reach an unprotected server.
    private static func check(_ address: SocketAddress, _ options: ServingOptions) throws {
        guard let host = address.ipAddress, !IPAddress.isLoopback(host), !options.allowsRemote else { return }
        throw PatchbayError(
            .invalidConfiguration,
            "serve.listen: other machines can reach \"\(host)\"; set serve.token, and serve.certificate with "
                + "serve.key or serve.behind-proxy = true, or listen on 127.0.0.1")
    }

    private static func failure(_ address: ServingAddress, _ error: IOError) -> PatchbayError {
        let isElsewhere = SystemError(error.errnoCode) == .addressNotAvailable
        let code = isElsewhere ? .invalidConfiguration : PatchbayError.Code(systemError: error.errnoCode)
        let words = SystemError(error.errnoCode).words
        let advice =
            switch code {
            case .permissionDenied, .busy: "; choose another port"
            case .invalidConfiguration: "; choose an address of this machine"
            default: ""
            }
        return PatchbayError(code, "serve.listen: \"\(address)\" cannot be opened: \(words)\(advice)")
    }
}

extension NIOSSLContext {
    /// - Throws: `invalidConfiguration` when a file is missing or invalid.
    fileprivate convenience init(certificate: String, key: String) throws {
        let chain: [NIOSSLCertificate], privateKey: NIOSSLPrivateKey
        do {
            chain = try NIOSSLCertificate.fromPEMFile(certificate)
        } catch {
            throw PatchbayError(
                .invalidConfiguration,
                "serve.certificate: \"\(certificate)\" is not a readable PEM file of certificates")
        }
        do {
            privateKey = try NIOSSLPrivateKey(file: key, format: .pem)
        } catch {
            throw PatchbayError(
                .invalidConfiguration, "serve.key: \"\(key)\" is not a readable PEM file of a private key")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        do {
            try self.init(configuration: configuration)
        } catch {
            throw PatchbayError(
                .invalidConfiguration, "serve.key: \"\(key)\" does not belong to \"\(certificate)\"")
        }
    }
}
#endif
