#if Live
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOHTTP2
import NIOSSL

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
#endif
