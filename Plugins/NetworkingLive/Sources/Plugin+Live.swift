#if Live
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL
public import PatchbayCore

extension Plugin where Product == any Networking {
    /// Sends requests over the network.
    ///
    /// - Parameter environment: the variables in which `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` are looked up; by
    ///   default those of this process.
    public static func live(
        environment: @escaping @Sendable () -> [String: String] = { ProcessEnvironment.variables }
    ) -> Plugin<any Networking> {
        Plugin("live", "HTTP/1.1 and HTTP/2 over TLS", options: options) { settings in
            try LiveNetworking(try LiveOptions(settings, environment: environment()))
        }
    }

    private static var options: [PluginOption] {
        let usual = LiveOptions()
        return [
            PluginOption(
                "connect-timeout-seconds", .integer(1...600), default: "\(usual.connectTimeoutSeconds)",
                "maximum time to establish a connection, in seconds, including TLS"),
            PluginOption(
                "idle-timeout-seconds", .integer(1...600), default: "\(usual.idleTimeoutSeconds)",
                "maximum silence of a server, in seconds"),
            PluginOption(
                "timeout-seconds", .integer(1...3600), default: "\(usual.timeoutSeconds)",
                "maximum time of a whole answer, in seconds, to its last byte"),
            PluginOption(
                "body-mib-max", .integer(1...1024), default: "\(usual.bodyMiBMax)",
                "maximum size of an answer's inflated body, in MiB"),
            PluginOption(
                "connections-max", .integer(1...64), default: "\(usual.connectionsMax)",
                "maximum number of concurrent HTTP/1.1 connections to a host"),
            PluginOption(
                "proxy", .text, default: "environment",
                "environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), none, or an address such as http://host:3128"
            ),
            PluginOption(
                "ca-file", .path,
                "a PEM file of certificates to trust in addition to the system's"),
            PluginOption(
                "allow-plain-http", .boolean, default: "false",
                "whether plain http to other machines is allowed"),
        ]
    }
}

extension LiveOptions {
    /// - Throws: `invalidConfiguration` when an option has an invalid value.
    fileprivate init(_ settings: Settings, environment: [String: String]) throws {
        self.init()
        connectTimeoutSeconds = try settings.integer("connect-timeout-seconds") ?? connectTimeoutSeconds
        idleTimeoutSeconds = try settings.integer("idle-timeout-seconds") ?? idleTimeoutSeconds
        timeoutSeconds = try settings.integer("timeout-seconds") ?? timeoutSeconds
        bodyMiBMax = try settings.integer("body-mib-max") ?? bodyMiBMax
        connectionsMax = try settings.integer("connections-max") ?? connectionsMax
        certificateFile = settings.text("ca-file")
        allowsPlainHTTP = try settings.boolean("allow-plain-http") ?? allowsPlainHTTP
        proxy = try ProxyChoice(settings, environment)
    }
}

extension ProxyChoice {
    fileprivate init(_ settings: Settings, _ environment: [String: String]) throws {
        switch settings.text("proxy") {
        case nil, "environment": self = .environment(environment)
        case "none": self = .none
        case let text?:
            guard let address = ProxyAddress(text), !address.hasCredentials else {
                // The value is not shown because it may contain a password.
                throw PatchbayError(
                    .invalidConfiguration,
                    "networking.proxy must be environment, none, or an address such as http://host:3128; "
                        + "set one with a name and a password in HTTPS_PROXY")
            }
            self = .always(address)
        }
    }
}

extension HTTPClient.Configuration {
    /// Configures a client that follows no redirects, retries nothing and has every answer checked by
    /// ``ResponseGuard``.
    init(_ options: LiveOptions, _ certificates: [NIOSSLCertificate], _ proxy: ProxyAddress?) {
        self.init(
            redirectConfiguration: .disallow,
            timeout: Timeout(
                connect: .seconds(Int64(options.connectTimeoutSeconds)),
                read: .seconds(Int64(options.idleTimeoutSeconds)),
                write: .seconds(Int64(options.idleTimeoutSeconds))),
            proxy: proxy.map(HTTPClient.Configuration.Proxy.init),
            decompression: .disabled)
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if !SystemAuthorities.exist {
            tls.trustRoots = .certificates(certificates)
        } else if !certificates.isEmpty {
            tls.additionalTrustRoots = [.certificates(certificates)]
        }
        tlsConfiguration = tls
        connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = options.connectionsMax
        // Report a refused connection at once, because a layer decides about retries.
        connectionPool.retryConnectionEstablishment = false
        let bodyBytesMax = options.bodyBytesMax
        http1_1ConnectionDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let parser = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
                try pipeline.addHandler(ResponseGuard(bodyBytesMax: bodyBytesMax), position: .after(parser))
            }
        }
        http2StreamChannelDebugInitializer = { channel in
            channel.eventLoop.makeCompletedFuture {
                let pipeline = channel.pipeline.syncOperations
                let parser = try pipeline.handler(type: HTTP2FramePayloadToHTTP1ClientCodec.self)
                try pipeline.addHandler(ResponseGuard(bodyBytesMax: bodyBytesMax), position: .after(parser))
            }
        }
    }
}

extension HTTPClient.Configuration.Proxy {
    init(_ proxy: ProxyAddress) {
        switch proxy.language {
        case .http:
            let authorization = proxy.user.map {
                HTTPClient.Authorization.basic(username: $0, password: proxy.password ?? "")
            }
            self = .server(host: proxy.host, port: proxy.port, authorization: authorization)
        case .socks5: self = .socksServer(host: proxy.host, port: proxy.port)
        }
    }
}

/// Limits and permissions of ``LiveNetworking``.
package struct LiveOptions: Sendable {
    /// The maximum time to establish a connection, in seconds, including name resolution and TLS.
    package var connectTimeoutSeconds = 10
    /// The maximum silence of a server that must answer, in seconds.
    package var idleTimeoutSeconds = 15
    /// The maximum time of an exchange, in seconds, from the call to the last byte of the answer.
    package var timeoutSeconds = 60
    /// The maximum size of an answer's body in MiB, both as sent and inflated.
    package var bodyMiBMax = 64
    /// The maximum number of concurrent HTTP/1.1 connections to a host; further requests wait.
    package var connectionsMax = 8
    /// The proxy that connections go through; none unless set.
    package var proxy = ProxyChoice.none
    /// A PEM file of certificates to trust in addition to the system's.
    package var certificateFile: String?
    /// Whether plain http to other machines is allowed.
    package var allowsPlainHTTP = false

    var bodyBytesMax: Int { bodyMiBMax << 20 }

    /// Creates options with the default limits, without a proxy and without plain http.
    package init() {}
}
#endif
